#include "compose/branch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace warpclock {
namespace {

// The distance is somewhere in these bits; below them is the guard, above them what ptxas sets otherwise.
constexpr unsigned first_bit = 16, last_bit = 81, guard_bit = 12, true_predicate = 7;
constexpr unsigned unit = 4;          // bytes
constexpr std::size_t sign_bit = 63;  // of a distance
// The stall count that ptxas 13 gives a branch.
constexpr int branch_stall = 5;

}  // namespace

Expected<Copy> branch_over(const Word& to_itself, std::int64_t words, int guard) {
  constexpr unsigned clear = std::countr_zero(word_bytes / unit);
  Word word = to_itself;
  std::vector<unsigned> field;
  for (unsigned bit = first_bit; bit <= last_bit; ++bit) {
    if (bit_of(word, bit)) field.push_back(bit);
  }
  if (field.empty() || field.front() < first_bit + clear) {
    return fail("compose", "a branch to itself does not show where its distance is encoded");
  }
  for (unsigned below = 1; below <= clear; ++below) field.insert(field.begin(), field.front() - 1);
  const std::int64_t distance = words * static_cast<std::int64_t>(word_bytes / unit);
  for (std::size_t i = 0; i < field.size(); ++i) {
    word = with_bit(word, field[i], (distance >> std::min(i, sign_bit) & 1) != 0);
  }
  const unsigned predicate = guard < 0 ? true_predicate : static_cast<unsigned>(guard);
  for (unsigned i = 0; i < 3; ++i) {
    word = with_bit(word, guard_bit + i, (predicate >> i & 1) != 0);
  }
  Copy copy;
  copy.key = guard < 0 ? "BRA" : fmt::format("@P{} BRA", guard);
  copy.word = word;
  if (guard >= 0) copy.effects.guard = {{RegisterFile::Predicate, guard}};
  copy.distance = (words + 1) * static_cast<std::int64_t>(word_bytes);
  copy.stall = branch_stall;
  return copy;
}

}  // namespace warpclock
