#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "plan/case.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// A case as compiled, and the verdict on the window of each of its kernels (ascending repeat count).
struct Examined {
  Expected<Build> build;
  std::vector<Verdict> verdicts;

  [[nodiscard]] bool skipped() const { return !build && build.error().code == "unsupported-arch"; }
  /// Compiled, and every window is what the probe claims.
  [[nodiscard]] bool verified() const;
  /// The first verdict that is not "verified", or null.
  [[nodiscard]] const Verdict* objection() const;
};

struct ExamineOptions {
  std::string cache_dir;  ///< empty: base/paths.hpp, cache_dir()
  std::string nvdisasm;   ///< empty: found
  bool ptx = false;
  bool quiet = false;  ///< no progress on the terminal
};

/// The one reason why nothing could be compiled, where it is the same for all of several kernels and lies in no source
/// file: then it is this machine's.
[[nodiscard]] std::optional<Error> why_none_compiled(const std::vector<Expected<Build>>& builds);

/// Compiles, disassembles and verifies every case, on all cores. Errors: "nvdisasm" when there is none, and that of
/// why_none_compiled().
[[nodiscard]] Expected<std::vector<Examined>> examine(const std::vector<Case>& cases, const Sources& sources,
                                                      const ExamineOptions& options);

}  // namespace warpclock
