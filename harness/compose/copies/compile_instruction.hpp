#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "compose/copies/one_word.hpp"
#include "ptx/experiment/experiment.hpp"
#include "verify/instruction/executed.hpp"
#include "verify/instruction/verify_instruction.hpp"

namespace warpclock {

/// Where to find the kernel of one repeat count of a trial.
struct TrialKernel {
  std::int64_t n = 0;
  std::string symbol, cubin_path;

  bool operator==(const TrialKernel&) const = default;
};

/// One experiment, compiled and judged.
struct Trial {
  Experiment experiment;
  std::string tried;  ///< what else was tried, and why it did not help
  InstructionVerdict verdict;
  std::vector<TrialKernel> kernels;  ///< by repeat count
  /// Instructions that a warp executes in one launch of each kernel; nothing if the operands decide.
  std::vector<std::optional<std::int64_t>> executed;
  /// What a warp executes in the largest kernel beyond the next smaller one; negative counts mean less. If the operands
  /// decide, the difference of their windows.
  Code further;
  int registers = 0;      ///< per thread, the maximum over its kernels
  Listing shown;          ///< of the smallest repeat count, or of the first rejected kernel
  std::size_t which = 0;  ///< its index among the verdicts
};

/// What can be found out about an instruction on one architecture without a GPU.
struct CompiledInstruction {
  std::optional<Error> problem;  ///< "unsupported-arch", "compile-error", "folded", ...: if set, the rest is empty
  Expansion expansion;
  std::optional<OneWord> word;  ///< if the row of its form answers; then no latency is compiled
  std::vector<Trial> trials;
};

struct CompileInstructionOptions {
  BuildOptions build;
  bool throughput = true;
  bool lone_throughput = false;  ///< a throughput only if no latency can be measured
  /// Whether measuring a form answers for the instructions that become it alone. Empty: none does.
  std::function<bool(const WordForm&)> answers;
};

/// Compiles one instance of each instruction, then every experiment with repeat counts that suit its size. If the
/// compiler merged or rewrote the copies, those of an experiment are composed of the machine code of the one instance.
/// Blocks are composed in the first place: what no later copy reads, the compiler would drop. An instruction that is
/// one machine instruction, and of whose operands no value is chosen, needs no experiment where its form answers. If
/// ptxas may choose between opcodes for it, its copies are compiled to see what ptxas makes of them.
[[nodiscard]] std::vector<CompiledInstruction> compile_instructions(
    const std::vector<const PtxInstruction*>& instructions, const Arch& arch, const CompileInstructionOptions& options);

}  // namespace warpclock
