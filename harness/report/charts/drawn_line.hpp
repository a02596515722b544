#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "report/charts/chart.hpp"

namespace warpclock {

/// A line with its drawable points by ascending x, and its index.
struct DrawnLine {
  const ChartLine* line;
  std::size_t index;
  std::vector<ChartPoint> points;
};

[[nodiscard]] std::vector<DrawnLine> drawn_lines(const LineChart& chart);

/// For each line, the index that determines its colour and marker.
[[nodiscard]] std::vector<std::size_t> line_indexes(const LineChart& chart);

struct ChartExtent {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 0;
};

[[nodiscard]] ChartExtent extent_of(const std::vector<DrawnLine>& lines);

/// The plateau of a line, if it can be drawn.
[[nodiscard]] std::optional<ChartLevel> drawable_level(const DrawnLine& drawn);

/// The plateau that is marked in full: among those within 1 % of the highest, the one reached first.
[[nodiscard]] std::optional<ChartLevel> highest_level(const std::vector<DrawnLine>& lines);

}  // namespace warpclock
