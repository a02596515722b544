#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpclock {

/// One measured case in a chart. Points that are not drawable (NaN, infinite, log of nothing) are left out.
struct ChartPoint {
  double x = 0;
  double y = 0, low = 0, high = 0;  ///< value and interval
  std::string case_id;              ///< where a click leads
  std::string tooltip;
};

/// Where a line levels off.
struct ChartLevel {
  double height = 0;
  double knee = 0;  ///< smallest x that reaches 95 % of it
};

/// A stretch of x over which a line is level.
struct ChartStretch {
  double from = 0, to = 0;
  double height = 0;
  std::string label;
};

/// Where a line leaves a level: somewhere in low..high.
struct ChartBoundary {
  double low = 0, high = 0;
  std::string label;
};

struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;         ///< in any order; drawn by ascending x
  std::vector<ChartPoint> missing;        ///< cases without a published number: crosses on the axis at their x
  std::optional<ChartLevel> plateau;      ///< for rates that level off
  std::vector<ChartStretch> stretches;    ///< what was found: strokes on the line
  std::vector<ChartBoundary> boundaries;  ///< and bands behind it
  bool predicted = false;                 ///< by a model of the line before it: dashed, in its colour, without points
};

/// Lines over a numeric axis, y from 0. Lines are told apart by colour, by marker, and by a label at their end.
struct LineChart {
  std::string id;                  ///< unique in the page
  std::string title, description;  ///< for those who do not see it
  std::string x_label, y_label;
  bool log2_x = false;
  std::vector<ChartLine> lines;
  bool dense = false;  ///< points are dots without a link or a tooltip: there are many
};

[[nodiscard]] std::string draw(const LineChart& chart);

/// Horizontal bars from 0, one for every point of every line; a point's category is `categories[x]`.
struct BarChart {
  std::string id;
  std::string title, description;
  std::string value_label;
  std::vector<std::string> categories;
  std::vector<ChartLine> lines;
};

[[nodiscard]] std::string draw(const BarChart& chart);

/// Every value that a series has as a mark on a line that spans centre - reach .. centre + reach; equal ones share
/// theirs. For the markup of a page, which knows what an svg element is.
[[nodiscard]] std::string draw_strip(const std::vector<double>& values, double centre, double reach);

/// At most `columns` code points, the last of them an ellipsis when something was cut.
[[nodiscard]] std::string shorten(const std::string& text, std::size_t columns);

}  // namespace warpclock
