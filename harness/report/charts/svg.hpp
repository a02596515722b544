#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// A value that a chart can place: finite, and small enough that differences of two such values are finite too.
[[nodiscard]] bool drawable(double value);

/// A coordinate in at most one decimal, the same on every machine: "12", "12.5", never "-0" or "inf".
[[nodiscard]] std::string coordinate(double value);

/// Round values (1, 2, 2.5 or 5 times a power of ten apart) that cover low..high, about `count` of them, ascending, at
/// least two. Undrawable bounds are taken for 0..1.
[[nodiscard]] std::vector<double> nice_ticks(double low, double high, int count);

/// Powers of two that cover low..high (both > 0), every k-th when there would be more than `most`.
[[nodiscard]] std::vector<double> binary_ticks(double low, double high, int most);

/// A tick's label: "0.25", "12", "64Ki" (from 1024 on, when `binary`), "3e+09".
[[nodiscard]] std::string tick_label(double value, bool binary);

/// A place on an axis beside its mark, with a decimal at most: "33.5", "230.4Ki".
[[nodiscard]] std::string place_label(double value, bool binary);

/// Maps a domain onto pixels, linearly or in log2. An empty domain maps everything to the middle.
class Scale {
 public:
  Scale(double low, double high, double from, double to, bool log2);
  [[nodiscard]] double operator()(double value) const;

 private:
  double low_, high_, from_, to_;
  bool log2_;
};

/// The document of one chart, drawn in order. Attribute values given as text are the caller's own words; everything
/// that comes from outside goes through `text`, `title` or `link`, which escape.
class Svg {
 public:
  /// `id` prefixes the ids of title and desc and must be unique in the page.
  Svg(std::string_view id, std::string_view css_class, double width, double height, std::string_view title,
      std::string_view description);

  void line(std::string_view css_class, double x1, double y1, double x2, double y2);
  void rect(std::string_view css_class, double x, double y, double width, double height);
  /// `data` is a path in the syntax of SVG 1.1, section 8.3.
  void path(std::string_view css_class, std::string_view data);
  /// `align` is "start", "middle" or "end".
  void text(std::string_view css_class, double x, double y, std::string_view align, std::string_view text);
  /// A link around what is drawn until close_link(), with a tooltip.
  void open_link(std::string_view css_class, std::string_view target_id, std::string_view tooltip);
  void close_link();
  /// A group around what is drawn until close_note(), with a tooltip.
  void open_note(std::string_view css_class, std::string_view tooltip);
  void close_note();

  [[nodiscard]] std::string finish() &&;

 private:
  std::string out_;
};

/// Outline of the marker that stands for series `index`, around (x, y): circle, square, diamond, triangles, plus, ...
[[nodiscard]] std::string marker(std::size_t index, double x, double y, double radius);

}  // namespace warpclock
