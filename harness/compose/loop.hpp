#pragma once

#include <cstddef>
#include <vector>

#include "base/error.hpp"
#include "code/word.hpp"
#include "compose/filling.hpp"
#include "compose/hole.hpp"
#include "compose/movers.hpp"

namespace warpclock {

/// A branch over `words` words that follow it, or back over -`words` words that end with it, made of the word of a
/// branch to itself. ptxas ends every kernel with
/// such a word, whose distance is -16 bytes: all bits of its field are set, but for the two that count single words of
/// 4 bytes. So the field is found without knowing the architecture. It is taken by the threads in which the predicate
/// `guard` is true; -1 for all. Error "compose" if the word has no such field.
[[nodiscard]] Expected<Copy> branch_over(const Word& to_itself, std::int64_t words, int guard = -1);

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
