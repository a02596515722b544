#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/build.hpp"
#include "ptx/experiment/experiment.hpp"
#include "verify/instruction/expansion.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// What the windows of one experiment prove, over its repeat counts.
struct Inspection {
  std::string code = "verified";  ///< or the first reason's code
  std::string text;               ///< the sentence a reader can act on; empty when verified
  std::vector<Verdict> verdicts;  ///< one a kernel: opcodes, hash, place of the window
  Kinds copy;                     ///< machine instructions that each copy adds to the window
  /// Latency: cycles from one copy to the next that the control fields encode, with what the hardware is known to add
  /// to them; nothing where a scoreboard decides.
  std::optional<double> encoded_cycles;
  double waited_cycles = 0;  ///< of them, what the hardware adds
  std::string unencoded;     ///< Latency: why there is no such distance
  /// Latency: what stands on the chain between two copies, and the cycles that its encoding gives it.
  std::vector<std::pair<std::string, double>> via;
  std::string note;  ///< what a reader needs beside the number: work of one instance that copies share

  [[nodiscard]] bool verified() const { return code == "verified"; }
};

/// Judges the kernels of an experiment (ascending repeat counts, three at least) against what one instance becomes.
///
/// The windows of n copies are verified when
/// - each further copy adds the same machine instructions to the window, and among them all that one instance becomes;
/// - whatever else it adds are moves and conversions that link the copies, and a throughput window has none of those;
/// - what does not grow with n only reads results for the closing clock;
/// - for a latency, one path through registers runs through all copies, and grows by the same steps with each;
/// - clock reads, waits and flow are those of verify().
[[nodiscard]] Inspection inspect(const std::vector<Kernel>& kernels, const PtxInstruction& instruction,
                                 const Experiment& experiment, const Expansion& expansion);

}  // namespace warpclock
