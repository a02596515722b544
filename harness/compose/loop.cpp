#include "compose/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <vector>

#include "code/word.hpp"
#include "compose/filling.hpp"

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

namespace {

constexpr std::uint32_t any = 0xffffffff;

}  // namespace

Expected<std::vector<Copy>> set_count(const Movers& movers, const Trips& trips) {
  return std::vector{WARPCLOCK_TRY(moved_by(movers.vector, trips.counter, -1)),
                     WARPCLOCK_TRY(counted_by(movers, trips.counter, trips.count))};
}

Expected<void> run_in_loop(Filling& filling, const Hole& hole, const Movers& movers, const Trips& trips) {
  std::vector<Copy> end;
  if (trips.in_step) end.push_back(WARPCLOCK_TRY(meeting(movers)));
  end.push_back(WARPCLOCK_TRY(counted_by(movers, trips.counter, -1)));
  end.push_back(WARPCLOCK_TRY(any_bit_of(movers, trips.predicate, trips.counter, any)));
  const auto back = std::ssize(filling.window) + std::ssize(end) + 1;
  end.push_back(WARPCLOCK_TRY(branch_over(hole.to_itself, -back, trips.predicate)));
  std::vector<Word> words = wired(end);
  words.front() = waiting_for(words.front(), filling.window);
  give_time_to_set(filling.window.back(), decode_control(words.front().high).wait_mask);
  filling.window.insert(filling.window.end(), words.begin(), words.end());
  for (const Copy& copy : end) filling.placed.push_back(placed_word(copy));
  return {};
}

}  // namespace warpclock
