#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/config/scalar.hpp"
#include "plan/config/stanza.hpp"

namespace warpclock {
namespace {

const std::vector<std::string> method_names = {"slope", "rate", "elapsed", "slowest", "fact", "counter", "last"};

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> names_of(const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  names.reserve(metrics.size());
  for (const Metric& metric : metrics) names.push_back(metric.name);
  return names;
}

/// The metric of that name, or null after an error.
const Metric* find_metric(const Node& node, const std::string& name, const std::vector<Metric>& metrics) {
  if (const Metric* found = find_by(metrics, name, &Metric::name)) return found;
  if (metrics.empty()) node.reject(fmt::format("unknown metric '{}' (no counters.yaml defines any)", name));
  node.reject(fmt::format("unknown metric '{}'{}", name, hint(name, names_of(metrics))));
  return nullptr;
}

/// A list of names without duplicates.
std::vector<std::string> read_list(const Node& node) {
  std::vector<std::string> names;
  for (const Node& item : node.items()) {
    std::string name = read_name(item);
    if (holds(names, name)) item.reject(fmt::format("'{}' is given twice", name));
    names.push_back(std::move(name));
  }
  return names;
}

void read_source(const Node& node, const std::vector<Metric>& metrics, const Probe& probe, const MeasureSpec& measure) {
  if (measure.method == Method::Fact) {
    if (!holds(probe.facts, measure.source)) {
      node.reject(fmt::format("unknown fact '{}'{}", measure.source, hint(measure.source, probe.facts)));
    }
    return;
  }
  const Metric* metric = find_metric(node, measure.source, metrics);
  if (metric == nullptr) return;
  if (!holds(probe.counters, metric->name)) node.reject(fmt::format("'{}' is not among 'counters'", metric->name));
  if (measure.work.factors.empty() && metric->unit != measure.unit) {
    node.reject(fmt::format("the metric's unit is {}, not {}", metric->unit, measure.unit));
  }
}

LimitSpec read_limit(const Node& node, const Scope& scope, const std::string& unit) {
  LimitSpec spec;
  const Fields fields = node.fields({"archs", "when", "value", "of", "source"});
  if (const auto at = fields.find("archs")) spec.archs = read_archs(*at);
  if (const auto at = fields.find("when")) spec.when = read_clauses(*at, scope);
  const auto value = fields.find("value"), of = fields.find("of");
  if (value.has_value() == of.has_value()) node.reject("a limit has either a value or 'of: memory'");
  if (value) {
    spec.limit.value = value->number();
    if (!node.failed() && !(spec.limit.value > 0)) value->reject("a limit is above 0");
  }
  if (of) {
    spec.limit.per_us = of->word({"memory"}) == "memory";
    if (unit != "B/clk/SM") of->reject(fmt::format("the memory's limit is in B/clk/SM, not {}", unit));
  }
  spec.limit.source = fields.get("source").text();
  spec.limit.cuts = true;
  return spec;
}

MeasureSpec read_measure(const Node& node, const Scope& scope, const std::vector<Metric>& metrics, const Probe& probe) {
  constexpr std::int64_t most_work = std::int64_t{1} << 53;  // the largest integers that a double holds exactly
  constexpr std::size_t points_of_a_line = 3;                // any two points lie on a line
  MeasureSpec measure;
  const Fields fields = node.fields({"name", "method", "unit", "work", "source", "note", "unsteady", "limit"});
  measure.name = read_name(fields.get("name"), true);
  const Node method = fields.get("method");
  const std::string word = method.word(method_names);
  if (node.failed()) return measure;
  measure.method = static_cast<Method>(std::ranges::find(method_names, word) - method_names.begin());
  measure.unit = fields.get("unit").word(units());

  const bool fits = measure.method == Method::Slope || measure.method == Method::Rate;
  if (fits && scope.repeat.size() < points_of_a_line) {
    method.reject(fmt::format("'{}' needs at least three values of repeat, not {}", word, scope.repeat.size()));
  }
  const bool slowest = measure.method == Method::Slowest, last = measure.method == Method::Last;
  const bool timed = fits || slowest || last || measure.method == Method::Elapsed;
  if (const auto at = fields.find("work")) {
    const Extra extra = measure.method == Method::Elapsed ? Extra::Repeat : Extra::None;
    measure.work = read_product(*at, scope, {1, most_work}, extra);
  } else if (slowest || last || measure.method == Method::Rate) {
    node.reject("missing key 'work'");
  }
  if (const auto at = fields.find("source")) {
    measure.source = at->text();
    if (timed) at->reject(fmt::format("does not go with method '{}'", word));
    if (!node.failed()) read_source(*at, metrics, probe, measure);
  } else if (!timed) {
    node.reject("missing key 'source'");
  }
  if (const auto at = fields.find("note")) measure.note = read_template(*at, scope);
  if (const auto at = fields.find("unsteady")) {
    measure.unsteady = at->text();
    if (!fits) at->reject(fmt::format("does not go with method '{}': it fits no line", word));
  }
  if (const auto at = fields.find("limit")) {
    for (const Node& item : at->items_or_self()) measure.limits.push_back(read_limit(item, scope, measure.unit));
    if (measure.method != Method::Rate && !slowest) at->reject(fmt::format("does not go with method '{}'", word));
  }
  return measure;
}

void read_premise(const Node& node, const Scope& scope, Probe& probe) {
  const std::vector<std::pair<const char*, Relation>> relations = {
      {"equals", Relation::Equal}, {"at_least", Relation::AtLeast}, {"at_most", Relation::AtMost}};
  PremiseRule rule;
  const Fields fields = node.fields({"text", "value", "equals", "at_least", "at_most", "when"});
  rule.text = read_template(fields.get("text"), scope);
  const Node value = fields.get("value");
  rule.value = value.text();
  std::vector<std::string> known = probe.facts;
  known.insert(known.end(), probe.counters.begin(), probe.counters.end());
  if (!holds(known, rule.value)) {
    value.reject(
        fmt::format("'{}' is neither among 'facts' nor among 'counters'{}", rule.value, hint(rule.value, known)));
  }
  int stated = 0;
  for (const auto& [key, relation] : relations) {
    const auto at = fields.find(key);
    if (!at) continue;
    rule.relation = relation;
    rule.bound = at->number();
    if (++stated > 1) at->reject("a premise has one of equals, at_least, at_most");
  }
  if (stated == 0) node.reject("missing key 'equals', 'at_least' or 'at_most'");
  if (const auto at = fields.find("when")) {
    probe.premises_when.emplace_back(read_clauses(*at, scope), std::move(rule));
  } else {
    probe.premises.push_back(std::move(rule));
  }
}

Chart read_chart(const Node& node, const Scope& scope, const Probe& probe) {
  Chart chart;
  std::vector<std::string> estimates;
  for (const MeasureSpec& measure : probe.measures) {
    estimates.push_back(measure.name);
    if (measure.method == Method::Slope) estimates.push_back(measure.name + ".overhead");  // the intercept of the fit
  }
  const Fields fields = node.fields({"x", "y", "series", "log_x"});
  chart.x = fields.get("x").word(scope.names());
  if (const auto at = fields.find("y")) chart.y = at->word(estimates);
  if (const auto at = fields.find("series")) {
    chart.series = at->word(scope.names());
    if (chart.series == chart.x) at->reject("x and series are the same parameter");
  }
  if (const auto at = fields.find("log_x")) chart.log_x = at->boolean();
  return chart;
}

const std::vector<std::string> find_names = {"levels", "saturation", "step",     "period",
                                             "spread", "groups",     "fragment", "swizzle"};

bool is_layout(std::string_view what) { return what == "fragment" || what == "swizzle"; }

bool is_numeric(const Axis& column) {
  return std::ranges::all_of(column.values,
                             [](const Value& value) { return std::holds_alternative<std::int64_t>(value); });
}

std::string read_over(const Fields& fields, const Scope& scope, const Probe& probe) {
  const auto at = fields.find("over");
  if (!at) {
    if (probe.along.empty())
      fields.get("what").reject("say what the curve runs over, or give the probe an axis ('along')");
    return probe.along;
  }
  if (probe.places != Places::None && at->kind() == Node::Kind::Scalar && at->text() == "places") return "places";
  std::string over = at->word(scope.names());
  const auto column = std::ranges::find(scope.columns, over, &Axis::name);
  if (column != scope.columns.end() && !is_numeric(*column)) at->reject("not all its values are numbers");
  return over;
}

std::vector<FeatureQuery> read_finds(const Node& node, const Scope& scope, const Probe& probe) {
  constexpr std::int64_t most_in_flight = std::int64_t{1} << 40;
  constexpr double least_within = 0.1, most_within = 50;
  const auto measures = mapped(probe.measures, &MeasureSpec::name);
  std::vector<FeatureQuery> finds;
  for (const Node& item : node.items()) {
    const Fields fields = item.fields({"what", "of", "over", "in_flight", "within", "apart"});
    const std::string what = fields.get("what").word(find_names);
    const std::string of = fields.get("of").word(measures);
    const std::string over = read_over(fields, scope, probe);
    if (node.failed()) return finds;
    if (what == "groups" && over != "places") item.reject("groups are of places: 'over: places'");
    if (is_layout(what)) {
      if (over != "places") item.reject(fmt::format("a {} is of places: 'over: places'", what));
      for (const char* fact : {"rows", "columns", "packed"}) {
        if (!holds(probe.facts, fact)) item.reject(fmt::format("a {} needs the fact '{}'", what, fact));
      }
    }
    FeatureQuery find{
        of, static_cast<FeatureQuery::What>(std::ranges::find(find_names, what) - find_names.begin()), over, {}, 0, 0};
    if (const auto at = fields.find("in_flight")) {
      if (find.what != FeatureQuery::What::Saturation) at->reject("goes with 'what: saturation' only");
      for (const Value& factor : read_product(*at, scope, {1, most_in_flight}).factors) {
        find.in_flight.push_back(to_string(factor));
      }
    }
    if (const auto at = fields.find("within")) {
      if (find.what != FeatureQuery::What::Levels) at->reject("goes with 'what: levels' only");
      if (probe.along.empty() || over != probe.along) at->reject("only a run-time axis ('along') has more points");
      find.within = at->number();
      if (find.within < least_within || find.within > most_within) {
        at->reject(fmt::format("percent from {} to {}", least_within, most_within));
      }
    }
    if (const auto at = fields.find("apart")) {
      if (find.what != FeatureQuery::What::Levels) at->reject("goes with 'what: levels' only");
      find.apart = at->number();
      if (find.apart < least_within || find.apart > most_within)
        at->reject(fmt::format("percent from {} to {}", least_within, most_within));
    }
    if (std::ranges::find(finds, find) != finds.end()) item.reject("this is given twice");
    finds.push_back(find);
  }
  return finds;
}

}  // namespace

void read_reporting(const Fields& fields, const Scope& scope, const std::vector<Metric>& metrics, Probe& probe) {
  constexpr std::size_t fact_slots = 16;  // slots that the probe contract gives a kernel
  if (const auto at = fields.find("facts")) {
    probe.facts = read_list(*at);
    if (probe.facts.size() > fact_slots) at->reject(fmt::format("more than {} facts", fact_slots));
  }
  if (const auto at = fields.find("counters")) {
    for (const Node& item : at->items()) {
      const std::string name = item.text();
      if (find_metric(item, name, metrics) == nullptr) return;
      if (holds(probe.counters, name)) item.reject(fmt::format("'{}' is given twice", name));
      if (holds(probe.facts, name)) item.reject(fmt::format("'{}' names a fact too", name));
      probe.counters.push_back(name);
    }
  }
  if (const auto at = fields.find("counters_of")) {
    const std::string word = at->word({"launch", "step", "passes"});
    probe.counters_of = word == "step" ? CountersOf::Step : word == "passes" ? CountersOf::Passes : CountersOf::Launch;
    if (probe.counters.empty()) at->reject("goes with 'counters' only");
    if (probe.counters_of == CountersOf::Step && scope.repeat.size() < 2) {
      at->reject("a step needs at least two values of repeat");
    }
  }
  if (const auto at = fields.find("counted_blocks")) {
    constexpr std::int64_t most_blocks = 1 << 20;
    probe.counted_blocks = at->integer(1, most_blocks);
    if (probe.counters.empty()) at->reject("goes with 'counters' only");
  }
  if (const auto at = fields.find("places")) {
    probe.places = at->word({"clocks", "written"}) == "clocks" ? Places::Clocks : Places::Written;
  }
  for (const Node& item : fields.get("measures").items()) {
    MeasureSpec measure = read_measure(item, scope, metrics, probe);
    if (std::ranges::find(probe.measures, measure.name, &MeasureSpec::name) != probe.measures.end()) {
      item.reject(fmt::format("measure '{}' is given twice", measure.name));
    }
    probe.measures.push_back(std::move(measure));
  }
  if (const auto at = fields.find("premises")) {
    for (const Node& item : at->items()) read_premise(item, scope, probe);
  }
  if (const auto at = fields.find("chart")) probe.chart = read_chart(*at, scope, probe);
  if (const auto at = fields.find("finds")) probe.finds = read_finds(*at, scope, probe);
}

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
