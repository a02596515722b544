#include "report/instructions/relation_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "record/overlap.hpp"
#include "report/instructions/machine_surfaces.hpp"

namespace warpclock {
namespace {

std::size_t column_of(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

RelationGrid::Row& row_of(RelationGrid& grid, const std::string& name) {
  const auto at = std::ranges::find(grid.rows, name, &RelationGrid::Row::name);
  return at != grid.rows.end() ? *at : grid.rows.emplace_back(name, std::vector<RelationCell>{});
}

}  // namespace

void put(RelationGrid& grid, const std::string& row, const std::string& column, RelationCell cell) {
  const std::size_t at = column_of(grid.columns, column);
  RelationGrid::Row& cells = row_of(grid, row);
  if (cells.cells.size() <= at) cells.cells.resize(at + 1);
  cells.cells[at] = std::move(cell);
}

std::string short_cycles(double cycles) { return human_number(cycles, cycles < 10 ? 3 : 4); }

std::string percent(double share) { return fmt::format("{:.0f}", 100 * share + 0.0); }

std::string counters_text(const IssueStudy& study) {
  constexpr std::string_view waits = "smsp__warps_issue_stalled_", busy = "smsp__pipe_", active = "_cycles_active.sum";
  constexpr double least = 0.5;
  std::string waiting, pipes;
  for (const auto& [name, cycles] : study.counters) {
    const std::string_view metric = name;
    if (cycles < least) continue;
    if (metric.starts_with(waits))
      waiting += fmt::format(", {} {:.1f}", metric.substr(waits.size(), metric.rfind('.') - waits.size()), cycles);
    if (metric.starts_with(busy) && metric.ends_with(active))
      pipes +=
          fmt::format(", {} {:.1f}", metric.substr(busy.size(), metric.size() - busy.size() - active.size()), cycles);
  }
  std::string text;
  if (!waiting.empty()) text += "; a warp waits a turn for" + waiting.substr(1);
  if (!pipes.empty()) text += "; busy cycles of pipes a turn and warp:" + pipes.substr(1);
  return text;
}

RelationGrid multiply_grid(const MachineTable& table) {
  RelationGrid grid{
      .title = "Instructions together with wgmma",
      .says =
          "Each warp-group multiply (column) is followed by as many independent copies of the instruction (row) as "
          "take equally long alone. The number is the share of that time that is hidden, in percent: 100 if both "
          "together take as long as one of them, 0 if they take as long as one after the other. A multiply whose "
          "text has R before gdesc reads A from registers. One or two warp groups.",
      .corner = "together with",
      .columns = {},
      .rows = {}};
  for (const IssueStudy& one : table.with_multiplies) {
    if (one.forms.size() != 2 || one.of_each.size() != 2) continue;
    const std::string multiply = one.forms[0].substr(one.forms[0].find(' ') + 1), other = name_in(one.forms[1]);
    const MachineRow *a = row_of_form(table.rows, one.forms[0]), *b = row_of_form(table.rows, one.forms[1]);
    if (!one.interval || a == nullptr || !a->interval || b == nullptr || !b->interval) {
      put(grid, other, multiply, {"", one.reason ? one.reason->message() : std::string("no interval"), -1});
      continue;
    }
    const double alone = a->interval->value, others = b->interval->value * one.of_each[1], both = one.interval->value;
    const double hidden = hidden_share(alone, others, both);
    put(grid, other, multiply,
        {percent(hidden),
         fmt::format("{} cycles for one multiply and {} {}; alone {} and {}", short_cycles(both), one.of_each[1], other,
                     short_cycles(alone), short_cycles(others)) +
             counters_text(one),
         heat_shade(1 + std::clamp(hidden, 0.0, 1.0), 1)});
  }
  return grid;
}

}  // namespace warpclock
