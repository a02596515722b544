#include "measure/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpu/counters/metric.hpp"
#include "record/assemble.hpp"

namespace warpclock {
namespace {

// Before the window, a chase of 28 MiB executes 440,000 loads, and two launches differ by a few hits among them. The
// loads of these passes must outweigh this difference.
constexpr std::int64_t further_passes = 64;

bool is_no_share(double percent) {
  constexpr double slack = 1;
  return percent < -slack || percent > 100 + slack;
}

}  // namespace

Row CaseTable::row(std::size_t i, const Expected<Observation>* observation) const {
  return assemble(cases[i], compiled[i].build, compiled[i].verdicts, observation, {});
}

Job CaseTable::timed_job(std::size_t i) const {
  const Case& one = cases[i];
  Job job;
  job.id = one.id;
  job.cubin_path = compiled[i].build->cubin_path;
  for (const Kernel& kernel : compiled[i].build->kernels) job.kernels.push_back({kernel.n, kernel.symbol});
  job.launch = one.launch;
  job.data = one.data;
  if (const Value* at = find(one.parameters, one.along)) job.at = std::get<std::int64_t>(*at);
  job.facts = one.facts;
  job.places = one.places;
  const auto has = [&](Method method) {
    return std::ranges::find(one.measures, method, &Measure::method) != one.measures.end();
  };
  job.longest = has(Method::Slowest);
  job.energy = has(Method::Energy) || has(Method::Power);
  return job;
}

Expected<Job> CaseTable::counting_job(std::size_t i) const {
  auto counters = WARPCLOCK_TRY(counters_for(cases[i].counters, metrics, chip));
  Job job = timed_job(i);
  job.counters = std::move(counters);
  job.timed = false;
  job.places = Places::None;
  if (cases[i].counted_blocks > 0) {
    job.launch.blocks = cases[i].counted_blocks;
    job.launch.blocks_per_sm = 0;
  }
  std::ranges::sort(job.kernels, {}, &JobKernel::n);
  const std::size_t wanted = cases[i].counters_of == CountersOf::Step ? 2 : 1;
  job.kernels.erase(job.kernels.begin(),
                    job.kernels.end() - static_cast<std::ptrdiff_t>(std::min(wanted, job.kernels.size())));
  if (cases[i].counters_of == CountersOf::Passes) {
    JobKernel longer = job.kernels.back();
    longer.further_passes = further_passes;
    job.kernels.push_back(std::move(longer));
  }
  return job;
}

bool CaseTable::wants_counters(std::size_t i, const Row& row) const {
  const bool timed = !row.samples.empty();
  return timed && !cases[i].counters.empty() && row.counters.empty() && row.counters_missing.empty();
}

Row CaseTable::with_counters(std::size_t i, Row row, const Expected<Observation>& counted) const {
  row.counters_missing.clear();
  if (!counted) {
    row.counters_missing = counted.error().message();
  } else if (counted->counted.empty()) {
    row.counters_missing = counted->counters_missing.empty() ? "no launch was counted" : counted->counters_missing;
  } else {
    std::map<std::string, double> values = counted->counted.back();
    if (cases[i].counters_of != CountersOf::Launch && counted->counted.size() > 1) {
      for (auto& [name, value] : values) value -= counted->counted.front().at(name);
    }
    for (const std::string& name : cases[i].counters) {
      const auto metric = std::ranges::find(metrics, name, &Metric::name);
      if (metric == metrics.end()) continue;
      // A share of zero events has no value, so the row shows none.
      const auto value = evaluate(*metric, chip, values);
      if (value && metric->unit == "%" && is_no_share(*value)) {
        row.counters_missing = fmt::format(
            "{} is {:.0f} % as the difference of two launches, which do not count the same before the window", name,
            *value);
      } else if (value) {
        row.counters.emplace(name, *value);
      }
    }
  }
  return reanalyze(std::move(row));
}

int exit_status(const std::vector<Row>& rows) {
  return std::ranges::any_of(
      rows, [](const Row& row) { return row.outcome == Outcome::Rejected || row.outcome == Outcome::Failed; });
}

Expected<std::vector<Figure>> figures(const Row& row) {
  if (row.outcome != Outcome::Measured && row.outcome != Outcome::Unsteady)
    return fail(row.reason.code, row.reason.text);
  std::vector<Figure> shown;
  shown.reserve(row.estimates.size());
  for (const Estimate& estimate : row.estimates) shown.push_back({estimate.name, estimate.value, estimate.unit});
  return shown;
}

}  // namespace warpclock
