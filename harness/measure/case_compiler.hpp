#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "measure/compile_cases.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// Examines cases in their order on a separate thread, first a small part and then the rest, so that the first cases
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
  ~CaseCompiler();

  /// Waits until case `i` has been examined. Error "nvdisasm", the same for all cases.
  [[nodiscard]] Expected<void> wait(std::size_t i);

  /// Waits until all cases have been examined. Returns the seconds since the start.
  [[nodiscard]] Expected<double> finish();

 private:
  void work();
  [[nodiscard]] std::size_t end_of_first_part() const;

  const std::vector<Case>& cases_;
  const Sources& sources_;
  CompileCasesOptions options_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CompiledCase>& compiled_;
  std::size_t known_ = 0;  ///< the first so many cases have been examined
  std::optional<Error> error_;
  double seconds_ = 0;
  bool stop_ = false;

  std::thread thread_;
};

}  // namespace warpclock
