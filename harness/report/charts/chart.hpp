#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpclock {

/// One measured case in a chart. Points that cannot be drawn (NaN, infinite, logarithm of zero or less) are left out.
struct ChartPoint {
  double x = 0;
  double y = 0, low = 0, high = 0;  ///< value and interval
  std::string case_id;              ///< target of a click
  std::string tooltip;
};

/// The level at which a line saturates.
struct ChartLevel {
  double height = 0;
  double knee = 0;  ///< smallest x that reaches 95 % of it
};

/// A range of x in which a line is level.
struct ChartSegment {
  double from = 0, to = 0;
  double height = 0;
  std::string label;
};

/// The end of a level, somewhere in low..high.
struct ChartBoundary {
  double low = 0, high = 0;
  std::string label;
};

struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;         ///< in any order; drawn by ascending x
  std::vector<ChartPoint> missing;        ///< cases without a published number: drawn as crosses on the axis at their x
  std::optional<ChartLevel> plateau;      ///< for rates that saturate
  std::vector<ChartSegment> segments;     ///< levels that were found: drawn as strokes on the line
  std::vector<ChartBoundary> boundaries;  ///< ends of levels: drawn as bands behind the line
  bool predicted = false;                 ///< a model of the line before it: dashed, in its colour, without points
};

/// Lines over a numeric axis, with y from 0. Colours, markers and labels at their ends distinguish the lines.
struct LineChart {
  std::string id;                  ///< unique in the page
  std::string title, description;  ///< for readers who cannot see it
  std::string x_label, y_label;
  bool log2_x = false;
  std::vector<ChartLine> lines;
  bool dense = false;  ///< there are many points: they are dots without links and tooltips
};

[[nodiscard]] std::string draw(const LineChart& chart);

/// Horizontal bars from 0, one for each point of each line. A point's category is `categories[x]`.
struct BarChart {
  std::string id;
  std::string title, description;
  std::string value_label;
  std::vector<std::string> categories;
  std::vector<ChartLine> lines;
};

[[nodiscard]] std::string draw(const BarChart& chart);

/// At most `columns` code points. If the text was cut, the last one is an ellipsis.
[[nodiscard]] std::string shorten(const std::string& text, std::size_t columns);

}  // namespace warpclock
