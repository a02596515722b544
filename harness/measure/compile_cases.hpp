#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "plan/plan.hpp"
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
  std::string cache_dir;  ///< empty: cache_dir() of base/files/file.hpp
  std::string nvdisasm;   ///< empty: searched for
  bool ptx = false;
  bool quiet = false;  ///< no progress on the terminal
};

/// The common reason why nothing could be compiled: an error that is the same for all of several kernels and is in no
/// source file, so that it lies with this machine. Else nothing.
[[nodiscard]] std::optional<Error> why_none_compiled(const std::vector<Expected<Build>>& builds);

/// Compiles, disassembles and verifies every case on all cores. Errors: "nvdisasm" if there is none; that of
/// why_none_compiled().
[[nodiscard]] Expected<std::vector<CompiledCase>> compile_cases(const std::vector<Case>& cases, const Sources& sources,
                                                                const CompileCasesOptions& options);

/// Examines cases in their order on threads of its own, first a small part and then the rest, so that the first cases
/// are measured while the others are still compiled.
class CaseCompiler {
 public:
  /// `examined` is resized to the number of cases. Element i may be read after wait(i). All three must outlive this
  /// object.
  CaseCompiler(const std::vector<Case>& cases, const Sources& sources, CompileCasesOptions options,
               std::vector<CompiledCase>& compiled);
  CaseCompiler(const CaseCompiler&) = delete;
  CaseCompiler& operator=(const CaseCompiler&) = delete;
  /// Waits for the part in progress and does not start another.
  ~CaseCompiler() { stop_ = true; }

  /// Waits until case `i` has been examined. Error "nvdisasm", the same for all cases.
  [[nodiscard]] Expected<void> wait(std::size_t i);

  /// Waits until all cases have been examined. Returns the seconds since the start.
  [[nodiscard]] Expected<double> finish();

 private:
  Expected<void> compile(std::size_t from, std::size_t to);

  const std::vector<Case>& cases_;
  const Sources& sources_;
  CompileCasesOptions options_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::vector<CompiledCase>& compiled_;
  std::size_t end_of_first_ = 0;
  double seconds_ = 0;
  std::atomic<bool> stop_ = false;
  std::shared_future<Expected<void>> first_, rest_;  ///< last, so that they end before what they use
};

}  // namespace warpclock
