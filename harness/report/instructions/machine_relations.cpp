#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "record/overlap.hpp"
#include "report/instructions/machine_parts.hpp"

namespace warpclock {
namespace {

constexpr int schedulers = 4;  // per SM, sm_70 and later
constexpr std::size_t straight_points = 4;
constexpr double straight_within = 0.05;

RelationCell cell_of(const ProducerConsumer& one) {
  const DependencyLatency& latency = one.latency;
  const std::string way = fmt::format("{} to {}, operand {}: ", name_in(one.producer), name_in(one.consumer),
                                      operand_letter(latency.source));
  constexpr double most_shade_cycles = 32, half_a_cycle = 0.5;
  if (latency.cycles && !latency.least_right) {
    return {short_cycles(latency.cycles->value), way + short_cycles(latency.cycles->value) + " cycles by scoreboard",
            heat_shade(1 + latency.cycles->value / most_shade_cycles, 1)};
  }
  if (!latency.least_right) return {"", way + latency.note, -1};
  const int least = *latency.least_right, busy = latency.busy_least_right.value_or(least);
  const double cycles = latency.cycles ? latency.cycles->value : least;
  std::string text = busy > least ? fmt::format("{} ({})", least, busy) : std::to_string(least);
  if (std::abs(cycles - least) > half_a_cycle) text += " = " + short_cycles(cycles);
  return {text,
          way + fmt::format("minimum stall count {}; among other warps {}; timed {} cycles", least, busy,
                            latency.cycles ? short_cycles(cycles) : "nothing"),
          heat_shade(1 + cycles / most_shade_cycles, 1)};
}

RelationGrid dependence_grid(const MachineTable& table) {
  RelationGrid grid{.title = "Producer to consumer",
                    .says =
                        "Cycles from an instruction (row) to another one that reads its result (column; A is its "
                        "first source operand). Fixed latencies: the least stall count with which the consumer "
                        "still computes the right result, in brackets among other warps if that is more, and after = "
                        "the cycles that the chain takes at it, if the stall count is not all that delays. "
                        "Scoreboards: the time until the waiting consumer issues. Empty: a stale read would not "
                        "show, or the two cannot be chained.",
                    .corner = "producer"};
  for (const ProducerConsumer& one : table.dependences) {
    put(grid, name_in(one.producer),
        name_in(one.consumer) + (one.latency.source > 0 ? " " + operand_letter(one.latency.source) : ""), cell_of(one));
  }
  return grid;
}

/// The hidden share alternating and, if it differs, in runs.
RelationCell pair_cell(const MachineTable& table, const IssueStudy& alternating) {
  const auto hidden = hidden_share(table, alternating);
  if (!hidden) {
    return {"", alternating.reason ? alternating.reason->message() : std::string("no interval"), -1};
  }
  const std::string &a = alternating.forms[0], &b = alternating.forms[1];
  constexpr double differs = 0.1;
  RelationCell cell{percent(*hidden),
                    fmt::format("{} and {}: {} cycles for one of each, alternating; alone {} and {}", name_with_zero(a),
                                name_with_zero(b), short_cycles(alternating.interval->value),
                                short_cycles(*alone_cycles(table, a)), short_cycles(*alone_cycles(table, b))),
                    heat_shade(1 + std::clamp(*hidden, 0.0, 1.0), 1)};
  cell.title += counters_text(alternating);
  for (const IssueStudy& other : table.pairs) {
    if (other.run == 1 || other.forms != alternating.forms || !other.interval) continue;
    const double share = hidden_share(table, other).value_or(0);
    cell.title += fmt::format("; {} in runs of {}", short_cycles(other.interval->value), other.run);
    cell.title += counters_text(other);
    if (std::abs(share - *hidden) > differs) cell.text += fmt::format(" ({})", percent(share));
  }
  return cell;
}

RelationGrid pair_grid(const MachineTable& table) {
  RelationGrid grid{
      .title = "Two instructions together",
      .says =
          "The share of the shorter instruction's time that is hidden behind the longer one, in "
          "percent: 100 if both together take as long as the longer one, 0 if they take as long as "
          "one after the other. Diagonal: cycles of one instruction on a sub-partition. Independent "
          "instructions that alternate, several warps; in brackets with runs of four, if that differs by more "
          "than 10.",
      .corner = "together with"};
  for (const IssueStudy& pair : table.pairs) {
    if (pair.forms.size() != 2 || pair.run != 1) continue;
    const std::string a = name_with_zero(pair.forms[0]), b = name_with_zero(pair.forms[1]);
    if (a != b) {
      const RelationCell cell = pair_cell(table, pair);
      put(grid, a, b, cell);
      put(grid, b, a, cell);
    } else if (const auto cycles = alone_cycles(table, pair.forms[0])) {
      put(grid, a, a, {short_cycles(*cycles), fmt::format("{}: {} cycles", a, short_cycles(*cycles)), -1});
    }
  }
  return grid;
}

RelationGrid bank_grid(const MachineTable& table) {
  RelationGrid grid{
      .title = "Register banks and reuse",
      .says =
          "Cycles an instruction and sub-partition, over the bank (register number modulo 2) of its "
          "source registers A, B, C, and over which of them have the reuse flag. Each source of a multiply "
          "is in both banks.",
      .corner = "instruction, reuse"};
  std::map<std::string, double> least;
  for (const IssueStudy& one : table.banks) {
    if (!one.interval || one.forms.empty()) continue;
    const auto [at, fresh] = least.try_emplace(one.forms.front(), one.interval->value);
    if (!fresh) at->second = std::min(at->second, one.interval->value);
  }
  for (const IssueStudy& one : table.banks) {
    if (one.forms.empty()) continue;
    const std::string banks = one.banks.empty() ? "both" : fmt::format("{}", fmt::join(one.banks, " "));
    std::string reuse;
    for (std::size_t i = 0; i < one.reuse.size(); ++i) {
      if (one.reuse[i] != 0) reuse += operand_letter(static_cast<int>(i));
    }
    const std::string row = name_in(one.forms.front()) + (reuse.empty() ? "" : ", reuse " + reuse);
    RelationCell cell{"", row + ": " + (one.reason ? one.reason->message() : std::string("no interval")), -1};
    if (one.interval) {
      cell = {short_cycles(one.interval->value),
              fmt::format("{}, banks {}: {} cycles", row, banks, short_cycles(one.interval->value)),
              heat_shade(one.interval->value, least.at(one.forms.front()))};
    }
    put(grid, row, banks, cell);
  }
  return grid;
}

RelationGrid fetch_grid(const MachineTable& table) {
  RelationGrid grid{
      .title = "Instruction fetch",
      .says =
          "The number of independent instructions in straight-line code up to which each takes the "
          "same time, and the cycles of an instruction and sub-partition before and after. Warps of "
          "a sub-partition drift apart, so that they no longer share what they fetch. First pass: no cache "
          "of the SM has the code yet.",
      .corner = "instruction"};
  for (const IssueStudy& one : table.fetch) {
    for (const IssueCell& cell : one.cells) {
      const auto bend = fetch_bend(cell);
      if (!bend || one.forms.empty()) continue;
      const std::string row = name_in(one.forms.front()) +
                              (cell.stall > 1 ? fmt::format(", stall count {}", cell.stall) : "") +
                              (cell.yield ? ", yield" : "") + (one.first_pass ? ", first pass" : "");
      const std::string column = fmt::format("{} warp{}", cell.warps, cell.warps == 1 ? "" : "s");
      std::string title = row + ", " + column + ":";
      for (const auto& [n, cycles] : cell.curve) title += fmt::format(" {}: {},", n, human_number(cycles, 5));
      title.pop_back();
      const std::string text = bend->first_slow == 0
                                   ? short_cycles(bend->before)
                                   : fmt::format("{}: {} \xE2\x86\x92 {}", bend->last_straight,
                                                 short_cycles(bend->before), short_cycles(bend->after));
      put(grid, row, column, {text, title, heat_shade(bend->after, bend->before)});
    }
  }
  return grid;
}

}  // namespace

std::optional<FetchBend> fetch_bend(const IssueCell& cell) {
  if (cell.curve.size() < straight_points) return std::nullopt;
  const double share = std::max(1.0, static_cast<double>(cell.warps) / schedulers);
  const auto slope = [&](std::size_t from, std::size_t to) {
    return (cell.curve[to].second - cell.curve[from].second) / (cell.curve[to].first - cell.curve[from].first);
  };
  const auto& first = cell.curve.front();
  const double before = slope(0, straight_points - 1);
  FetchBend bend{.last_straight = first.first,
                 .before = before / share,
                 .after = slope(cell.curve.size() - 2, cell.curve.size() - 1) / share};
  for (const auto& [n, cycles] : cell.curve) {
    const double line = first.second + before * (n - first.first);
    if (cycles > line * (1 + straight_within)) {
      bend.first_slow = n;
      break;
    }
    bend.last_straight = n;
  }
  return bend;
}

std::vector<RelationGrid> relation_grids(const MachineTable& table) {
  std::vector<RelationGrid> grids;
  for (RelationGrid grid : {dependence_grid(table), pair_grid(table), bank_grid(table), multiply_grid(table),
                            between_warps_grid(table), fetch_grid(table)}) {
    for (RelationGrid::Row& row : grid.rows) row.cells.resize(grid.columns.size());
    if (!grid.rows.empty()) grids.push_back(std::move(grid));
  }
  return grids;
}

}  // namespace warpclock
