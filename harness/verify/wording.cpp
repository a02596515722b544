#include "verify/wording.hpp"

#include <fmt/format.h>

namespace warpclock {

std::string code_of(const Instruction& instruction) {
  return instruction.predicate.empty() ? instruction.text
                                       : fmt::format("@{} {}", instruction.predicate, instruction.text);
}

std::string cite(const Listing& listing, std::size_t index) {
  const Instruction& instruction = listing.instructions[index];
  return fmt::format("'{}' at {:#06x}", code_of(instruction), instruction.address);
}

std::string times(long long count) {
  if (count == 0) return "0 times";
  if (count == 1) return "once";
  return count == 2 ? "twice" : fmt::format("{} times", count);
}

}  // namespace warpclock
