#pragma once

#include <vector>

#include "base/error.hpp"
#include "compose/filling.hpp"
#include "compose/hole.hpp"
#include "compose/movers.hpp"
#include "compose/wiring.hpp"

namespace warpclock {

/// How often the words of a window run.
struct Trips {
  int count = 1;
  int counter = 0;      ///< a register that nothing else in the filling names
  int predicate = 0;    ///< one whose value no trip needs from the one before
  bool in_step = true;  ///< the warps of the block meet at a barrier in each trip
};

/// The words before the window that set the count. Error "compose" if the movers lack one.
[[nodiscard]] Expected<std::vector<Copy>> set_count(const Movers& movers, const Trips& trips);

/// Makes the window of a filling the body of a loop. Behind its words come those of the loop, in this order: the
/// barrier, the count, which waits for every scoreboard that the window sets, the test and the branch back. These are
/// the same for any number of words, so the difference of two windows has none of them. Error "compose" if the movers
/// lack a word.
[[nodiscard]] Expected<void> run_in_loop(Filling& filling, const Hole& hole, const Movers& movers, const Trips& trips);

}  // namespace warpclock
