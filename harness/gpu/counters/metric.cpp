#include "gpu/counters/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace warpclock {

namespace {

Expected<double> share(const Metric& metric, const std::vector<double>& values, double scale) {
  if (values.size() != 2) {
    return fail(
        "config",
        fmt::format("metric {}: formula '{}' takes two counters, not {}", metric.name, metric.formula, values.size()),
        metric.place);
  }
  if (values[1] == 0) {
    return fail("metric-undefined", fmt::format("{}: {} is zero", metric.name, metric.counters[1]));
  }
  return scale * values[0] / values[1];
}

Expected<double> combine(const Metric& metric, const std::vector<double>& values) {
  if (metric.formula == "first") return values.front();
  if (metric.formula == "sum") return std::accumulate(values.begin(), values.end(), 0.0);
  if (metric.formula == "ratio") return share(metric, values, 1);
  if (metric.formula == "percent") return share(metric, values, 100);
  return fail("config",
              fmt::format("metric {}: unknown formula '{}' (first, sum, ratio, percent)", metric.name, metric.formula),
              metric.place);
}

}  // namespace

const std::vector<std::string>& counters_on(const Metric& metric, std::string_view chip) {
  for (const ChipCounters& exception : metric.chips) {
    if (std::ranges::find(exception.chips, chip) != exception.chips.end()) return exception.counters;
  }
  return metric.counters;
}

Expected<std::vector<std::string>> counters_for(const std::vector<std::string>& names,
                                                const std::vector<Metric>& metrics, std::string_view chip) {
  std::set<std::string> needed;
  for (const std::string& name : names) {
    const auto metric = std::ranges::find(metrics, name, &Metric::name);
    if (metric == metrics.end()) {
      return fail("config", fmt::format("no metric '{}' in configs/counters.yaml", name));
    }
    const std::vector<std::string>& counters = counters_on(*metric, chip);
    needed.insert(counters.begin(), counters.end());
  }
  return std::vector<std::string>(needed.begin(), needed.end());
}

Expected<double> evaluate(const Metric& metric, std::string_view chip, const std::map<std::string, double>& collected) {
  const std::vector<std::string>& counters = counters_on(metric, chip);
  if (counters.empty()) return fail("metric-absent", fmt::format("{} cannot count {}", chip, metric.name));
  std::vector<double> values;
  for (const std::string& counter : counters) {
    const auto found = collected.find(counter);
    if (found == collected.end() || !std::isfinite(found->second)) {
      return fail("metric-absent", fmt::format("{}: the hardware gave no value for {}", metric.name, counter));
    }
    values.push_back(found->second);
  }
  return combine(metric, values);
}

}  // namespace warpclock
