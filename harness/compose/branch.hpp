#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "code/word.hpp"
#include "compose/wiring.hpp"

namespace warpclock {

/// A branch over `words` words that follow it, or back over -`words` words that end with it, made of the word of a
/// branch to itself. ptxas ends every kernel with
/// such a word, whose distance is -16 bytes: all bits of its field are set, but for the two that count single words of
/// 4 bytes. So the field is found without knowing the architecture. It is taken by the threads in which the predicate
/// `guard` is true; -1 for all. Error "compose" if the word has no such field.
[[nodiscard]] Expected<Copy> branch_over(const Word& to_itself, std::int64_t words, int guard = -1);

}  // namespace warpclock
