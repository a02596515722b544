#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "check/case_builder.hpp"
#include "check/study.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"
#include "model/machine.hpp"
#include "predict/predict.hpp"
#include "record/kernel_record.hpp"

namespace warpclock {

/// How a case is predicted.
[[nodiscard]] PredictOptions options_of(const KernelCase& one);

/// The row of a case before it ran: skipped, with its prediction or why there is none. If it cannot be built, it is
/// failed.
[[nodiscard]] KernelRow predicted_row(const KernelCase& one, const Expected<BuiltKernel>& built,
                                      const Machine& machine);

/// What a worker runs. Counters may be empty.
[[nodiscard]] Job job_of(const KernelCase& one, const BuiltKernel& built, const std::vector<std::string>& counters);

/// The worker's answer: the row is measured, or failed with the reason.
void add_answer(KernelRow& row, Expected<Observation> seen, const Machine& machine);

}  // namespace warpclock
