#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/instructions/machine_parts.hpp"

namespace warpclock {
namespace {

constexpr const char* separator = " \xC2\xB7 ";

// Rounds as the page's script does.
std::string to_a_tenth(double cycles) { return human_number(std::floor(cycles * 10 + 0.5) / 10, 6); }

}  // namespace

std::string operand_letter(int source) {
  constexpr int letters = 26;
  return source >= 0 && source < letters ? std::string(1, static_cast<char>('A' + source)) : std::to_string(source);
}

std::string machine_latencies(const MachineRow& row) {
  std::vector<std::string> pieces;
  for (const DependencyLatency& each : row.latencies) {
    if (each.cycles && std::isfinite(each.cycles->value))
      pieces.push_back(operand_letter(each.source) + ' ' + to_a_tenth(each.cycles->value));
  }
  return join(pieces, separator);
}

std::string least_stalls(const MachineRow& row) {
  if (row.scoreboard) return "by scoreboard";
  std::vector<std::string> pieces;
  bool same = true;
  const DependencyLatency* first = nullptr;
  for (const DependencyLatency& each : row.latencies) {
    if (!each.least_right) continue;
    if (first == nullptr) first = &each;
    same = same && each.least_right == first->least_right;
    pieces.push_back(operand_letter(each.source) + ' ' + std::to_string(*each.least_right));
  }
  if (first == nullptr) return {};
  return same ? std::to_string(*first->least_right) : join(pieces, separator);
}

std::string issue_interval_text(const MachineRow& row) {
  return row.interval && std::isfinite(row.interval->value) ? human_number(row.interval->value, 4) : std::string();
}

std::string one_warp_text(const MachineRow& row) {
  double least = 0;
  for (const IssueCell& cell : row.cells) {
    if (cell.warps == 1 && std::isfinite(cell.cycles) && cell.cycles > 0 && (least == 0 || cell.cycles < least))
      least = cell.cycles;
  }
  return least > 0 ? human_number(least, 4) : std::string();
}

bool has_numbers(const MachineRow& row) {
  return row.interval || std::ranges::any_of(row.latencies, [](const DependencyLatency& each) {
           return each.cycles || each.least_right;
         });
}

Error why_none(const MachineRow& row) {
  if (row.reason) return *row.reason;
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (!note.empty() && std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  };
  for (const DependencyLatency& each : row.latencies) add(each.note);
  for (const IssueCell& each : row.cells) add(each.note);
  return {"no-number", join(notes, "; "), ""};
}

std::vector<std::string> machine_findings(const MachineRow& row) {
  std::vector<std::string> out;
  for (const DependencyLatency& each : row.latencies) {
    // A scoreboard result has no least stall count to compare with: the stall count covers only setting the scoreboard.
    if (row.scoreboard || !each.cycles || !each.least_right || !std::isfinite(each.cycles->value)) continue;
    if (std::abs(each.cycles->value - *each.least_right) > 0.5)
      out.push_back(fmt::format("{}: {} cycles by timing, minimum stall count {}", operand_letter(each.source),
                                human_number(each.cycles->value, 4), *each.least_right));
  }
  int most = 0;
  for (const DependencyLatency& each : row.latencies) {
    if (row.scoreboard || !each.least_right) continue;
    most = std::max(most, *each.least_right);
    if (each.busy_least_right > each.least_right)
      out.push_back(fmt::format("{}: among other warps of its sub-partition the minimum stall count is {}",
                                operand_letter(each.source), *each.busy_least_right));
  }
  if (most > 0 && row.encoded && *row.encoded != most)
    out.push_back(
        fmt::format("ptxas encodes at least {} cycles; the largest minimum stall count is {}", *row.encoded, most));
  return out;
}

MachineCounts count_rows(const MachineTable& table) {
  MachineCounts out;
  out.rows = table.rows.size();
  std::map<std::string, std::size_t> without;
  for (const MachineRow& row : table.rows) {
    out.intervals += row.interval.has_value();
    out.complete += !row.latencies.empty() &&
                    std::ranges::all_of(row.latencies, [](const auto& each) { return each.cycles.has_value(); });
    if (has_numbers(row)) {
      ++out.measured;
    } else {
      ++without[why_none(row).code];
    }
  }
  out.without.assign(without.begin(), without.end());
  std::ranges::stable_sort(out.without, std::greater(), &std::pair<std::string, std::size_t>::second);
  return out;
}

}  // namespace warpclock
