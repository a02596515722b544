#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answer/instructions/machine_parts.hpp"
#include "base/text.hpp"

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

std::string issue_interval_text(const MachineRow& row) {
  return row.interval && std::isfinite(row.interval->value) ? human_number(row.interval->value, 4) : std::string();
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
