#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// Whether a chart can place the value: it is finite, and small enough that differences of two such values are finite
/// too.
[[nodiscard]] bool drawable(double value);

/// A coordinate with at most one decimal, the same on every machine: "12", "12.5", never "-0" or "inf".
[[nodiscard]] std::string coordinate(double value);

/// About `count` round values that cover low..high, ascending, at least two. They are 1, 2, 2.5 or 5 times a power of
/// ten apart. If the bounds are not drawable, 0..1 is used.
[[nodiscard]] std::vector<double> nice_ticks(double low, double high, int count);

/// Powers of two that cover low..high (both > 0); every k-th if there would be more than `most`.
[[nodiscard]] std::vector<double> binary_ticks(double low, double high, int most);

/// The label of a tick: "0.25", "12", "64Ki" (from 1024 on, if `binary`), "3e+09".
[[nodiscard]] std::string tick_label(double value, bool binary);

/// The label of a position on an axis, with at most one decimal: "33.5", "230.4Ki".
[[nodiscard]] std::string place_label(double value, bool binary);

/// Maps a domain to pixels, linearly or by log2. An empty domain maps everything to the middle.
class Scale {
 public:
  Scale(double low, double high, double from, double to, bool log2);
  [[nodiscard]] double operator()(double value) const;

 private:
  double low_, high_, from_, to_;
  bool log2_;
};

/// The document of one chart, drawn in order. Attribute values given as text are not escaped and must come from the
/// caller; all foreign text goes through `text`, `title` or `link`, which escape it.
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
  /// Puts a link with a tooltip around everything drawn until close_link().
  void open_link(std::string_view css_class, std::string_view target_id, std::string_view tooltip);
  void close_link();
  /// Puts a group with a tooltip around everything drawn until close_note().
  void open_note(std::string_view css_class, std::string_view tooltip);
  void close_note();

  [[nodiscard]] std::string finish() &&;

 private:
  /// Where the next element goes, after the texts before it.
  std::string& next();

  std::string out_;
  /// Texts that follow each other and look the same; they become one group.
  std::string texts_, look_;
};

/// At most `columns` code points. If the text was cut, the last one is an ellipsis.
[[nodiscard]] std::string shorten(const std::string& text, std::size_t columns);

}  // namespace warpclock
