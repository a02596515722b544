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

/// What the windows of one experiment prove, taken over all repeat counts.
struct InstructionVerdict {
  std::string code{verified_code};  ///< or the code of the first rule that fails
  std::string text;                 ///< the sentence a reader can act on; empty when verified
  std::vector<Verdict> verdicts;    ///< one per kernel: opcodes, hash, position of the window
  Kinds copy;                       ///< machine instructions that each copy adds to the window
  /// Latency: cycles from one copy to the next that the control fields encode, plus those that the hardware is known to
  /// add. Nothing if a scoreboard decides.
  std::optional<double> encoded_cycles;
  double waited_cycles = 0;  ///< the part of encoded_cycles that the hardware adds
  std::string unencoded;     ///< Latency: why there is no such distance
  /// Latency: the instructions on the chain between two copies, each with the cycles that its encoding gives it.
  std::vector<std::pair<std::string, double>> via;
  std::string note;  ///< what a reader must know to interpret the number: work of one instance that copies share

  [[nodiscard]] bool verified() const { return code == verified_code; }
};

/// Judges the kernels of an experiment (ascending repeat counts, at least three) against the expansion of one instance.
///
/// The windows of n copies are verified when
/// - each further copy adds the same machine instructions to the window, including all those of one instance;
/// - whatever else it adds is moves and conversions that link the copies, and a throughput window has none of those;
/// - what does not grow with n only reads results before the closing clock read;
/// - for a latency, one path through registers runs through all copies, and grows by the same steps with each;
/// - clock reads, waits and flow are those of verify().
[[nodiscard]] InstructionVerdict verify_instruction(const std::vector<Kernel>& kernels,
                                                    const PtxInstruction& instruction, const Experiment& experiment,
                                                    const Expansion& expansion);

}  // namespace warpclock
