#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "compose/copies/body.hpp"
#include "compose/copies/composing.hpp"
#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"
#include "verify/instruction/executed.hpp"
#include "verify/instruction/verify_instruction.hpp"

namespace warpclock {

/// The one machine instruction that a PTX instruction becomes, and where its operands are in it. What is measured of
/// its form holds for the PTX instruction.
struct OneWord {
  std::string form;  ///< key of its form (fields/form_table.hpp)
  /// By operand of the PTX instruction: the source operands of the form that read it, by index.
  std::vector<std::vector<int>> sources;
  /// Keys of the forms that ptxas uses as well where it makes several copies; the first of each opcode.
  std::vector<std::string> others;

  /// The keys of all of them, its own first.
  [[nodiscard]] std::vector<std::string> forms() const;
  bool operator==(const OneWord&) const = default;
};

/// One experiment, compiled and judged.
struct Trial {
  Experiment experiment;
  std::string tried;  ///< what else was tried, and why it did not help
  InstructionVerdict verdict;
  std::vector<TrialKernel> kernels;  ///< by repeat count
  /// Of a composed chain in registers. What both compute is the same, or the copies read too early.
  std::optional<ComparedKernels> compared;
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

/// Compiles one instance of each instruction, then composes its copies for every experiment, with repeat counts that
/// suit its size. Where that cannot be done (a branch, a call), the compiler makes the copies. An instruction that is
/// one machine instruction, and of whose operands no value is chosen, needs no experiment where its form answers. If
/// ptxas may choose between opcodes for it, its copies are compiled to see what ptxas makes of them.
[[nodiscard]] std::vector<CompiledInstruction> compile_instructions(
    const std::vector<const PtxInstruction*>& instructions, const Arch& arch, const CompileInstructionOptions& options);

}  // namespace warpclock
