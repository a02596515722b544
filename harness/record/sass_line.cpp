#include "record/sass_line.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpclock {

std::string sass_line(const Instruction& instruction) {
  const Control& control = instruction.control;
  std::string waits = "------";
  for (unsigned i = 0; i < 6; ++i) {
    if ((control.wait_mask >> i & 1u) != 0) waits[i] = static_cast<char>('0' + i);
  }
  const auto barrier = [](int number) { return number < 0 ? std::string("-") : std::to_string(number); };
  return fmt::format("B{}:R{}:W{}:{}:S{:02}  {}{}", waits, barrier(control.read_barrier),
                     barrier(control.write_barrier), control.yield ? 'Y' : '-', control.stall,
                     instruction.predicate.empty() ? "" : "@" + instruction.predicate + " ", instruction.text);
}

std::vector<std::string> sass_lines(const Listing& listing, const Verdict& verdict) {
  std::vector<std::string> lines;
  const std::size_t end = std::min(verdict.close + 1, listing.instructions.size());
  if (verdict.close <= verdict.open || verdict.open >= end) return lines;
  const std::size_t count = end - verdict.open;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > most_sass_lines && i == most_sass_lines / 2) {
      lines.push_back(fmt::format("... {} more instructions ...", count - most_sass_lines));
      i += count - most_sass_lines;
    }
    lines.push_back(sass_line(listing.instructions[verdict.open + i]));
  }
  return lines;
}

}  // namespace warpclock
