#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/escape.hpp"
#include "gpu/job/statistics.hpp"
#include "record/places.hpp"
#include "report/charts/svg.hpp"
#include "report/html/html_parts.hpp"
#include "report/sections/matrix_layout.hpp"

namespace warpclock {
namespace {

constexpr double cell_width = 6, cell_height = 12, map_left = 74, map_top = 34, map_right = 12, map_bottom = 30;
constexpr int place_shades = 9;  // classes p0 to p8 of the page's style

std::vector<const CaseRecord*> rows_with_places(const ProbeOutline& probe) {
  std::vector<const CaseRecord*> rows;
  std::ranges::copy_if(probe.cases, std::back_inserter(rows),
                       [](const CaseRecord* row) { return row->outcome == Outcome::Measured && !row->places.empty(); });
  return rows;
}

struct Shading {
  double low, high;

  [[nodiscard]] int of(double value) const {
    if (high <= low) return 0;
    return std::clamp(static_cast<int>((value - low) / (high - low) * place_shades), 0, place_shades - 1);
  }
};

/// From the 1st to the 99th percentile, so that a few outliers do not use up all the shades.
Shading shading(const std::vector<const CaseRecord*>& rows) {
  std::vector<double> values;
  for (const CaseRecord* row : rows) {
    std::ranges::copy_if(row->places, std::back_inserter(values), [](double value) { return value > 0; });
  }
  std::ranges::sort(values);
  if (values.empty()) return {0, 0};
  const std::size_t cut = values.size() / 100;
  return {values[cut], values[values.size() - 1 - cut]};
}

/// The places sorted by their side, if any, then by their means, so that similar ones are adjacent.
std::vector<std::size_t> order_of(const std::vector<const CaseRecord*>& rows) {
  const std::vector<double> means = place_means(rows);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (means[i] > 0) order.push_back(i);
  }
  const auto sides = sides_of_places(rows);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(sides && i < sides->column_side.size() && sides->column_side[i], means[i]);
  });
  return order;
}

/// Cells of one shade in a row as one path: a map of 4,000 cells has nine paths per row.
std::string cells(const CaseRecord& row, const std::vector<std::size_t>& order, const Shading& shading, int shade,
                  double y) {
  std::string path;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double value = order[i] < row.places.size() ? row.places[order[i]] : 0;
    if (value <= 0 || shading.of(value) != shade) continue;
    path += fmt::format("M{} {}h{}v{}h-{}z", coordinate(map_left + cell_width * static_cast<double>(i)), coordinate(y),
                        coordinate(cell_width), coordinate(cell_height), coordinate(cell_width));
  }
  return path;
}

std::string map(const ProbeOutline& probe, const std::vector<const CaseRecord*>& rows, std::size_t index) {
  const std::vector<std::size_t> order = order_of(rows);
  const Shading shade = shading(rows);
  const double width = map_left + cell_width * static_cast<double>(order.size()) + map_right;
  const double below = map_top + cell_height * static_cast<double>(rows.size());
  const std::string unit = rows.front()->measures.empty() ? "" : rows.front()->measures.front().unit;
  const std::string said = fmt::format("{} places, {:.4g} to {:.4g} {}", order.size(), shade.low, shade.high, unit);
  Svg svg(fmt::format("places{}", index), "chart places", width, below + map_bottom, probe.probe.name + " by place",
          said);
  svg.text("t", map_left, 14, "start", fmt::format("place (SM), by its side and mean: {}", said));
  for (std::size_t i = 0; i < order.size(); i += 8) {
    svg.text("t", map_left + cell_width * (static_cast<double>(i) + 0.5), map_top - 6, "middle",
             fmt::format("{}", order[i]));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = map_top + cell_height * static_cast<double>(r);
    const Value* at = find(rows[r]->parameters, probe.probe.along);
    if (at != nullptr)
      svg.text("t", map_left - 6, y + cell_height - 3, "end", probe.probe.along + " " + to_string(*at));
    for (int s = 0; s < place_shades; ++s) {
      const std::string path = cells(*rows[r], order, shade, s, y);
      if (!path.empty()) svg.path(fmt::format("p p{}", s), path);
    }
  }
  for (int s = 0; s < place_shades; ++s) {
    svg.rect(fmt::format("p p{}", s), map_left + 14.0 * s, below + 8, 14, 10);
  }
  svg.text("t", map_left - 6, below + 17, "end", fmt::format("{:.4g}", shade.low));
  svg.text("t", map_left + 14.0 * place_shades + 6, below + 17, "start", fmt::format("{:.4g} {}", shade.high, unit));
  return std::move(svg).finish();
}

/// Which places share a value that the kernel wrote.
std::string groups(const CaseRecord& row) {
  std::string out =
      "<table class=\"found\"><thead><tr><th scope=\"col\">group</th><th scope=\"col\">places</th></tr></thead><tbody>";
  std::size_t number = 0;
  for (const PlaceGroup& group : place_groups(row.places)) {
    std::string places;
    for (const std::size_t place : group.places) places += fmt::format("{}{}", places.empty() ? "" : " ", place);
    out += text_row({fmt::format("{}", ++number), places});
  }
  return out + "</tbody></table>";
}

}  // namespace

std::string html_places(const ProbeOutline& probe, std::size_t index) {
  const std::vector<const CaseRecord*> rows = rows_with_places(probe);
  if (rows.empty() || is_matrix(probe.probe)) return {};
  const bool grouped = std::ranges::any_of(probe.probe.finds,
                                           [](const FeatureQuery& f) { return f.what == FeatureQuery::What::Groups; });
  const std::string open = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"places of {}\">", escape(probe.probe.name));
  return open + (grouped ? groups(*rows.front()) : map(probe, rows, index)) + "</div>";
}

}  // namespace warpclock
