#include "measure/suite_run.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/elapsed.hpp"
#include "base/version.hpp"
#include "measure/compile_cases.hpp"
#include "measure/refine.hpp"
#include "record/features.hpp"

namespace warpclock {
namespace {

void describe_probes(const Suite& suite, Record& record) {
  for (const Probe& probe : suite.probes) {
    const std::string name = probe.family + "/" + probe.name;
    const auto used = [&](const Row& row) { return row.probe == name; };
    if (std::ranges::any_of(record.rows, used))
      record.probes.push_back({name, probe.family, probe.asks, probe.chart, probe.along, probe.finds, probe.varies});
  }
}

void describe_metrics(const Suite& suite, Record& record) {
  for (const Metric& metric : suite.metrics) {
    const auto used = [&](const Row& row) { return row.counters.contains(metric.name); };
    if (std::ranges::any_of(record.rows, used)) record.metrics.push_back({metric.name, metric.unit, metric.text});
  }
}

// Whether making the data again, for each pass of the profiler, costs less than a session for the case alone.
bool made_quickly(const Data& data) {
  constexpr std::int64_t quick_bytes = 4 << 20;
  const bool repeats = data.fill == Fill::Zeros || data.fill == Fill::Bits || data.fill == Fill::Unit;
  return repeats || data.bytes <= quick_bytes;
}

// Groups of cases that one profiler session counts. Cases that read the same counters follow each other: enabling
// another set takes a tenth of a second.
std::vector<std::vector<std::size_t>> sessions(const CaseTable& table, const std::vector<Row>& rows) {
  constexpr std::size_t most_together = 24;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (table.wants_counters(i, rows[i])) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return table.cases[i].counters; });
  std::vector<std::vector<std::size_t>> all;
  for (const std::size_t i : order) {
    const Case& one = table.cases[i];
    const Case* first = all.empty() ? nullptr : &table.cases[all.back().front()];
    const bool joins = first != nullptr && all.back().size() < most_together && first->counters == one.counters &&
                       made_quickly(first->data) && made_quickly(one.data);
    if (!joins) all.emplace_back();
    all.back().push_back(i);
  }
  return all;
}

}  // namespace

SuiteRun::SuiteRun(const Inputs& inputs, std::vector<Case> cases, Worker& worker,
                   std::function<void(const std::string&)> progress)
    : inputs_(inputs),
      worker_(worker),
      progress_(std::move(progress)),
      table_{std::move(cases), {}, inputs.suite.metrics, worker.device().chip} {
  record_.device = worker.device();
  record_.rows.resize(table_.cases.size());
}

Expected<TakenOver> SuiteRun::keep_journal(const std::filesystem::path& path, const JournalUse& use) {
  if (use.fresh) std::filesystem::remove(path);
  journal_ = WARPCLOCK_TRY(Journal::open(path, run_key(table_.cases, use.ground), use.user));
  TakenOver taken{0, journal_->differs()};
  for (std::size_t i = 0; i < table_.cases.size(); ++i) taken.rows += taken_over(i) != nullptr ? 1 : 0;
  return taken;
}

// A case that failed in the stopped run is tried again.
const Row* SuiteRun::taken_over(std::size_t i) const {
  if (!journal_) return nullptr;
  const auto row = journal_->rows().find(table_.cases[i].id);
  return row == journal_->rows().end() || row->second.outcome == Outcome::Failed ? nullptr : &row->second;
}

Expected<void> SuiteRun::keep(const Row& row) {
  if (!journal_) return {};
  return journal_->append(row);
}

Expected<void> SuiteRun::time(const CompileCasesOptions& how, const std::vector<std::string>& benchmark_flags) {
  std::vector<Job> jobs;  // what they run is known when they are compiled
  std::map<std::string_view, std::size_t> case_of;
  for (std::size_t i = 0; i < table_.cases.size(); ++i) {
    const bool left = left_ && left_(table_.cases[i]);
    if (taken_over(i) == nullptr && !table_.cases[i].skip && !left) jobs.emplace_back().id = table_.cases[i].id;
    case_of.emplace(table_.cases[i].id, i);
  }
  CaseCompiler compiler(table_.cases, inputs_.sources, how, table_.compiled);
  if (!table_.cases.empty()) WARPCLOCK_TRY(compiler.wait(0));
  measuring_ = Time::now();
  BenchOptions bench;
  bench.flags = benchmark_flags;
  bench.quiet = how.quiet;
  bench.context = {
      {"warpclock_commit", version().commit}, {"gpu", record_.device.name}, {"driver", record_.device.driver}};
  bench.figures = [&](std::size_t job, const Observation& observation) {
    const Expected<Observation> seen = observation;
    return figures(table_.row(case_of.at(jobs[job].id), &seen));
  };
  bench.on_result = [&](std::size_t job, const Expected<Observation>& observation) -> Expected<void> {
    const std::size_t i = case_of.at(jobs[job].id);
    record_.rows[i] = table_.row(i, &observation);
    // A case that found no device is measured by the next run.
    const bool lost = !observation && observation.error().code == ErrorCode::DeviceLost;
    if (lost || !table_.compiled[i].verified()) return {};
    return keep(record_.rows[i]);
  };
  const auto run_job = [&](const Job& job) -> Expected<Observation> {
    const std::size_t i = case_of.at(job.id);
    WARPCLOCK_TRY(compiler.wait(i));
    if (!table_.compiled[i].verified()) return Observation{};  // its row holds the reason
    return worker_.run(table_.timed_job(i));
  };
  const BenchResults results = WARPCLOCK_TRY(run_benchmarks(jobs, run_job, bench));
  for (const auto& result : results)
    if (result && !*result && result->error().code == ErrorCode::DeviceLost) return std::unexpected(result->error());
  record_.provenance.compile_s = WARPCLOCK_TRY(compiler.finish());
  for (std::size_t i = 0; i < table_.cases.size(); ++i) {
    if (!record_.rows[i].id.empty()) continue;
    const Row* row = table_.compiled[i].verified() ? taken_over(i) : nullptr;
    record_.rows[i] = row != nullptr ? *row : table_.row(i, nullptr);
    if (row != nullptr) taken_.push_back(row->id);
  }
  describe_probes(inputs_.suite, record_);
  return {};
}

// Times a case that was not planned.
Expected<Row> SuiteRun::time_later(std::size_t i) {
  if (const Row* row = taken_over(i)) {
    taken_.push_back(row->id);
    return *row;
  }
  progress_(table_.cases[i].id);
  const Expected<Observation> seen = worker_.run(table_.timed_job(i));
  progress_("");
  if (!seen && seen.error().code == ErrorCode::DeviceLost) return std::unexpected(seen.error());
  Row row = table_.row(i, &seen);
  WARPCLOCK_TRY(keep(row));
  return row;
}

Expected<void> SuiteRun::refine() {
  return refine_curves(inputs_.suite, table_, record_, [this](std::size_t i) { return time_later(i); });
}

// One after the other if the session fails: then the error belongs to one case.
std::vector<Expected<Observation>> SuiteRun::count_together(const std::vector<std::size_t>& cases,
                                                            const std::vector<Job>& jobs) {
  std::vector<Expected<Observation>> seen(cases.size(), Observation{});
  if (!worker_.counters_missing().empty()) {
    for (auto& one : seen) one->counters_missing = worker_.counters_missing();
    return seen;
  }
  std::size_t launches = 0;
  for (const Job& job : jobs) launches += job.kernels.size();
  Job all = jobs.front();
  all.counted_with.assign(jobs.begin() + 1, jobs.end());
  const auto counted = jobs.size() > 1 ? worker_.run(all) : Expected<Observation>(Observation{});
  const bool together = counted && counted->counted.size() == launches;
  std::size_t next = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (!together) {
      seen[k] = worker_.run(jobs[k]);
      continue;
    }
    for (std::size_t i = 0; i < jobs[k].kernels.size(); ++i) seen[k]->counted.push_back(counted->counted[next++]);
  }
  return seen;
}

Expected<void> SuiteRun::count() {
  for (const std::vector<std::size_t>& cases : sessions(table_, record_.rows)) {
    progress_("counters of " + record_.rows[cases.front()].id);
    std::vector<Job> jobs;
    for (const std::size_t i : cases) {
      auto job = WARPCLOCK_TRY(table_.counting_job(i));
      jobs.push_back(std::move(job));
    }
    const auto seen = count_together(cases, jobs);
    // What was timed is in the journal, and the next run counts it.
    for (const auto& one : seen)
      if (!one && one.error().code == ErrorCode::DeviceLost) return std::unexpected(one.error());
    for (std::size_t k = 0; k < cases.size(); ++k) {
      Row& row = record_.rows[cases[k]];
      row = table_.with_counters(cases[k], std::move(row), seen[k]);
      WARPCLOCK_TRY(keep(row));
    }
  }
  progress_("");
  return {};
}

Record SuiteRun::finish() {
  record_.provenance.measure_s = seconds_since(measuring_);
  if (journal_) record_.provenance.resumed = journal_->resumed(taken_);
  describe_metrics(inputs_.suite, record_);
  record_.features = find_features(record_);
  return std::move(record_);
}

void SuiteRun::forget_journal() const {
  if (journal_) journal_->remove();
}

}  // namespace warpclock
