#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "measure/examine.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// Examines cases in their order on a thread of its own, a first part and then the rest, so that the first ones are
/// measured while the others are still compiled.
class Examination {
 public:
  /// `examined` becomes as many as `cases`; element i may be read from wait(i) on. All three must outlive it.
  Examination(const std::vector<Case>& cases, const Sources& sources, ExamineOptions options,
              std::vector<Examined>& examined);
  Examination(const Examination&) = delete;
  Examination& operator=(const Examination&) = delete;
  /// Waits for the part that is under way and begins no other.
  ~Examination();

  /// Until it is known what case `i` is. Error "nvdisasm", the same for all.
  [[nodiscard]] Expected<void> wait(std::size_t i);

  /// Until that is known of all; in how many seconds from the start.
  [[nodiscard]] Expected<double> finish();

 private:
  void work();
  [[nodiscard]] std::size_t end_of_first_part() const;

  const std::vector<Case>& cases_;
  const Sources& sources_;
  ExamineOptions options_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Examined>& examined_;
  std::size_t known_ = 0;  ///< so many of them, from the first on
  std::optional<Error> error_;
  double seconds_ = 0;
  bool stop_ = false;

  std::thread thread_;
};

}  // namespace warpclock
