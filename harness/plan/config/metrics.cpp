#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/lookup.hpp"
#include "plan/config/scalar.hpp"
#include "plan/config/stanza.hpp"

namespace warpclock {
namespace {

const std::vector<std::string> formula_names = {"first", "sum", "ratio", "percent"};

/// CUPTI's names; their number must match the formula.
std::vector<std::string> read_counters(const Node& node, const std::string& formula) {
  auto counters = mapped(node.items(), [&](const Node& item) { return read_name(item, true); });
  const bool divides = formula == "ratio" || formula == "percent";
  const std::size_t wanted = divides ? 2 : 1;
  if (formula != "sum" && counters.size() != wanted) {
    node.reject(fmt::format("formula '{}' takes {} of these, not {}", formula, wanted, counters.size()));
  }
  return counters;
}

bool is_chip(const std::string& name) {
  return name.front() >= 'A' && name.front() <= 'Z' &&
         std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

std::vector<ChipCounters> read_chips(const Node& node, const std::string& formula) {
  std::vector<ChipCounters> exceptions;
  std::set<std::string> seen;
  for (const Node& item : node.items()) {
    ChipCounters exception;
    const Fields fields = item.fields({"for", "counters"});
    for (const Node& chip : fields.get("for").items()) {
      std::string name = chip.text();
      if (chip.failed()) return exceptions;
      if (!is_chip(name)) chip.reject("a chip is named as CUPTI does: GH100");
      if (!seen.insert(name).second) chip.reject(fmt::format("chip '{}' is given twice", name));
      exception.chips.push_back(std::move(name));
    }
    const Node counters = fields.get("counters");
    if (!counters.is_empty_list()) exception.counters = read_counters(counters, formula);
    exceptions.push_back(std::move(exception));
  }
  return exceptions;
}

Metric read_metric(const Node& node) {
  Metric metric;
  const Fields fields = node.fields({"name", "counters", "chips", "formula", "unit", "text"});
  metric.place = node.place();
  metric.name = read_name(fields.get("name"));
  metric.formula = fields.get("formula").word(formula_names);
  metric.counters = read_counters(fields.get("counters"), metric.formula);
  if (const auto at = fields.find("chips")) metric.chips = read_chips(*at, metric.formula);
  metric.unit = fields.get("unit").word(units());
  metric.text = fields.get("text").text();
  return metric;
}

}  // namespace

std::vector<Metric> read_metrics(const Node& root) {
  std::vector<Metric> metrics;
  for (const Node& node : root.fields({"metrics"}).get("metrics").items()) {
    Metric metric = read_metric(node.rebased());
    if (std::ranges::find(metrics, metric.name, &Metric::name) != metrics.end()) {
      node.rebased().reject(fmt::format("metric '{}' is given twice", metric.name));
    }
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace warpclock
