#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "plan/case.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// A compiled case, and the verdict on the window of each of its kernels (ascending repeat count).
struct CompiledCase {
  Expected<Build> build;
  std::vector<Verdict> verdicts;

  [[nodiscard]] bool skipped() const { return !build && build.error().code == ErrorCode::UnsupportedArch; }
  /// Whether it was compiled and every window is what the probe claims.
  [[nodiscard]] bool verified() const;
  /// The first verdict other than "verified", or null.
  [[nodiscard]] const Verdict* rejection() const;
};

struct CompileCasesOptions {
  std::string cache_dir;  ///< empty: cache_dir() of base/files/paths.hpp
  std::string nvdisasm;   ///< empty: searched for
  bool ptx = false;
  bool quiet = false;  ///< no progress on the terminal
};

/// The common reason why nothing could be compiled: an error that is the same for all of several kernels and is in no
/// source file, so that it lies with this machine. Else nothing.
[[nodiscard]] std::optional<Error> why_none_compiled(const std::vector<Expected<Build>>& builds);

/// "; shuffle/latency.cu never calls report()": of the calls that time a window, those that neither the kernel nor what
/// it includes has. Empty if it has all.
[[nodiscard]] std::string calls_missing(const std::string& kernel, const Sources& sources);

/// Compiles, disassembles and verifies every case on all cores. Errors: "nvdisasm" if there is none; that of
/// why_none_compiled().
[[nodiscard]] Expected<std::vector<CompiledCase>> compile_cases(const std::vector<Case>& cases, const Sources& sources,
                                                                const CompileCasesOptions& options);

}  // namespace warpclock
