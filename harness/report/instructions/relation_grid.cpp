#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "record/overlap.hpp"
#include "report/instructions/machine_parts.hpp"

namespace warpclock {

int heat_shade(double cycles, double least) {
  constexpr int darkest = 5;
  if (!(least > 0) || !std::isfinite(cycles)) return 0;
  return std::clamp(static_cast<int>(std::floor(darkest * std::log2(std::min(cycles / least, 2.0)) + 0.5)), 0, darkest);
}

void put(RelationGrid& grid, const std::string& row, const std::string& column, RelationCell cell) {
  const std::size_t at = index_or_add(grid.columns, column);
  RelationGrid::Row& cells = find_or_add(grid.rows, row, &RelationGrid::Row::name);
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

namespace {

/// The name, and of a multiply of a warp group its operands too, which say where A comes from.
std::string multiply_name(const std::string& key) {
  return key.contains("GMMA") ? key.substr(key.find(' ') + 1) : name_in(key);
}

/// The share that is hidden of a study with several copies of each form.
RelationCell hidden_cell(const MachineTable& table, const IssueStudy& one) {
  const auto overlap = overlap_of(table, one);
  if (!overlap) return {"", one.reason ? one.reason->message() : std::string("no interval"), -1};
  return {percent(overlap->hidden),
          fmt::format("{} cycles for {} {} and {} {}; alone {} and {}", short_cycles(one.interval->value),
                      one.of_each[0], name_in(one.forms[0]), one.of_each[1], name_in(one.forms[1]),
                      short_cycles(overlap->a), short_cycles(overlap->b)) +
              counters_text(one),
          heat_shade(1 + std::clamp(overlap->hidden, 0.0, 1.0), 1)};
}

/// The cell with the share without the yield hint, if that differs.
RelationCell with_plain(const MachineTable& table, const IssueStudy& study, RelationCell cell) {
  constexpr double differs = 0.1;
  const auto best = overlap_of(table, study);
  const IssueCell* plain = nullptr;
  for (const IssueCell& one : study.cells) {
    if (!one.yield && one.cycles > 0 && (plain == nullptr || one.cycles < plain->cycles)) plain = &one;
  }
  if (!best || plain == nullptr) return cell;
  const double share = hidden_share(best->a, best->b, plain->cycles);
  cell.title += fmt::format("; {} cycles without the yield hint", short_cycles(plain->cycles));
  if (std::abs(share - best->hidden) > differs) cell.text += fmt::format(" ({})", percent(share));
  return cell;
}

}  // namespace

RelationGrid multiply_grid(const MachineTable& table) {
  RelationGrid grid{
      .title = "Instructions together with wgmma",
      .says =
          "Each warp-group multiply (column) is followed by as many independent copies of the instruction (row) as "
          "take equally long alone. The number is the share of that time that is hidden, in percent: 100 if both "
          "together take as long as one of them, 0 if they take as long as one after the other. A multiply whose "
          "text has R before gdesc reads A from registers. One or two warp groups.",
      .corner = "together with"};
  for (const IssueStudy& one : table.with_multiplies) {
    if (one.forms.size() != 2 || one.of_each.size() != 2) continue;
    put(grid, name_in(one.forms[1]), multiply_name(one.forms[0]), hidden_cell(table, one));
  }
  return grid;
}

RelationGrid between_warps_grid(const MachineTable& table) {
  RelationGrid grid{
      .title = "Two instructions in different warps",
      .says =
          "Half of the warps of a sub-partition execute independent copies of one instruction, the other half those of "
          "the other, as many of each as take equally long alone. The number is the share of the shorter time that is "
          "hidden, in percent: 100 if both together take as long as one of them, 0 if they take as long as one after "
          "the other. One or two warps of each kind on a sub-partition, with and without the yield hint, whichever is "
          "faster; in brackets without the hint, if that differs by more than 10: a warp that never waits then keeps "
          "the scheduler.",
      .corner = "together with"};
  for (const IssueStudy& one : table.between_warps) {
    if (one.forms.size() != 2 || one.of_each.size() != 2) continue;
    const std::string a = multiply_name(one.forms[0]), b = name_in(one.forms[1]);
    const RelationCell cell = with_plain(table, one, hidden_cell(table, one));
    put(grid, b, a, cell);
    if (!a.contains("GMMA")) put(grid, a, b, cell);
  }
  return grid;
}

}  // namespace warpclock
