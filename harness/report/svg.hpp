#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// A coordinate with at most one decimal, the same on every machine: "12", "12.5", never "-0" or "inf".
[[nodiscard]] std::string coordinate(double value);

/// Powers of two that cover low..high (both > 0); every k-th if there would be more than `most`.
[[nodiscard]] std::vector<double> binary_ticks(double low, double high, int most);

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
/// caller; all foreign text goes through `text` or `open_note`, which escape it.
class Svg {
 public:
  /// `id` prefixes the ids of title and desc and must be unique in the page.
  Svg(std::string_view id, std::string_view css_class, double width, double height, std::string_view title,
      std::string_view description);

  void line(std::string_view css_class, double x1, double y1, double x2, double y2);
  /// `align` is "start", "middle" or "end".
  void text(std::string_view css_class, double x, double y, std::string_view align, std::string_view text);
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

}  // namespace warpclock
