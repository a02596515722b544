#include "gpu/bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/lookup.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "gpu/job/statistics.hpp"

namespace warpclock {
namespace {

constexpr std::string_view prefix = "--benchmark_";
constexpr int most_repetitions = 1000;

bool is_format(std::string_view value) { return value == "console" || value == "json" || value == "csv"; }

bool is_true(std::string_view value) {
  static constexpr std::array truths = {"", "1", "true", "yes", "on", "t", "y"};
  return contains(truths, to_lower(value));
}

Expected<void> look_at(std::string_view name, std::string_view value, BenchFlags& flags) {
  const auto refuse = [&](std::string_view want) {
    return fail("usage", fmt::format("{}{}={}: it must be {}", prefix, name, value, want));
  };
  if (name == "filter") flags.filter = value;
  if (name == "out") flags.out = value;
  if (name == "list_tests") flags.list = is_true(value);
  if (name == "format") {
    if (!is_format(value)) return refuse("console, json or csv");
    flags.format = value;
  }
  if (name == "out_format") {
    if (!is_format(value)) return refuse("console, json or csv");
    flags.out_format = value;
  }
  if (name == "color" && value.empty()) return refuse("auto, true or false");
  if (name == "repetitions") {
    const int count = whole_number<int>(value).value_or(0);
    if (count < 1 || count > most_repetitions) return refuse(fmt::format("a number from 1 to {}", most_repetitions));
  }
  return {};
}

/// Checks the flags to which Google Benchmark would respond with exit() or an endless loop. The returned arguments
/// begin with defaults, because its flags are global and keep what an earlier run set. Error "usage".
Expected<BenchFlags> parse_bench_flags(const std::vector<std::string>& flags) {
  BenchFlags parsed;
  parsed.arguments = {"--benchmark_filter=",         "--benchmark_out=",         "--benchmark_format=console",
                      "--benchmark_out_format=json", "--benchmark_list_tests=0", "--benchmark_repetitions=1"};
  for (const std::string& flag : flags) {
    if (!flag.starts_with(prefix)) {
      return fail("usage", fmt::format("'{}' is not a flag of Google Benchmark (they begin with {})", flag, prefix));
    }
    const std::string_view rest = std::string_view(flag).substr(prefix.size());
    const auto equals = rest.find('=');
    const bool has_value = equals != std::string_view::npos;
    WARPCLOCK_TRY(look_at(rest.substr(0, equals), has_value ? rest.substr(equals + 1) : "", parsed));
    // The library would write it bit by bit, over whatever is there.
    parsed.arguments.push_back(rest.starts_with("out=") ? "--benchmark_out=/dev/null" : flag);
  }
  return parsed;
}

}  // namespace

Expected<std::vector<std::size_t>> select(const std::vector<std::string>& ids, const std::string& filter) {
  const bool negative = filter.starts_with('-');
  const bool all = filter.empty() || filter == "all";
  std::vector<std::size_t> selected;
  try {
    const std::regex pattern(all ? "." : filter.substr(negative ? 1 : 0), std::regex::ECMAScript | std::regex::nosubs);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (all || std::regex_search(ids[i], pattern) != negative) selected.push_back(i);
    }
  } catch (const std::regex_error&) {
    return fail("usage", fmt::format("--benchmark_filter: '{}' is not a regular expression (brackets of a case id are "
                                     "written \\[ and \\])",
                                     filter));
  }
  return selected;
}

namespace {

constexpr const char* erase_line = "\r\x1b[K";
constexpr std::size_t bar_width = 24;

}  // namespace

bool ProgressReporter::ReportContext(const Context&) {
  if (width_ > 0) draw("");
  return true;
}

void ProgressReporter::draw(const std::string& text) {
  const std::size_t filled = total_ == 0 ? bar_width : std::min(bar_width, bar_width * done_ / total_);
  std::string line = fmt::format("[{}{}] {}/{} {}", std::string(filled, '#'), std::string(bar_width - filled, '.'),
                                 done_, total_, text);
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(1, width_ - 1))));
  GetOutputStream() << erase_line << line << std::flush;
}

void ProgressReporter::ReportRuns(const std::vector<Run>& runs) {
  if (runs.empty()) return;
  const std::string& id = runs.front().run_name.function_name;
  if (id == last_id_) return;  // these are the aggregates of a row that was already printed
  last_id_ = id;
  ++done_;
  const ProgressRow row = look_up_(id);
  const std::string text = fmt::format("{}  {}", id, row.text);
  if (width_ > 0 && row.failed) GetOutputStream() << erase_line << text << '\n';
  if (width_ > 0) {
    draw(text);
  } else {
    const auto digits = fmt::formatted_size("{}", total_);
    GetOutputStream() << fmt::format("[{:>{}}/{}] {}\n", done_, digits, total_, text) << std::flush;
  }
}

void ProgressReporter::Finalize() {
  if (width_ > 0) GetOutputStream() << erase_line << std::flush;
}

bool NamingReporter::ReportContext(const Context& context) {
  inner_.SetOutputStream(into_ != nullptr ? into_ : &GetOutputStream());
  inner_.SetErrorStream(into_ != nullptr ? into_ : &GetErrorStream());
  return inner_.ReportContext(context);
}

void NamingReporter::ReportRuns(const std::vector<Run>& runs) {
  if (runs.empty()) return;
  std::vector<Run> named = runs;
  for (Run& run : named) {
    run.run_name.iterations.clear();
    run.run_name.time_type.clear();
  }
  // Sets the state of the row first, because a reporter may look it up.
  if (const std::string& id = runs.front().run_name.function_name; on_row_ && id != last_id_) {
    last_id_ = id;
    on_row_(id);
  }
  inner_.ReportRuns(named);
}

namespace {

/// Google Benchmark's reporter for a file: "console", "json" or "csv".
std::unique_ptr<benchmark::BenchmarkReporter> file_reporter(const std::string& format) {
  if (format == "console") return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  if (format == "csv") return std::make_unique<benchmark::CSVReporter>();
#pragma GCC diagnostic pop
  return std::make_unique<benchmark::JSONReporter>();
}

// State of one run of the loop. Google Benchmark calls back into it.
class Loop {
 public:
  Loop(const std::vector<Job>& jobs, const RunJob& run, const BenchOptions& options, bool fixed_counters)
      : jobs_(jobs), run_(run), options_(options), fixed_counters_(fixed_counters), rows_(jobs.size()) {}

  void repeat(std::size_t index, benchmark::State& state);
  void finish(const std::string& id);
  [[nodiscard]] ProgressRow progress(const std::string& id) const;
  [[nodiscard]] std::string why_not_run() const;
  void add(std::size_t index) { index_of_[jobs_[index].id] = index; }
  [[nodiscard]] Expected<BenchResults> results() &&;

 private:
  struct Row {
    std::optional<Expected<Observation>> result;
    std::string shown;                    // the first figure of the last repetition
    std::optional<std::string> rejected;  // why `figures` rejected the observation
  };

  [[nodiscard]] std::optional<std::string> measure(std::size_t index, benchmark::State& state);
  [[nodiscard]] std::optional<std::string> publish(std::size_t index, const Observation& seen, benchmark::State& state);

  const std::vector<Job>& jobs_;
  const RunJob& run_;
  const BenchOptions& options_;
  bool fixed_counters_;
  bool lost_ = false;
  std::optional<Error> stopped_;  // by on_result
  std::vector<Row> rows_;
  std::map<std::string, std::size_t> index_of_;
};

void Loop::repeat(std::size_t index, benchmark::State& state) {
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the loop of Google Benchmark
    if (const auto wrong = measure(index, state)) {
      state.SkipWithError(wrong->c_str());
      break;
    }
  }
}

std::optional<std::string> Loop::measure(std::size_t index, benchmark::State& state) {
  Row& row = rows_[index];
  const bool first = !row.result.has_value();
  if (first && (lost_ || stopped_)) return why_not_run();
  if (!first && !row.result->has_value()) return row.result->error().message();
  Job job = jobs_[index];
  if (!first) job.counters.clear();  // they vary less than times do and take as long as the first time
  Expected<Observation> seen = run_(job);
  if (!seen) {
    lost_ = lost_ || seen.error().code == ErrorCode::DeviceLost;
    row.result = std::unexpected(seen.error());
    return fmt::format("{}: {}", seen.error().code, seen.error().message());
  }
  auto wrong = publish(index, *seen, state);
  if (first) {
    row.result = std::move(seen);
  } else {
    append(**row.result, std::move(*seen));
  }
  return wrong;
}

std::optional<std::string> Loop::publish(std::size_t index, const Observation& seen, benchmark::State& state) {
  Row& row = rows_[index];
  const auto largest = std::ranges::max_element(seen.samples, {}, &Series::n);
  const bool timed = largest != seen.samples.end() && !largest->cycles.empty();
  const double cycles = timed ? median(sorted_finite(largest->cycles)) : 0;
  const double mhz = seen.clock.sm_mhz;
  state.SetIterationTime(mhz > 0 ? cycles / (mhz * 1e6) : cycles * 1e-9);
  state.counters["cycles"] = cycles;
  state.counters["n"] = largest == seen.samples.end() ? 0 : static_cast<double>(largest->n);
  state.counters["sm_mhz"] = mhz;
  row.shown = fmt::format("{} cycles", human_number(cycles, 4));
  if (!options_.figures) return std::nullopt;
  const auto figures = options_.figures(index, seen);
  if (!figures) {
    row.rejected = fmt::format("{}: {}", figures.error().code, figures.error().message());
    return row.rejected;
  }
  if (!figures->empty())
    row.shown = fmt::format("{} {}", human_number(figures->front().value, 4), figures->front().unit);
  for (const Figure& figure : *figures) {
    // JSON has no NaN, but Google Benchmark would write one.
    if (!fixed_counters_ && std::isfinite(figure.value)) state.counters[figure.name] = figure.value;
  }
  return std::nullopt;
}

void Loop::finish(const std::string& id) {
  const std::size_t index = index_of_.at(id);
  const auto& result = rows_[index].result;
  if (!options_.on_result || !result) return;
  if (auto taken = options_.on_result(index, *result); !taken) stopped_ = taken.error();
}

std::string Loop::why_not_run() const { return lost_ ? "not run: the device was lost" : "not run: the run ends here"; }

ProgressRow Loop::progress(const std::string& id) const {
  const Row& row = rows_[index_of_.at(id)];
  if (!row.result) return {why_not_run(), true};
  if (!row.result->has_value()) {
    return {fmt::format("failed: {}: {}", row.result->error().code, row.result->error().message()), true};
  }
  if (row.rejected) return {"rejected: " + *row.rejected, true};
  return {row.shown, false};
}

Expected<BenchResults> Loop::results() && {
  if (stopped_) return std::unexpected(*stopped_);
  BenchResults results;
  for (Row& row : rows_) results.push_back(std::move(row.result));
  return results;
}

Expected<void> initialize(const BenchFlags& flags, const BenchOptions& options) {
  static char program[] = "warpclock";  // the library keeps the pointer
  std::vector<std::string> storage = flags.arguments;
  std::vector<char*> argv = {program};
  for (std::string& argument : storage) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) return fail("usage", fmt::format("'{}' is unknown to Google Benchmark, or has a bad value", argv[1]));
  static std::set<std::string> known;  // the library complains about a key that it already has
  for (const auto& [key, value] : options.context) {
    if (known.insert(key).second) benchmark::AddCustomContext(key, value);
  }
  if (!flags.out.empty()) WARPCLOCK_TRY(may_replace(flags.out));
  // What cannot be written is known before hours of measuring.
  if (!flags.out.empty()) WARPCLOCK_TRY(Replacement::write(flags.out, "", Synced::No));
  return {};
}

}  // namespace

Expected<BenchResults> run_benchmarks(const std::vector<Job>& jobs, const RunJob& run, const BenchOptions& options) {
  const auto flags = WARPCLOCK_TRY(parse_bench_flags(options.flags));
  const auto ids = mapped(jobs, &Job::id);
  const auto selected = WARPCLOCK_TRY(select(ids, flags.filter));
  WARPCLOCK_TRY(initialize(flags, options));

  std::ostream& out = options.out != nullptr ? *options.out : std::cout;
  Loop loop(jobs, run, options, flags.uses_csv());
  if (flags.list) {
    for (const std::size_t i : selected) out << ids[i] << '\n';
    return std::move(loop).results();
  }
  if (selected.empty()) return std::move(loop).results();

  benchmark::ClearRegisteredBenchmarks();
  for (const std::size_t i : selected) {
    loop.add(i);
    benchmark::RegisterBenchmark(ids[i].c_str(), [&loop, i](benchmark::State& state) { loop.repeat(i, state); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kNanosecond);
  }
  const int width = options.out == nullptr && is_terminal(Stream::Out) ? terminal_width(Stream::Out) : 0;
  ProgressReporter progress(selected.size(), width, [&](const std::string& id) { return loop.progress(id); });
  benchmark::BenchmarkReporter& rows = flags.format.empty() ? progress : *benchmark::CreateDefaultDisplayReporter();
  NamingReporter display(nullptr, rows, [&](const std::string& id) { loop.finish(id); });
  std::ostream nowhere(nullptr);
  display.SetOutputStream(options.quiet && flags.format.empty() ? &nowhere : &out);
  auto written = file_reporter(flags.out_format);
  benchmark::BenchmarkReporter& file_rows = *written;
  std::ostringstream text;
  NamingReporter file(std::move(written), file_rows, {}, &text);
  benchmark::RunSpecifiedBenchmarks(&display, flags.out.empty() ? nullptr : &file, "all");
  benchmark::ClearRegisteredBenchmarks();
  if (!flags.out.empty()) WARPCLOCK_TRY(write_marked(flags.out, text.str()));
  return std::move(loop).results();
}

}  // namespace warpclock
