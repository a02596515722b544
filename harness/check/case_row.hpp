#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "check/study.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"
#include "model/machine.hpp"
#include "predict/predict.hpp"
#include "record/kernel_error.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The counter whose value is the cycles of a launch: those in which an SM had a warp, of the SM that had most.
inline constexpr const char* cycles_counter = "sm__cycles_active.max";

/// CUPTI's names of what decides the limiter on GPUs from sm_80 on, the cycles among them.
[[nodiscard]] const std::vector<std::string>& limit_counters();

/// How much of each resource was used, highest first. Issue slots, pipes and units: of the peak that CUPTI knows. L2
/// and DRAM: bytes over the rates of the model, which the hardware reaches; without such a row they are left out.
[[nodiscard]] std::vector<ResourceShare> resource_shares(const std::map<std::string, double>& counted,
                                                         const Machine& machine);

/// The first resource; "one warp alone" if none is used enough to limit the kernel, so that its latencies do.
[[nodiscard]] std::string limiter_of(const std::vector<ResourceShare>& shares);

/// How a case is predicted.
[[nodiscard]] PredictOptions options_of(const KernelCase& one);

/// The row of a case before it ran: skipped, with its prediction or why there is none. If it cannot be built, it is
/// failed.
[[nodiscard]] Row predicted_row(const KernelCase& one, const Expected<BuiltKernel>& built, const Machine& machine);

/// What a worker runs. Counters may be empty.
[[nodiscard]] Job job_of(const KernelCase& one, const BuiltKernel& built, const std::vector<std::string>& counters);

/// The worker's answer: the row is measured, or failed with the reason.
void add_answer(Row& row, Expected<Observation> seen, const Machine& machine);

/// The errors of rows that were predicted and measured, in percent, by the middle of the prediction.
struct ErrorSummary {
  std::size_t count = 0;
  double median = 0;  ///< of the absolute errors
  double within = 0;  ///< 95 % of the absolute errors are not larger
  double worst = 0;   ///< signed, the one with the largest absolute value
  std::string worst_id;
  std::size_t decided = 0, agreed = 0;  ///< rows whose limiter counters show, and those where the prediction agrees
};

[[nodiscard]] ErrorSummary summary_of(std::span<const Row> rows);

/// "all: 24 kernels, median error 2.1 %, 95 % within 9.0 %, worst -18.2 % (softmax[…]); the limiter is right in 20 of
/// 24", then those of parts of the rows. Parts without errors are left out.
[[nodiscard]] std::vector<std::string> error_lines(std::span<const Row> rows);

/// "-5.8 %", or "-5.8 to +1.0 %" if the prediction is a range.
[[nodiscard]] std::string error_text(const SignedError& error);

/// "L2 91 %, issue 40 %": the highest few.
[[nodiscard]] std::string shares_text(const std::vector<ResourceShare>& shares, std::size_t most = 3);

/// "82 % of cuBLAS 13.1.0", or that the library was not timed; empty without a library to compare with.
[[nodiscard]] std::string library_text(const Row& row);

/// A case: what was predicted, what was measured, and what limits it by each.
[[nodiscard]] std::string row_text(const Row& row, const Style& style);

/// "48 measured, 2 failed; 3 without a prediction", and the lines of error_lines().
[[nodiscard]] std::string table_text(const Record& table);

}  // namespace warpclock
