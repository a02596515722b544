#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "build/word.hpp"
#include "code/form.hpp"

namespace warpclock {

/// What a window of copies of one machine instruction shall be.
struct CopyPlan {
  int n = 1;
  int chains = 1;              ///< copy i writes the registers of chain i % chains
  std::optional<int> through;  ///< the source operand (0 is the first) that reads what its chain's last copy wrote
  int stall = 1;               ///< cycles from each copy to the next, 1 to 15
  bool yield = false;
};

/// The words of the copies. Results, and the operand that a chain goes through, are in the registers of one of `quads`
/// each; every other source has a quad of its own, the same for all copies. Where ptxas sets a scoreboard for the
/// result, each copy sets one, for which the next copy of its chain waits. Errors: "compose" for an instruction that
/// the hole has no operands for (addresses, uniform registers, more registers than a quad in one operand) or more
/// chains than quads; "field" where a register of the form is not known.
[[nodiscard]] Expected<std::vector<Word>> compose_copies(const WordForm& form, std::span<const int> quads,
                                                         const CopyPlan& copies);

}  // namespace warpclock
