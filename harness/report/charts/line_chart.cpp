#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "report/charts/chart.hpp"
#include "report/charts/drawn_line.hpp"
#include "report/charts/svg.hpp"

namespace warpclock {
namespace {

constexpr double width = 440, height = 270, top = 34, bottom = 228, character = 6.7, label_pitch = 14;

/// Places labels near the wished positions, at least `label_pitch` apart, inside the plot.
std::vector<double> spread(const std::vector<double>& wishes) {
  std::vector<std::size_t> order(wishes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Lines that end at nearly the same height keep their order.
  const auto band = [&](std::size_t i) { return std::floor(wishes[i] / 8); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return band(a) < band(b); });
  const double room = bottom - top;
  const double pitch = wishes.size() > 1 ? std::min(label_pitch, room / static_cast<double>(wishes.size() - 1)) : 0;
  std::vector<double> at = wishes;
  double least = top;
  for (const std::size_t i : order) {
    at[i] = std::max(at[i], least);
    least = at[i] + pitch;
  }
  double most = bottom;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    at[*i] = std::min(at[*i], most);
    most = at[*i] - pitch;
  }
  return at;
}

class Plot {
 public:
  Plot(const LineChart& chart, std::vector<DrawnLine> lines)
      : chart_(chart),
        lines_(std::move(lines)),
        svg_(chart.id, "chart", width, height, chart.title, chart.description),
        extent_(extent_of(lines_)),
        y_ticks_(nice_ticks(extent_.y_low, extent_.y_high, 5)),
        left_(margin()),
        right_(width - label_room()),
        x_ticks_(chart.log2_x ? binary_ticks(extent_.x_low, extent_.x_high, 8)
                              : nice_ticks(extent_.x_low, extent_.x_high, 6)),
        x_(x_ticks_.front(), x_ticks_.back(), left_, right_, chart.log2_x),
        y_(y_ticks_.front(), y_ticks_.back(), bottom, top, false) {}

  std::string draw() && {
    axes();
    if (lines_.empty()) svg_.text("t m", (left_ + right_) / 2, (top + bottom) / 2, "middle", "no measured point");
    if (const auto best = highest_level(lines_)) plateau(*best);
    for (const DrawnLine& drawn : lines_) bands(drawn);
    for (const DrawnLine& drawn : lines_) curve(drawn);
    for (const DrawnLine& drawn : lines_) segments(drawn);
    for (const DrawnLine& drawn : lines_) {
      if (!drawn.line->predicted) chart_.dense ? dots(drawn) : points(drawn);
    }
    marks();
    gaps();
    if (named().size() > 1) labels();
    return std::move(svg_).finish();
  }

 private:
  double margin() const {
    std::size_t longest = 1;
    for (const double tick : y_ticks_) longest = std::max(longest, tick_label(tick, false).size());
    return 12 + character * static_cast<double>(longest);
  }

  /// The lines that get a label at their end. A prediction has the colour of the line that it predicts.
  std::vector<const DrawnLine*> named() const {
    std::vector<const DrawnLine*> out;
    for (const DrawnLine& drawn : lines_) {
      if (!drawn.line->predicted) out.push_back(&drawn);
    }
    return out;
  }

  double label_room() const {
    const std::vector<const DrawnLine*> lines = named();
    if (lines.size() < 2) return 14;
    std::size_t longest = 1;
    for (const DrawnLine* drawn : lines) longest = std::max(longest, shorten(drawn->line->name, 18).size());
    return 26 + character * static_cast<double>(std::min<std::size_t>(longest, 18));
  }

  void axes() {
    svg_.text("t y", 0, 12, "start", chart_.y_label);
    for (const double tick : y_ticks_) svg_.line(tick == 0 ? "ax" : "gr", left_, y_(tick), right_, y_(tick));
    for (const double tick : x_ticks_) svg_.line("tk", x_(tick), bottom, x_(tick), bottom + 4);
    for (const double tick : y_ticks_) svg_.text("t", left_ - 7, y_(tick) + 4, "end", tick_label(tick, false));
    std::size_t longest = 1;
    for (const double tick : x_ticks_) longest = std::max(longest, tick_label(tick, chart_.log2_x).size());
    const double apart = (right_ - left_) / static_cast<double>(x_ticks_.size() - 1);
    const auto every = static_cast<std::size_t>(std::ceil((character * static_cast<double>(longest) + 5) / apart));
    for (std::size_t i = 0; i < x_ticks_.size(); i += std::max<std::size_t>(every, 1)) {
      svg_.text("t", x_(x_ticks_[i]), bottom + 17, "middle", tick_label(x_ticks_[i], chart_.log2_x));
    }
    svg_.text("t y", (left_ + right_) / 2, bottom + 35, "middle", chart_.x_label);
  }

  void plateau(const ChartLevel& level) {
    svg_.line("pl", left_, y_(level.height), right_, y_(level.height));
    svg_.text("t h", left_ + 4, y_(level.height) - 5, "start", fmt::format("plateau {:.4g}", level.height));
    const double at = x_(level.knee);
    svg_.line("kn", at, y_(0.95 * level.height), at, bottom);
    const std::string text = fmt::format("95 % at {}", tick_label(level.knee, chart_.log2_x));
    const bool fits = at + character * static_cast<double>(text.size()) + 6 < right_;
    svg_.text("t h", fits ? at + 5 : at - 5, any_gap() ? bottom - 20 : bottom - 7, fits ? "start" : "end", text);
  }

  void curve(const DrawnLine& drawn) {
    std::string data;
    for (const ChartPoint& p : drawn.points) {
      data += fmt::format("{}{} {}", data.empty() ? "M" : "L", coordinate(x_(p.x)), coordinate(y_(p.y)));
    }
    const bool dashed = drawn.index >= 8 || drawn.line->predicted;
    svg_.path(fmt::format("ln s{}{}", drawn.index % 8, dashed ? " da" : ""), data);
  }

  void points(const DrawnLine& drawn) {
    const std::string colour = fmt::format("s{}", drawn.index % 8);
    const auto level = drawable_level(drawn);
    for (const ChartPoint& p : drawn.points) {
      const double x = x_(p.x), y = y_(p.y);
      svg_.open_link("pt " + colour, p.case_id, p.tooltip);
      if (drawable(p.low) && drawable(p.high) && y_(p.low) - y_(p.high) > 7) {
        const double from = std::clamp(y_(p.low), top, bottom), to = std::clamp(y_(p.high), top, bottom);
        svg_.path("wh", fmt::format("M{0} {1}V{2}M{3} {1}h6M{3} {2}h6", coordinate(x), coordinate(from), coordinate(to),
                                    coordinate(x - 3)));
      }
      if (level && level->knee == p.x) svg_.path("rg", marker(0, x, y, 6));
      svg_.path("mk", marker(drawn.index, x, y, 3));
      svg_.close_link();
    }
  }

  bool has_place(double x) const { return drawable(x) && (!chart_.log2_x || x > 0); }
  double inside(double x) const { return std::clamp(x_(x), left_, right_); }

  void bands(const DrawnLine& drawn) {
    for (const ChartBoundary& each : drawn.line->boundaries) {
      if (!has_place(each.low) || !has_place(each.high)) continue;
      const double from = inside(each.low), to = std::max(inside(each.high), from + 1);
      svg_.rect(fmt::format("bd s{}", drawn.index % 8), from, top, to - from, bottom - top);
    }
  }

  void segments(const DrawnLine& drawn) {
    for (const ChartSegment& each : drawn.line->segments) {
      if (!has_place(each.from) || !has_place(each.to) || !drawable(each.height)) continue;
      svg_.line(fmt::format("lv s{}", drawn.index % 8), inside(each.from), y_(each.height), inside(each.to),
                y_(each.height));
    }
  }

  void dots(const DrawnLine& drawn) {
    std::string data;
    for (const ChartPoint& p : drawn.points) data += fmt::format("M{} {}h0", coordinate(x_(p.x)), coordinate(y_(p.y)));
    svg_.path(fmt::format("dt s{}", drawn.index % 8), data);
  }

  /// Draws the text if there is room. True if it was drawn, or if the same text is already at that place.
  bool free_text(double x, double y, const std::string& text) {
    const double half = character * static_cast<double>(text.size()) / 2 + 2;
    x = std::clamp(x, left_ + half, std::max(right_ - half, left_ + half));
    for (const Text& other : texts_) {
      const bool clear = std::abs(x - other.x) >= half + other.half;
      if (other.text == text && (!clear || y == other.y)) return true;
      if (!clear && std::abs(y - other.y) < 12) return false;
    }
    texts_.push_back({x, y, half, text});
    svg_.text("t h", x, y, "middle", text);
    return true;
  }

  /// Boundaries are named at the top, levels on their stroke. A name without room appears only in the table.
  void marks() {
    for (const DrawnLine& drawn : lines_) {
      for (const ChartBoundary& each : drawn.line->boundaries) {
        if (!has_place(each.low) || !has_place(each.high)) continue;
        const double x = (inside(each.low) + inside(each.high)) / 2;
        for (int row = 0; row < 4 && !free_text(x, top + 8 + 12 * row, each.label); ++row) continue;
      }
      for (const ChartSegment& each : drawn.line->segments) {
        if (!has_place(each.from) || !has_place(each.to) || !drawable(each.height)) continue;
        const double x = (inside(each.from) + inside(each.to)) / 2, y = y_(each.height);
        free_text(x, y - 7 < top ? y + 14 : y - 7, each.label);
      }
    }
  }

  bool any_gap() const {
    return std::any_of(chart_.lines.begin(), chart_.lines.end(),
                       [](const ChartLine& line) { return !line.missing.empty(); });
  }

  /// Crosses above the axis, stacked if several lines miss the same x.
  void gaps() {
    std::vector<double> taken;
    const std::vector<std::size_t> index = line_indexes(chart_);
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      for (const ChartPoint& p : chart_.lines[i].missing) {
        if (!drawable(p.x) || p.x < x_ticks_.front() || p.x > x_ticks_.back()) continue;
        const auto below = static_cast<double>(std::count(taken.begin(), taken.end(), p.x));
        taken.push_back(p.x);
        const double x = x_(p.x), y = bottom - 7 - 9 * below;
        svg_.open_link(fmt::format("pt s{}", index[i] % 8), p.case_id, p.tooltip);
        svg_.path("gap",
                  fmt::format("M{0} {1}l6 6M{0} {2}l6 -6", coordinate(x - 3), coordinate(y - 3), coordinate(y + 3)));
        svg_.close_link();
      }
    }
  }

  void labels() {
    const std::vector<const DrawnLine*> lines = named();
    std::vector<double> wishes;
    wishes.reserve(lines.size());
    for (const DrawnLine* drawn : lines) wishes.push_back(y_(drawn->points.back().y));
    const std::vector<double> at = spread(wishes);
    const auto room = static_cast<std::size_t>((bottom - top) / 9);
    const std::size_t every = (lines.size() + room - 1) / room;
    for (std::size_t i = 0; i < lines.size(); i += every) {
      svg_.path(fmt::format("mk s{}", lines[i]->index % 8),
                marker(chart_.dense ? 0 : lines[i]->index, right_ + 12, at[i], 3));
      svg_.text("t", right_ + 20, at[i] + 4, "start", shorten(lines[i]->line->name, 18));
    }
  }

  const LineChart& chart_;
  std::vector<DrawnLine> lines_;
  Svg svg_;
  ChartExtent extent_;
  std::vector<double> y_ticks_;
  double left_, right_;
  std::vector<double> x_ticks_;
  Scale x_, y_;
  struct Text {
    double x, y, half;
    std::string text;
  };
  std::vector<Text> texts_;
};

}  // namespace

std::string draw(const LineChart& chart) { return Plot(chart, drawn_lines(chart)).draw(); }

}  // namespace warpclock
