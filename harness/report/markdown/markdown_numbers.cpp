#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analyze/curve/plateau.hpp"
#include "base/lookup.hpp"
#include "record/outcome.hpp"
#include "report/markdown/markdown_parts.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

/// Wider tables need a scroll bar on a code host.
constexpr std::size_t most_columns = 16;

std::string swept_value(const CaseRecord& row, const std::string& parameter) {
  const Value* value = find(row.parameters, parameter);
  return value ? parameter_text(parameter, *value) : std::string();
}

/// An estimate or a counter of the cases, with a number of digits that suits all of them.
struct NumberColumn {
  std::string name, unit;
  bool counter = false;
  bool rate = false;
  int places = 0;

  [[nodiscard]] std::string title() const { return markdown_text(unit.empty() ? name : name + " (" + unit + ")"); }

  [[nodiscard]] std::string cell(const CaseRecord& row) const {
    if (row.outcome != Outcome::Measured) return {};
    if (counter) {
      const auto found = row.counters.find(name);
      return found == row.counters.end() ? "" : fixed(found->second, places);
    }
    const Estimate* estimate = published(row, name);
    if (!estimate && name.ends_with(".overhead")) return {};
    if (!estimate) return row.counters_missing.empty() ? "" : "no counters";
    const std::string doubt = interval(*estimate, places);
    const bool shows = doubt.find_first_of("123456789") != std::string::npos;
    return fixed(estimate->value, places) + (shows ? " " + doubt : "");
  }
};

NumberColumn estimate_column(const ProbeOutline& probe, const std::string& name) {
  NumberColumn column{name, "", false, false, decimals(probe, name)};
  for (const CaseRecord* row : probe.cases) {
    const Estimate* estimate = published(*row, name);
    if (!estimate) continue;
    column.unit = estimate->unit;
    column.rate = estimate->method == "rate";
  }
  return column;
}

bool has(const ProbeOutline& probe, const std::string& estimate) {
  return std::ranges::any_of(probe.cases, [&](const CaseRecord* row) { return published(*row, estimate) != nullptr; });
}

std::vector<NumberColumn> columns_of(const ProbeOutline& probe) {
  std::vector<NumberColumn> columns;
  columns.reserve(probe.estimates.size() + probe.counters.size());
  for (const std::string& name : probe.estimates) columns.push_back(estimate_column(probe, name));
  for (const std::string& name : probe.counters)
    columns.push_back({name, "", true, false, counter_decimals(probe, name)});
  return columns;
}

std::string window_text(const CaseRecord& row) {
  if (row.outcome != Outcome::Measured)
    return fmt::format("**{}**: {}", word(row.outcome), markdown_code(row.reason.code));
  const std::string label = row.window.label.empty() ? "" : markdown_text(row.window.label) + ": ";
  return row.window.verdict + ": " + label + markdown_code(opcode_summary(row.window));
}

std::string plain(const ProbeOutline& probe) {
  std::vector<NumberColumn> columns = columns_of(probe);
  for (const std::string& name : probe.estimates) {
    if (has(probe, name + ".overhead")) columns.push_back(estimate_column(probe, name + ".overhead"));
  }
  MarkdownTable table;
  for (const std::string& name : probe.varying) table.column(markdown_text(parameter_name(name)));
  for (const NumberColumn& column : columns) table.column(column.title(), true);
  if (probe.encoded) table.column("encoded (cycles)", true);
  table.column("window");
  for (const CaseRecord* row : probe.cases) {
    std::vector<std::string> cells;
    cells.reserve(probe.varying.size() + columns.size() + 2);
    for (const std::string& name : probe.varying) cells.push_back(markdown_text(swept_value(*row, name)));
    for (const NumberColumn& column : columns) cells.push_back(column.cell(*row));
    if (probe.encoded) {
      const auto& encoded = row->window.encoded_cycles;
      cells.push_back(encoded && row->outcome == Outcome::Measured ? fmt::format("{:g}", *encoded) : "");
    }
    cells.push_back(window_text(*row));
    table.row(std::move(cells));
  }
  return table.text();
}

/// The cases in a grid: the chart's x across, all combinations of the other parameters down.
struct Grid {
  std::vector<Value> across;
  std::vector<std::vector<std::string>> down;
  std::vector<std::string> labels;  ///< parameters that distinguish the rows
  std::vector<std::map<std::size_t, const CaseRecord*>> rows;
};

Grid grid_of(const ProbeOutline& probe) {
  Grid grid;
  for (const std::string& name : probe.varying) {
    if (name != probe.probe.chart.x) grid.labels.push_back(name);
  }
  for (const CaseRecord* row : probe.cases) {
    const Value* x = find(row->parameters, probe.probe.chart.x);
    if (x && std::ranges::find(grid.across, *x) == grid.across.end()) grid.across.push_back(*x);
  }
  // Words keep the order of the config.
  if (std::ranges::all_of(grid.across, [](const Value& v) { return std::holds_alternative<std::int64_t>(v); })) {
    std::ranges::sort(grid.across);
  }
  for (const CaseRecord* row : probe.cases) {
    const auto key = mapped(grid.labels, [&](const std::string& name) { return swept_value(*row, name); });
    const std::size_t index = index_or_add(grid.down, key);
    grid.rows.resize(grid.down.size());
    const Value* x = find(row->parameters, probe.probe.chart.x);
    if (!x) continue;
    grid.rows[index][static_cast<std::size_t>(std::ranges::find(grid.across, *x) - grid.across.begin())] = row;
  }
  return grid;
}

/// "32.0 from warps = 8 on", for one row of a grid.
std::string plateau_text(const Grid& grid, const std::string& axis, std::size_t index, const NumberColumn& column) {
  std::vector<PlateauPoint> curve;
  for (const auto& [at, row] : grid.rows[index]) {
    const Estimate* estimate = published(*row, column.name);
    const auto* x = std::get_if<std::int64_t>(&grid.across[at]);
    if (estimate && x) curve.push_back({static_cast<double>(*x), estimate->value});
  }
  const auto found = plateau(curve);
  if (!found) return {};
  const std::string at = parameter_text(axis, static_cast<std::int64_t>(found->reached_at));
  return found->flat() ? fmt::format("{} from {} on", fixed(found->level, column.places), at)
                       : "none: highest at " + at;
}

std::string pivot(const ProbeOutline& probe, const Grid& grid, const NumberColumn& column) {
  MarkdownTable table;
  for (const std::string& label : grid.labels) table.column(markdown_text(parameter_name(label)));
  const std::string& axis = probe.probe.chart.x;
  for (const Value& x : grid.across)
    table.column(markdown_text(parameter_name(axis) + " " + parameter_text(axis, x)), true);
  if (column.rate) table.column("plateau");
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    auto cells = mapped(grid.down[i], markdown_text);
    for (std::size_t at = 0; at < grid.across.size(); ++at) {
      const auto found = grid.rows[i].find(at);
      if (found == grid.rows[i].end()) {
        cells.emplace_back();
      } else if (found->second->outcome != Outcome::Measured) {
        cells.push_back("**" + std::string(word(found->second->outcome)) + "**");
      } else {
        cells.push_back(column.cell(*found->second));
      }
    }
    if (column.rate) cells.push_back(plateau_text(grid, axis, i, column));
    table.row(std::move(cells));
  }
  return "**" + column.title() + "**\n\n" + table.text();
}

/// The windows of a grid's cases, summarised in one line.
std::string window_line(const ProbeOutline& probe) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const CaseRecord* row : probe.cases) {
    if (row->outcome == Outcome::Measured) ++find_or_add(kinds, window_text(*row));
  }
  std::string out;
  for (std::size_t i = 0; i < kinds.size() && i < 4; ++i) {
    out += fmt::format("{}{} ({} cases)", i == 0 ? "Windows: " : "; ", kinds[i].first, kinds[i].second);
  }
  if (kinds.size() > 4) out += fmt::format("; {} further kinds", kinds.size() - 4);
  return out.empty() ? "" : out + ".\n\n";
}

}  // namespace

std::string markdown_numbers(const ProbeOutline& probe) {
  const bool charted = std::ranges::find(probe.varying, probe.probe.chart.x) != probe.varying.end();
  if (!charted || probe.cases.size() <= most_rows || probe.estimates.empty()) return plain(probe);
  const Grid grid = grid_of(probe);
  std::size_t placed = 0;
  for (const auto& row : grid.rows) placed += row.size();
  if (grid.across.size() > most_columns || placed != probe.cases.size()) return plain(probe);

  std::string out, counters;
  for (const NumberColumn& column : columns_of(probe)) (column.counter ? counters : out) += pivot(probe, grid, column);
  if (!counters.empty()) out += "<details><summary>Counters</summary>\n\n" + counters + "</details>\n\n";
  return out + window_line(probe);
}

}  // namespace warpclock
