#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "ptx/experiment/experiment.hpp"
#include "verify/instruction/executed.hpp"
#include "verify/instruction/inspect.hpp"

namespace warpclock {

/// Where a repeat count of a trial is.
struct TrialKernel {
  std::int64_t n = 0;
  std::string symbol, cubin_path;

  bool operator==(const TrialKernel&) const = default;
};

/// One experiment, compiled and judged.
struct Trial {
  Experiment experiment;
  Experiment last;    ///< the last trick that was tried, when none helped
  std::string tried;  ///< what the tricks led to instead
  Inspection inspection;
  std::vector<TrialKernel> kernels;  ///< by repeat count
  /// Instructions a warp executes of each kernel in a launch; nothing where its operands decide.
  std::vector<std::optional<std::int64_t>> executed;
  /// What a warp executes of the largest kernel and not of the one before it; less is negative. Where the operands
  /// decide, what their windows hold.
  Code further;
  int registers = 0;      ///< of a thread, the most of its kernels
  Listing shown;          ///< of the smallest repeat count, or of the first rejected one
  std::size_t which = 0;  ///< its index among the verdicts
};

/// What is known of an instruction on one architecture with no GPU.
struct Study {
  std::optional<Error> problem;  ///< "unsupported-arch", "compile-error", "folded", ...: then there is nothing else
  Expansion expansion;
  std::vector<Trial> trials;
};

struct StudyOptions {
  BuildOptions build;
  bool throughput = true;
  bool lone_throughput = false;  ///< one where no latency can be asked for
};

/// Compiles one instance of each instruction, then every experiment with repeat counts that suit its size, and then,
/// with one trick after another, those whose copies the compiler merged or rewrote.
[[nodiscard]] std::vector<Study> study(const std::vector<const PtxInstruction*>& instructions, const Arch& arch,
                                       const StudyOptions& options);

}  // namespace warpclock
