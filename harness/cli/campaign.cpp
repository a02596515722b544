#include "cli/campaign.hpp"

#include <algorithm>
#include <map>

#include "gpu/metric.hpp"
#include "report/assemble.hpp"

namespace warpclock {

CaseRecord Campaign::row(std::size_t i, const Expected<Observation>* observation) const {
  std::map<std::string, double> values;
  if (observation && *observation)
    for (const std::string& name : cases[i].counters) {
      const auto metric = std::ranges::find(metrics, name, &Metric::name);
      if (metric == metrics.end()) continue;
      // A share of nothing has no value; the row then shows none.
      if (auto value = evaluate(*metric, chip, (*observation)->counters)) values.emplace(name, *value);
    }
  return assemble(cases[i], examined[i].build, examined[i].verdicts, observation, values);
}

Expected<Job> Campaign::job(std::size_t i) const {
  const Case& one = cases[i];
  auto counters = counters_for(one.counters, metrics, chip);
  if (!counters) return std::unexpected(counters.error());
  Job job;
  job.id = one.id;
  job.cubin_path = examined[i].build->cubin_path;
  for (const Kernel& kernel : examined[i].build->kernels) job.kernels.emplace_back(kernel.n, kernel.symbol);
  job.launch = one.launch;
  job.data = one.data;
  job.facts = one.facts;
  job.counters = std::move(*counters);
  return job;
}

Expected<std::vector<Figure>> figures(const CaseRecord& row) {
  if (row.outcome != Outcome::Measured) return fail(row.reason.code, row.reason.text);
  std::vector<Figure> shown;
  for (const Estimate& estimate : row.estimates) shown.push_back({estimate.name, estimate.value, estimate.unit});
  return shown;
}

}  // namespace warpclock
