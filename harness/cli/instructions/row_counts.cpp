#include "cli/instructions/row_counts.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "base/terminal.hpp"

namespace warpclock {

bool is_sound(const InstructionRecord& row) {
  return row.outcome == Outcome::Measured || (row.outcome == Outcome::Skipped && row.reason.code == ErrorCode::NotRun);
}

void RowCounts::add(const InstructionRecord& row) {
  if (is_sound(row)) {
    ++sound;
  } else if (row.outcome == Outcome::Skipped) {
    ++skipped;
  } else {
    ++(row.outcome == Outcome::Failed ? failed : rejected);
  }
}

RowCounts count_rows(const std::vector<InstructionRecord>& rows, const char* done, bool quiet) {
  std::map<std::string, RowCounts> families;
  RowCounts all;
  const Style style(Stream::Out);
  for (const InstructionRecord& row : rows) {
    families[row.family].add(row);
    all.add(row);
    if (is_sound(row) || row.outcome == Outcome::Skipped) continue;
    constexpr std::size_t most = 160;
    const std::string text = row.reason.text.size() > most ? row.reason.text.substr(0, most) + "..." : row.reason.text;
    fmt::print("{} {}: {}: {}\n", row.outcome == Outcome::Failed ? style.red("failed  ") : style.yellow("rejected"),
               row.id, row.reason.code, text);
  }
  if (quiet) return all;
  for (const auto& [family, count] : families) {
    fmt::print("{:<14} {:>4} {}, {:>3} rejected, {:>3} failed, {:>3} skipped\n", family, count.sound, done,
               count.rejected, count.failed, count.skipped);
  }
  return all;
}

}  // namespace warpclock
