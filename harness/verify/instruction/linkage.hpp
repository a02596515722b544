#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "verify/instruction/expansion.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// How the copies of a latency experiment depend on each other.
struct Linkage {
  std::optional<double> encoded_cycles;  ///< from copy to copy, links included; nothing if a scoreboard decides
  double waited_cycles = 0;              ///< the part of encoded_cycles that the hardware adds to the stall counts
  std::string unencoded;                 ///< why there is no such distance
  bool separable = true;                 ///< the chain repeats evenly, so the cost of the links can be subtracted
  std::vector<std::pair<std::string, double>> via;  ///< links on the chain, each with its encoded cycles
};

/// The windows of an experiment whose content has already been judged.
struct Copies {
  const std::vector<Kernel>& kernels;    ///< ascending repeat counts
  const std::vector<Verdict>& verdicts;  ///< one per kernel
  const Expansion& expansion;
  const Kinds& links;   ///< what each copy adds to the window besides the expansion
  bool uneven = false;  ///< moves into place differ from copy to copy, so no distance can be given
  bool block = false;   ///< several PTX instructions: the path may also hold what leads to the chain
};

/// Checks that one path through registers runs through all copies and grows by the same steps with each. Errors:
/// "broken-chain", "ambiguous-link", "unknown-link".
[[nodiscard]] Expected<Linkage> linkage_of(const Copies& copies);

}  // namespace warpclock
