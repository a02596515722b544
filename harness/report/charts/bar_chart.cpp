#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "report/charts/chart.hpp"
#include "report/charts/svg.hpp"

namespace warpclock {
namespace {

constexpr double bar_width = 440, row_pitch = 20, bar_height = 12, group_gap = 6, bar_character = 6.7;
constexpr std::size_t most_bars = 48, most_label = 30;

struct Row {
  std::size_t category = 0, line = 0;
  const ChartPoint* point = nullptr;
};

std::vector<Row> rows_of(const BarChart& chart) {
  std::vector<Row> rows;
  for (std::size_t category = 0; category < chart.categories.size(); ++category) {
    for (std::size_t line = 0; line < chart.lines.size(); ++line) {
      for (const ChartPoint& point : chart.lines[line].points) {
        const bool here = point.x == static_cast<double>(category);
        if (here && drawable(point.y)) rows.push_back({category, line, &point});
      }
    }
  }
  return rows;
}

}  // namespace

std::string draw(const BarChart& chart) {
  std::vector<Row> rows = rows_of(chart);
  const std::size_t left_out = rows.size() > most_bars ? rows.size() - most_bars : 0;
  rows.resize(rows.size() - left_out);

  double low = 0, high = 0;
  std::size_t longest = 4;
  const bool several = chart.lines.size() > 1;
  // A category is named only once, at the first of its bars.
  const auto label_of = [&](std::size_t i) {
    const std::string& line = chart.lines[rows[i].line].name;
    if (!several) return shorten(chart.categories[rows[i].category], most_label);
    const bool named = i > 0 && rows[i - 1].category == rows[i].category;
    return shorten(named ? line : chart.categories[rows[i].category] + " \xC2\xB7 " + line, most_label);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    low = std::min(low, rows[i].point->y);
    high = std::max(high, rows[i].point->y);
    longest = std::max(longest, std::min(label_of(i).size(), most_label));
  }
  double height = 26 + 24;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    height += row_pitch + (several && i > 0 && rows[i].category != rows[i - 1].category ? group_gap : 0);
  }
  if (rows.empty() || left_out > 0) height += row_pitch;

  const double left = 10 + bar_character * static_cast<double>(longest), right = bar_width - 58, bottom = height - 24;
  const std::vector<double> ticks = nice_ticks(low, high, 4);
  const Scale x(ticks.front(), ticks.back(), left, right, false);
  Svg svg(chart.id, "chart", bar_width, height, chart.title, chart.description);
  svg.text("t y", left, 12, "start", chart.value_label);
  for (const double tick : ticks) svg.line(tick == 0 ? "ax" : "gr", x(tick), 22, x(tick), bottom);
  for (const double tick : ticks) svg.text("t", x(tick), bottom + 16, "middle", tick_label(tick, false));
  double y = 26;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ChartPoint& p = *rows[i].point;
    if (several && i > 0 && rows[i].category != rows[i - 1].category) y += group_gap;
    const double from = std::min(x(0), x(p.y)), to = std::max(x(0), x(p.y)), middle = y + bar_height / 2;
    svg.open_link(fmt::format("pt s{}", rows[i].line % 8), p.case_id, p.tooltip);
    svg.rect("br", from, y, to - from, bar_height);
    if (drawable(p.low) && drawable(p.high) && x(p.high) - x(p.low) > 5) {
      svg.path("wh",
               fmt::format("M{0} {1}H{2}M{0} {3}v6M{2} {3}v6", coordinate(std::clamp(x(p.low), left, right)),
                           coordinate(middle), coordinate(std::clamp(x(p.high), left, right)), coordinate(middle - 3)));
    }
    svg.close_link();
    svg.text("t", left - 7, middle + 4, "end", label_of(i));
    svg.text("t v", std::max(to, drawable(p.high) ? std::min(x(p.high), right) : to) + 6, middle + 4, "start",
             fmt::format("{:.4g}", p.y));
    y += row_pitch;
  }
  if (rows.empty()) svg.text("t m", (left + right) / 2, y + 10, "middle", "no measured point");
  if (left_out > 0) svg.text("t m", left, y + 10, "start", fmt::format("{} more in the table", left_out));
  return std::move(svg).finish();
}

std::string shorten(const std::string& text, std::size_t columns) {
  std::size_t points = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (points + 1 == columns) cut = i;
    if (++points > columns) return text.substr(0, cut) + "\xE2\x80\xA6";
  }
  return text;
}

}  // namespace warpclock
