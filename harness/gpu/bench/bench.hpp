#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// A number that a row shows beside its time: an estimate's name, value and unit.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
};

struct BenchOptions {
  /// Google Benchmark's flags, --benchmark_*. The filter is a regular expression (ECMAScript) over case ids, with a
  /// leading '-' for those that do not match.
  std::vector<std::string> flags;
  /// What to show of an observation (one repetition's). An error makes the row an error row; the observation stays.
  std::function<Expected<std::vector<Figure>>(std::size_t job, const Observation&)> figures;
  /// Called once for each job that was run, as soon as its last repetition is done.
  std::function<void(std::size_t job, const Expected<Observation>&)> on_result;
  /// Keys and values for the context that Google Benchmark writes into its files.
  std::vector<std::pair<std::string, std::string>> context;
  /// Rows and the progress bar; null for standard output, where a terminal gets the bar.
  std::ostream* out = nullptr;
};

/// By job; empty for one that the filter left out, or that came after the device was lost.
using BenchResults = std::vector<std::optional<Expected<Observation>>>;

using RunJob = std::function<Expected<Observation>(const Job&)>;

/// Runs jobs as Google Benchmark benchmarks named by case id. The time of a row is the median window at the largest
/// repeat count (cycles over the SM clock; cycles as nanoseconds where the clock is unknown); counters are `cycles`,
/// `n`, `sm_mhz` and the figures. Repetitions append their samples to one observation. A failed job is an error row,
/// and has no further repetitions; after the error "device-lost" no more jobs are run.
///
/// Files (--benchmark_out) and formats are Google Benchmark's own, so its compare.py reads them; CSV has the fixed
/// counters only. Without --benchmark_format the rows are ours: "[ 12/213] shuffle/latency[mode=idx]  24 cycles".
/// Uses Google Benchmark's global state: not for two threads.
/// Errors: "usage" (a flag), "io" (--benchmark_out cannot be written).
[[nodiscard]] Expected<BenchResults> run_benchmarks(const std::vector<Job>& jobs, const RunJob& run,
                                                    const BenchOptions& options = {});

}  // namespace warpclock
