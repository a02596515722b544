#include "report/charts/drawn_line.hpp"

#include <algorithm>
#include <utility>

#include "report/charts/svg.hpp"

namespace warpclock {

std::vector<std::size_t> line_indexes(const LineChart& chart) {
  std::vector<std::size_t> out;
  std::size_t next = 0;
  for (const ChartLine& line : chart.lines) out.push_back(line.predicted && next > 0 ? next - 1 : next++);
  return out;
}

std::vector<DrawnLine> drawn_lines(const LineChart& chart) {
  std::vector<DrawnLine> lines;
  const std::vector<std::size_t> index = line_indexes(chart);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    DrawnLine drawn{&chart.lines[i], index[i], {}};
    for (const ChartPoint& point : chart.lines[i].points) {
      if (drawable(point.x) && drawable(point.y) && (!chart.log2_x || point.x > 0)) drawn.points.push_back(point);
    }
    std::stable_sort(drawn.points.begin(), drawn.points.end(),
                     [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    if (!drawn.points.empty()) lines.push_back(std::move(drawn));
  }
  return lines;
}

ChartExtent extent_of(const std::vector<DrawnLine>& lines) {
  ChartExtent e;
  bool first = true;
  for (const DrawnLine& drawn : lines) {
    for (const ChartPoint& p : drawn.points) {
      e.x_low = first ? p.x : std::min(e.x_low, p.x);
      e.x_high = first ? p.x : std::max(e.x_high, p.x);
      e.y_low = std::min(e.y_low, p.y);
      e.y_high = std::max(e.y_high, p.y);
      first = false;
    }
  }
  return e;
}

std::optional<ChartLevel> drawable_level(const DrawnLine& drawn) {
  const auto& plateau = drawn.line->plateau;
  return plateau && drawable(plateau->height) && drawable(plateau->knee) ? plateau : std::nullopt;
}

std::optional<ChartLevel> highest_level(const std::vector<DrawnLine>& lines) {
  double height_of = 0;
  for (const DrawnLine& drawn : lines) {
    if (const auto level = drawable_level(drawn)) height_of = std::max(height_of, level->height);
  }
  std::optional<ChartLevel> best;
  for (const DrawnLine& drawn : lines) {
    const auto level = drawable_level(drawn);
    if (!level || level->height < 0.99 * height_of) continue;
    if (!best || level->knee < best->knee) best = level;
  }
  return best;
}

}  // namespace warpclock
