#include "compose/loop.hpp"

#include <cstdint>
#include <iterator>
#include <vector>

#include "code/word.hpp"
#include "compose/branch.hpp"
#include "compose/wiring.hpp"

namespace warpclock {
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
