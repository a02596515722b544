#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "verify/instruction/expansion.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// How the copies of a latency experiment follow each other.
struct Linkage {
  std::optional<double> encoded_cycles;  ///< from copy to copy, links included; nothing where a scoreboard decides
  double waited_cycles = 0;              ///< of them, what the hardware adds to the stall counts
  std::string unencoded;                 ///< why there is no such distance
  bool told = true;                      ///< the chain repeats evenly, so that links can be taken off
  std::vector<std::pair<std::string, double>> via;  ///< links on the chain, each with the cycles its encoding gives it
};

/// The windows of an experiment whose content has been judged.
struct Copies {
  const std::vector<Kernel>& kernels;    ///< ascending repeat counts
  const std::vector<Verdict>& verdicts;  ///< one a kernel
  const Expansion& expansion;
  const Kinds& links;   ///< what each copy adds to the window beside the expansion
  bool uneven = false;  ///< what brings values into place differs from copy to copy: no distance can be told
  bool block = false;   ///< of several PTX instructions: what leads to its chain may be on the path as well
  bool told = true;     ///< of a block: what is beside the chain can be told from what is on it
  std::function<bool(const Instruction&)> beside;  ///< is in the window, and not on the chain
};

/// One path through registers that runs through all copies and grows by the same steps with each. Errors:
/// "broken-chain", "ambiguous-link", "unknown-link".
[[nodiscard]] Expected<Linkage> linkage_of(const Copies& copies);

}  // namespace warpclock
