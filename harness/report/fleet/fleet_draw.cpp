#include "report/fleet/fleet_draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/escape.hpp"
#include "fleet/fleet_text.hpp"
#include "report/charts/svg.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_fleet_rows = 40;
/// More squares with a text of their own make a page slow.
constexpr std::size_t most_named_squares = 2000;
constexpr int fleet_row_height = 16, fleet_names_width = 430, fleet_plot_width = 560, fleet_head_height = 24;

double furthest_share(const FleetRow& row) {
  return row.median == 0 ? 0 : std::max(row.high - row.median, row.median - row.low) / std::abs(row.median);
}

std::string_view class_of(const FleetGpu& gpu) {
  if (gpu.outliers > 0 || !gpu.not_measured.empty()) return "bad";
  return conditions_in_words(gpu).empty() ? "good" : "warned";
}

std::string square_title(const FleetGpu& gpu) {
  std::string title = gpu.label;
  if (gpu.outliers > 0) title += fmt::format(", {}", counted(static_cast<std::int64_t>(gpu.outliers), "outlier"));
  if (!gpu.not_measured.empty())
    title += fmt::format(", {} not measured", counted(std::ssize(gpu.not_measured), "row"));
  const std::string conditions = conditions_in_words(gpu);
  return conditions.empty() ? title : title + ", " + conditions;
}

/// Maps a deviation as a share to pixels, and cuts it at the edges.
struct DeviationAxis {
  double reach = 0.01;
  [[nodiscard]] double operator()(double share) const {
    return fleet_names_width + fleet_plot_width / 2.0 * (1 + std::clamp(share / reach, -1.0, 1.0));
  }
};

std::string fleet_bar(const char* css, double from, double to, double top, double height) {
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", css, from,
                     top, std::max(1.0, to - from), height);
}

std::string row_marks(const FleetRow& row, const DeviationAxis& axis, int top) {
  const double size = std::abs(row.median), middle = top + fleet_row_height / 2.0;
  const auto at = [&](double distance) { return axis(distance / size); };
  std::string marks =
      fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}<title>{}</title></text>", fleet_names_width - 8,
                  top + fleet_row_height - 4, escape(shorten(row.id + " " + row.estimate, 66)),
                  escape(row.id + " " + row.estimate));
  marks += fleet_bar("range", at(row.low - row.median), at(row.high - row.median), middle - 0.5, 1);
  marks += fleet_bar("sigmas", at(-3 * row.sigma), at(3 * row.sigma), middle - 3, 6);
  if (row.threshold > 0)
    for (const double side : {-row.threshold, row.threshold})
      marks += fleet_bar("limit", at(side), at(side), middle - 6, 12);
  return marks;
}

std::string deviation_ticks(const DeviationAxis& axis, int height) {
  std::string marks;
  for (const double tick : nice_ticks(-100 * axis.reach, 100 * axis.reach, 6)) {
    if (std::abs(tick) > 100 * axis.reach * 1.0001) continue;
    const double x = axis(tick / 100);
    marks += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"14\" "
        "text-anchor=\"middle\">{3} %</text>",
        x, fleet_head_height, height, tick_label(tick, false));
  }
  return marks;
}

}  // namespace

std::string draw_map(const Fleet& fleet, const FleetModel& model) {
  const bool small = model.gpus.size() <= most_named_squares;
  const int size = small ? 16 : 7, step = size + 2;
  const int columns = small ? 8 * 7 : 130;
  std::map<std::string_view, std::string> paths;
  std::string named;
  for (std::size_t i = 0; i < model.gpus.size(); ++i) {
    const FleetGpu& gpu = fleet.gpus[model.gpus[i]];
    const int x = static_cast<int>(i) % columns * step, y = static_cast<int>(i) / columns * step;
    const std::string_view css = class_of(gpu);
    if (small || css != "good") {
      named += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>\n",
                           css, x, y, size, size, escape(square_title(gpu)));
    } else {
      paths[css] += fmt::format("M{} {}h{}v{}h-{}z", x, y, size, size, size);
    }
  }
  for (const auto& [css, path] : paths) named += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", css, path);
  const int rows = (static_cast<int>(model.gpus.size()) + columns - 1) / columns;
  const int across = std::min(columns, static_cast<int>(model.gpus.size()));
  return fmt::format(
      "<div class=\"scrolled\" tabindex=\"0\"><svg class=\"fleet-map\" xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"a square for each GPU\">{}</svg></div>\n",
      across * step, rows * step, named);
}

std::vector<const FleetRow*> rows_by_spread(const FleetModel& model) {
  std::vector<const FleetRow*> rows;
  for (const FleetRow& row : model.rows)
    if (row.gpus > 1 && row.median != 0 && !row.varies) rows.push_back(&row);
  std::ranges::stable_sort(rows, [](const FleetRow* a, const FleetRow* b) {
    if ((a->outliers > 0) != (b->outliers > 0)) return a->outliers > 0;
    return furthest_share(*a) > furthest_share(*b);
  });
  return rows;
}

std::string draw_rows(const Fleet& fleet, std::size_t model) {
  std::vector<const FleetRow*> rows = rows_by_spread(fleet.models[model]);
  if (rows.empty()) return {};
  if (rows.size() > most_fleet_rows) rows.resize(most_fleet_rows);
  std::map<const FleetRow*, int> tops;
  DeviationAxis axis;
  std::vector<double> reaches;
  for (const FleetRow* row : rows) {
    tops.emplace(row, fleet_head_height + static_cast<int>(tops.size()) * fleet_row_height);
    reaches.push_back(furthest_share(*row));
  }
  // A row far from all others must not make them a point.
  std::ranges::sort(reaches);
  axis.reach = std::max(1.1 * reaches[reaches.size() * 9 / 10], 0.002);
  const int height = fleet_head_height + static_cast<int>(rows.size()) * fleet_row_height;
  std::string marks = deviation_ticks(axis, height);
  for (const FleetRow* row : rows) marks += row_marks(*row, axis, tops.at(row)) + "\n";
  for (const FleetOutlier& one : fleet.outliers) {
    if (fleet.gpus[one.gpu].model != model) continue;
    const auto top = tops.find(&fleet.models[model].rows[one.row]);
    if (top == tops.end()) continue;
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{}\" r=\"4\"><title>{}</title></circle>\n", axis(one.share),
                         top->second + fleet_row_height / 2,
                         escape(fleet.gpus[one.gpu].label + " " + deviation_in_words(one.share)));
  }
  return fmt::format(
      "<div class=\"scrolled\" tabindex=\"0\"><svg class=\"fleet-rows\" xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"deviation of each row from its median\">{}"
      "</svg></div>\n",
      fleet_names_width + fleet_plot_width + 30, height + 6, marks);
}

}  // namespace warpclock
