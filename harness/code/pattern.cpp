#include "code/pattern.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace warpclock {

bool matches(const Instruction& instruction, std::string_view pattern) {
  const std::vector<std::string> words = split(trim(pattern), '.');
  if (words.front() != instruction.opcode) return false;
  std::vector<std::string> left = instruction.modifiers;
  return std::all_of(words.begin() + 1, words.end(), [&left](const std::string& word) {
    const auto found = std::ranges::find(left, word);
    if (found == left.end()) return false;
    left.erase(found);
    return true;
  });
}

bool matches_any(const Instruction& instruction, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(instruction, pattern); });
}

}  // namespace warpclock
