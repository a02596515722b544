#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/curve/plateau.hpp"
#include "base/lookup.hpp"
#include "record/outcome.hpp"
#include "record/trace.hpp"
#include "report/charts/chart.hpp"
#include "report/charts/svg.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_facets = 16;

/// The cases of one chart, which agree in every parameter except the axis and the series.
struct Facet {
  std::string name;
  std::vector<const CaseRecord*> cases;
};

std::vector<Facet> facets(const ProbeOutline& probe) {
  std::vector<std::string> rest = probe.varying;
  std::erase_if(
      rest, [&](const std::string& name) { return name == probe.probe.chart.x || name == probe.probe.chart.series; });
  std::vector<Facet> out;
  for (const CaseRecord* row : probe.cases)
    find_or_add(out, parameters_text(*row, rest), &Facet::name).cases.push_back(row);
  std::erase_if(out, [&](const Facet& facet) {
    return std::ranges::none_of(facet.cases, [](const CaseRecord* row) { return row->outcome == Outcome::Measured; });
  });
  return out;
}

std::string axis_text(const CaseRecord& row, const std::string& name) {
  const Value* value = find(row.parameters, name);
  return value ? parameter_text(name, *value) : std::string();
}

/// Words need no explanation; numbers need the name of their parameter.
std::string series_name(const Chart& chart, const CaseRecord& row) {
  const Value* value = chart.series.empty() ? nullptr : find(row.parameters, chart.series);
  if (!value) return {};
  return std::holds_alternative<std::string>(*value)
             ? to_string(*value)
             : parameter_name(chart.series) + "=" + parameter_text(chart.series, *value);
}

/// The lines of a facet. `place` returns the x of a point.
template <class Place>
std::vector<ChartLine> lines_of(const ProbeOutline& probe, const Facet& facet, const std::string& y,
                                const Place& place) {
  const Chart& chart = probe.probe.chart;
  std::vector<ChartLine> lines;
  for (const CaseRecord* row : facet.cases) {
    const std::optional<double> x = place(*row);
    if (!x) continue;
    ChartLine& line = find_or_add(lines, series_name(chart, *row), &ChartLine::name);
    const Estimate* estimate = published(*row, y);
    const std::string point = parameters_text(*row, probe.varying) + ": ";
    if (estimate) {
      const int places = decimals(probe, y);
      line.points.push_back({*x, estimate->value, estimate->low, estimate->high, row->id,
                             fmt::format("{}{} {} {}", point, fixed(estimate->value, places),
                                         interval(*estimate, places), unit_text(estimate->unit))});
    } else if (row->outcome != Outcome::Measured) {
      line.missing.push_back(
          {*x, 0, 0, 0, row->id, fmt::format("{}{}, {}", point, word(row->outcome), row->reason.code)});
    }
  }
  return lines;
}

void mark_plateau(ChartLine& line) {
  std::vector<PlateauPoint> curve;
  for (const ChartPoint& point : line.points) {
    if (drawable(point.x) && drawable(point.y)) curve.push_back({point.x, point.y});
  }
  const auto found = plateau(curve);
  // If there is only one point on top, the line may still be rising.
  if (found && found->flat()) line.plateau = ChartLevel{found->level, found->reached_at};
}

std::string unit_and_method(const ProbeOutline& probe, const std::string& y, std::string& method) {
  for (const CaseRecord* row : probe.cases) {
    if (const Estimate* estimate = published(*row, y)) {
      method = estimate->method;
      return unit_text(estimate->unit);
    }
  }
  return {};
}

/// "95 % of the plateau from warps = 16 (ilp=2), 8 (ilp=4). Still rising at the end: ilp=1."
std::string knees(const LineChart& chart) {
  std::string reached, rising;
  bool any = false;
  for (const ChartLine& line : chart.lines) {
    if (line.points.size() < 2) continue;
    any = true;
    std::string& list = line.plateau ? reached : rising;
    if (!list.empty()) list += ", ";
    const std::string name = chart.lines.size() > 1 ? line.name : std::string();
    if (line.plateau) {
      list += tick_label(line.plateau->knee, chart.log2_x);
      if (!name.empty()) list.append(" (").append(name).append(")");
    } else {
      list += name;
    }
  }
  std::string out;
  if (!reached.empty()) out = "95 % of the plateau from " + chart.x_label + " = " + reached + ".";
  if (!rising.empty() || (reached.empty() && any)) {
    out +=
        std::string(out.empty() ? "" : " ") + "Still rising at the end" + (rising.empty() ? "" : ": " + rising) + ".";
  }
  return out;
}

/// Adds the levels and positions that were found on the curve of these cases to their line. Classes of values and
/// periods have no position on it.
void mark_features(const ProbeOutline& probe, const CaseRecord& row, const std::string& y, ChartLine& line) {
  const Parameters curve = curve_of(row, probe.probe.along);
  for (const Feature* feature : probe.features) {
    if (feature->parameters != curve) continue;
    if (feature->to > feature->from && feature->name.starts_with(y + ".")) {
      const double value[] = {feature->value};
      line.segments.push_back({feature->from, feature->to, feature->value, fixed(feature->value, decimals(value))});
    } else if (feature->name.starts_with(probe.probe.along + ".") && !feature->name.ends_with(".period")) {
      line.boundaries.push_back({feature->low, feature->high, place_label(feature->value, probe.probe.chart.log_x)});
    }
  }
}

std::string line_chart(const ProbeOutline& probe, const Facet& facet, const std::string& y, const std::string& id) {
  const Chart& chart = probe.probe.chart;
  std::string method;
  const std::string unit = unit_and_method(probe, y, method);
  LineChart out;
  out.id = id;
  out.title = fmt::format("{}: {} over {}", probe.probe.name, y, chart.x);
  out.x_label = parameter_label(chart.x);
  out.y_label = unit.empty() ? y : y + ", " + unit;
  out.log2_x = chart.log_x;
  out.lines = lines_of(probe, facet, y, [&](const CaseRecord& row) -> std::optional<double> {
    const Value* value = find(row.parameters, chart.x);
    const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
  });
  out.description = "The table below holds every value.";
  out.dense = !probe.probe.along.empty();
  if (probe.probe.along == chart.x) {
    for (ChartLine& line : out.lines) {
      const auto row = std::ranges::find_if(
          facet.cases, [&](const CaseRecord* each) { return series_name(chart, *each) == line.name; });
      if (row != facet.cases.end()) mark_features(probe, **row, y, line);
    }
  }
  std::string caption;
  if (method == "rate") {
    for (ChartLine& line : out.lines) mark_plateau(line);
    caption = knees(out);
    if (!caption.empty()) out.description = caption + " " + out.description;
  }
  return draw(out) + (caption.empty() ? caption : element("figcaption", "knee", caption));
}

std::string bar_chart(const ProbeOutline& probe, const Facet& facet, const std::string& y, const std::string& id) {
  const Chart& chart = probe.probe.chart;
  std::string method;
  const std::string unit = unit_and_method(probe, y, method);
  BarChart out;
  out.id = id;
  out.title = fmt::format("{}: {} by {}", probe.probe.name, y, chart.x);
  out.description = "One bar a case. The table below holds every value.";
  out.value_label = unit.empty() ? y : y + ", " + unit;
  out.lines = lines_of(probe, facet, y, [&](const CaseRecord& row) -> std::optional<double> {
    return static_cast<double>(index_or_add(out.categories, axis_text(row, chart.x)));
  });
  return draw(out);
}

/// Whether the axis has numbers, at least two of them different, as a line chart needs.
bool numeric_axis(const ProbeOutline& probe) {
  std::optional<std::int64_t> first;
  bool several = false;
  for (const CaseRecord* row : probe.cases) {
    const Value* value = find(row->parameters, probe.probe.chart.x);
    if (!value) continue;
    const auto* number = std::get_if<std::int64_t>(value);
    if (!number) return false;
    several = several || (first && *first != *number);
    if (!first) first = *number;
  }
  return several;
}

}  // namespace

std::string html_charts(const ProbeOutline& probe, std::size_t index) {
  if (probe.probe.chart.x.empty() || probe.estimates.empty()) return {};
  const std::string& y = probe.probe.chart.y.empty() ? probe.estimates.front() : probe.probe.chart.y;
  const std::vector<Facet> all = facets(probe);
  if (all.empty()) return {};
  const bool numeric = numeric_axis(probe);
  std::string out = "<div class=\"charts\">";
  for (std::size_t i = 0; i < std::min(all.size(), most_facets); ++i) {
    const std::string id = fmt::format("c{}-{}", index, i);
    out += "<figure>" + (all[i].name.empty() ? std::string() : element("figcaption", "", all[i].name)) +
           (numeric ? line_chart(probe, all[i], y, id) : bar_chart(probe, all[i], y, id)) + "</figure>";
  }
  out += "</div>";
  if (all.size() > most_facets) {
    out +=
        fmt::format("<p class=\"note\">{} further combinations are in the table only.</p>", all.size() - most_facets);
  }
  return out;
}

}  // namespace warpclock
