#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// Settings in Google Benchmark's flags that the run loop also needs.
struct BenchFlags {
  std::vector<std::string> arguments;  ///< for benchmark::Initialize, after the program's name
  std::string filter;
  std::string format;  ///< "console", "json", "csv", or empty if the user named none
  std::string out;     ///< --benchmark_out, or empty
  std::string out_format = "json";
  bool list = false;

  [[nodiscard]] bool uses_csv() const { return format == "csv" || (!out.empty() && out_format == "csv"); }
};

/// Indices of the ids that a filter selects. Error "usage" if it is not a regular expression.
[[nodiscard]] Expected<std::vector<std::size_t>> select(const std::vector<std::string>& ids, const std::string& filter);

/// A finished row, as the progress display shows it.
struct ProgressRow {
  std::string text;  ///< "24 cycles", or what went wrong
  bool failed = false;
};

using LookUpRow = std::function<ProgressRow(const std::string& id)>;

/// Prints lines like "[ 12/213] id  24 cycles". On a terminal (`width` > 0) it redraws one line with a bar, and prints
/// only failed rows on lines of their own.
class ProgressReporter : public benchmark::BenchmarkReporter {
 public:
  ProgressReporter(std::size_t total, int width, LookUpRow look_up)
      : total_(total), width_(width), look_up_(std::move(look_up)) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  void draw(const std::string& text);

  std::size_t total_, done_ = 0;
  int width_;
  LookUpRow look_up_;
  std::string last_id_;
};

/// Passes runs to another reporter with only the case's id as name, without the "/iterations:1/manual_time" that Google
/// Benchmark adds. Calls `on_row` once for each id before its runs are passed on. The other reporter writes into
/// `into`, or, if that is null, where Google Benchmark says.
class NamingReporter : public benchmark::BenchmarkReporter {
 public:
  NamingReporter(std::unique_ptr<benchmark::BenchmarkReporter> owned, benchmark::BenchmarkReporter& inner,
                 std::function<void(const std::string& id)> on_row, std::ostream* into = nullptr)
      : owned_(std::move(owned)), inner_(inner), on_row_(std::move(on_row)), into_(into) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { inner_.Finalize(); }

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> owned_;
  benchmark::BenchmarkReporter& inner_;
  std::function<void(const std::string& id)> on_row_;
  std::ostream* into_;
  std::string last_id_;
};

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
