#include "predict/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "code/word.hpp"

namespace warpclock {
namespace {

/// The cells of a line; a quoted one may hold commas, and two quotes for one.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool twice = quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (twice)
      cells.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else if (line[i] != '\r')
      cells.back() += line[i];
  }
  return cells;
}

/// "1,024" and "1024".
std::optional<std::int64_t> count_of(std::string text) {
  std::erase(text, ',');
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

Expected<ExecutedCounts> parse_counts(std::string_view csv) {
  ExecutedCounts counts;
  std::optional<std::size_t> column, source;
  int number = 0;
  const auto place = [&] { return fmt::format("line {}", number); };
  for (const std::string& line : lines(csv)) {
    ++number;
    const std::vector<std::string> cells = cells_of(line);
    const auto named = std::ranges::find(cells, "Instructions Executed");
    if (named != cells.end() && column && !counts.by_address.empty())
      return fail("counts", "the counts of a second kernel begin here: export one kernel, or one launch of it, alone",
                  place());
    if (!column || named != cells.end()) {
      if (named != cells.end()) column = static_cast<std::size_t>(named - cells.begin());
      const auto text = std::ranges::find(cells, "Source");
      if (text != cells.end()) source = static_cast<std::size_t>(text - cells.begin());
      continue;
    }
    if (trim(line).empty()) continue;
    const auto count = *column < cells.size() ? count_of(cells[*column]) : std::nullopt;
    // The line below the heads has units.
    if (!count && counts.by_address.empty()) continue;
    if (!count) return fail("counts", "there is no number of executed instructions", place());
    counts.by_address.emplace(static_cast<std::int64_t>(counts.by_address.size() * word_bytes), *count);
    const auto instruction = source && *source < cells.size() ? parse_instruction(cells[*source]) : std::nullopt;
    if (instruction) counts.opcodes.push_back(instruction->opcode);
  }
  if (!column) return fail("counts", "there is no column 'Instructions Executed': export by ncu --page source --csv");
  if (counts.by_address.empty()) return fail("counts", "there is no instruction below the heads of the columns");
  if (counts.opcodes.size() != counts.by_address.size()) counts.opcodes.clear();
  return counts;
}

Expected<void> counts_are_of(const ExecutedCounts& counts, const Listing& listing) {
  const auto& code = listing.instructions;
  const std::size_t counted = counts.by_address.size();
  // What pads a kernel may be left out of the export.
  const bool pads = counted <= code.size() &&
                    std::all_of(code.begin() + static_cast<std::ptrdiff_t>(counted), code.end(),
                                [](const Instruction& one) { return one.opcode == "NOP" || one.opcode == "BRA"; });
  constexpr const char* fix = "give those of this kernel and this machine code";
  if (!pads)
    return fail("counts", fmt::format("the counts are of another kernel: they have {} instructions, and this one has "
                                      "{}: {}",
                                      counted, code.size(), fix));
  // Versions of the disassembler may name a few instructions differently.
  constexpr std::size_t one_of = 20;
  std::vector<std::size_t> other;
  for (std::size_t i = 0; i < std::min(counts.opcodes.size(), code.size()); ++i) {
    if (counts.opcodes[i] != code[i].opcode) other.push_back(i);
  }
  if (one_of * other.size() <= counts.opcodes.size()) return {};
  const std::size_t first = other.front();
  return fail("counts", fmt::format("the counts are of another kernel: they have {} where this one has {:#06x} {}: {}",
                                    counts.opcodes[first], code[first].address, code[first].opcode, fix));
}

}  // namespace warpclock
