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

/// A number that a row shows in addition to its time: an estimate's name, value and unit.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
};

struct BenchOptions {
  /// Google Benchmark's flags, --benchmark_*. The filter is a regular expression (ECMAScript) over case ids, with a
  /// leading '-' for those that do not match.
  std::vector<std::string> flags;
  /// What to show of one repetition's observation. An error turns the row into an error row; the observation is kept.
  std::function<Expected<std::vector<Figure>>(std::size_t job, const Observation&)> figures;
  /// Called once for each job that was run, as soon as its last repetition is done. After an error no more jobs are
  /// run.
  std::function<Expected<void>(std::size_t job, const Expected<Observation>&)> on_result;
  /// Keys and values for the context that Google Benchmark writes into its files.
  std::vector<std::pair<std::string, std::string>> context;
  /// Where rows and the progress bar go. Null is standard output; the bar appears only on a terminal.
  std::ostream* out = nullptr;
  bool quiet = false;  ///< no rows and no bar; a format of Google Benchmark that the flags name is written all the same
};

/// Indexed by job. Empty for a job that the filter left out or that came after the end of the run.
using BenchResults = std::vector<std::optional<Expected<Observation>>>;

using RunJob = std::function<Expected<Observation>(const Job&)>;

/// Runs jobs as Google Benchmark benchmarks named by case id. The time of a row is the median window at the largest
/// repeat count: cycles over the SM clock, or cycles as nanoseconds if the clock is unknown. The counters are `cycles`,
/// `n`, `sm_mhz` and the figures. Repetitions append their samples to one observation. A failed job is an error row and
/// has no further repetitions. After the error "device-lost" no more jobs are run.
///
/// Files (--benchmark_out) and formats are Google Benchmark's own, so its compare.py reads them; CSV has only the fixed
/// counters. A file is written whole, after the last job. Without --benchmark_format the rows have our format: "[
/// 12/213] shuffle/latency[mode=idx]  24 cycles". Uses Google Benchmark's global state, so it must not run in two
/// threads at once. Errors: "usage" (a flag), "io"
/// (--benchmark_out cannot be written), that of
/// `on_result`.
[[nodiscard]] Expected<BenchResults> run_benchmarks(const std::vector<Job>& jobs, const RunJob& run,
                                                    const BenchOptions& options = {});

}  // namespace warpclock
