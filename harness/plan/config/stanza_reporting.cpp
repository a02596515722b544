#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/config/stanza.hpp"

namespace warpclock {
namespace {

/// The metric of that name, or null after an error.
const Metric* find_metric(const Node& node, const std::string& name, const std::vector<Metric>& metrics) {
  if (const Metric* found = find_by(metrics, name, &Metric::name)) return found;
  if (metrics.empty()) node.reject(fmt::format("unknown metric '{}' (no counters.yaml defines any)", name));
  node.reject(fmt::format("unknown metric '{}'{}", name, hint(name, mapped(metrics, &Metric::name))));
  return nullptr;
}

/// What the stanzas of a probe may refer to.
struct Around {
  const Scope& scope;
  const std::vector<Metric>& metrics;
  const Probe& probe;
};

/// The fact or the counter that a measure reports.
auto source_of(const MeasureSpec& measure, const Around& around) {
  return yaml::custom(
      [&](const Node& node) {
        std::string source = node.text();
        if (node.failed()) return source;
        const Probe& probe = around.probe;
        if (measure.method == Method::Fact) {
          if (!contains(probe.facts, source))
            node.reject(fmt::format("unknown fact '{}'{}", source, hint(source, probe.facts)));
        } else if (measure.method != Method::Counter) {
          node.reject(fmt::format("does not go with method '{}'", word(measure.method)));
        } else if (const Metric* metric = find_metric(node, source, around.metrics)) {
          if (!contains(probe.counters, source)) node.reject(fmt::format("'{}' is not among 'counters'", source));
          if (measure.work.factors.empty() && metric->unit != measure.unit)
            node.reject(fmt::format("the metric's unit is {}, not {}", metric->unit, measure.unit));
        }
        return source;
      },
      "text");
}

}  // namespace

void describe(YamlArchive& a, LimitSpec& v, const Scope& scope, const std::string& unit) {
  a.named("limit", "What the hardware can do at most, in the unit of the measure.");
  a.optional("archs", v.archs, yaml::list_of(yaml::arch()), "Architectures that it is for; without it, all.");
  a.optional("when", v.when, yaml::clauses(scope), "The points that this is for; without it, all.");
  a.optional("value", v.limit.value, yaml::positive());
  std::string of;
  a.optional(
      "of", of, yaml::OneOfWords{{"memory"}},
      "memory: what the bus of the device's memory carries, and what L2 can answer besides. For data of at least "
      "twice the size of L2; others have no limit then.");
  a.one_of({"value", "of"}, "a limit has either a value or 'of: memory'");
  a.required("source", v.limit.source, "What the limit is, or who states it.");
  if (a.has("of") && unit != "B/clk/SM") a.reject("of", fmt::format("the memory's limit is in B/clk/SM, not {}", unit));
  v.limit.per_us = !of.empty();
  v.limit.cuts = true;
}

void describe(YamlArchive& a, MeasureSpec& v, const Around& around) {
  constexpr std::int64_t most_work = std::int64_t{1} << 53;  // the largest integers that a double holds exactly
  constexpr std::size_t points_of_a_line = 3;                // any two points lie on a line
  const Scope& scope = around.scope;
  a.named("measure", "One number that every case reports.");
  a.required("name", v.name, yaml::dotted_name(),
             "The estimate's name, stable over time: latency, latency.a, throughput.");
  a.required(
      "method", v.method,
      "slope: cycles over the repeat count; rate: work per cycle from that slope; elapsed: median of the window "
      "at the largest repeat count; slowest: work per cycle of the block that takes longest, at the largest "
      "repeat count, as the median over launches; last: mean of the longest of work windows that are drawn among "
      "the launches at the largest repeat count; energy: what a unit of work adds to the energy of the board, by the "
      "slope over the repeat count; power: of the board, at the smallest repeat count; fact: a value that the kernel "
      "wrote; counter: a metric of "
      "counters.yaml.");
  a.required("unit", v.unit, yaml::OneOfWords{units()});
  const bool fits = v.method == Method::Slope || v.method == Method::Rate || v.method == Method::Energy;
  const bool rate = v.method == Method::Rate || v.method == Method::Slowest;
  if (fits && scope.repeat.size() < points_of_a_line)
    a.reject("method",
             fmt::format("'{}' needs at least three values of repeat, not {}", word(v.method), scope.repeat.size()));
  const Extra extra = v.method == Method::Elapsed ? Extra::Repeat : Extra::None;
  a.optional(
      "work", v.work, yaml::product(scope, {1, most_work}, a.reading() ? extra : Extra::None),
      "rate, slowest: units of work per repeat and SM; energy: per repeat and block; last: how many windows; all "
      "others: a divisor, 1 by "
      "default. elapsed may have the "
      "factor n, the largest repeat count.");
  if (rate || v.method == Method::Last || v.method == Method::Energy) a.need({"work"});
  a.optional("source", v.source, source_of(v, around),
             "fact, counter: which one. Without work, a counter's unit is the metric's.");
  if (v.method == Method::Fact || v.method == Method::Counter) a.need({"source"});
  a.optional("note", v.note, yaml::with_parameters(scope),
             "One sentence that a reader needs with the number; {parameter} is replaced.");
  a.optional("unsteady", v.unsteady,
             "slope, rate: why cycles may not grow in a line with the repeat count though nothing is wrong with the "
             "window. Such a row is unsteady, a range, and not rejected.");
  if (a.has("unsteady") && !fits)
    a.reject("unsteady", fmt::format("does not go with method '{}': it fits no line", word(v.method)));
  a.optional(
      "limit", v.limits, yaml::one_or_list(yaml::with(scope, v.unit)),
      "rate, slowest: what the hardware can do at most; the first that is for the architecture and point. A case "
      "whose whole interval lies above it is rejected.");
  if (a.has("limit") && !rate) a.reject("limit", fmt::format("does not go with method '{}'", word(v.method)));
  a.schema(R"({"allOf": [{"if": {"properties": {"method": {"enum": ["fact", "counter"]}}},
                          "then": {"required": ["source"]}, "else": {"properties": {"source": false}}},
                         {"if": {"properties": {"method": {"enum": ["rate", "slowest", "last", "energy"]}}},
                          "then": {"required": ["work"]}}]})");
}

namespace {

struct PremiseStanza {
  PremiseRule rule;
  std::vector<Clause> when;
};

}  // namespace

void describe(YamlArchive& a, PremiseStanza& v, const Around& around) {
  constexpr std::array<std::pair<const char*, Relation>, 3> relations = {
      {{"equals", Relation::Equal}, {"at_least", Relation::AtLeast}, {"at_most", Relation::AtMost}}};
  a.named(
      "premise",
      "What must hold for the numbers to mean what they say; a case that breaks it is rejected with the value seen.");
  a.required("text", v.rule.text, yaml::with_parameters(around.scope),
             "The sentence that is true when it holds; {parameter} is replaced.");
  a.required("value", v.rule.value, yaml::name(), "A name out of facts or counters.");
  std::vector<std::string> known = around.probe.facts;
  known.insert(known.end(), around.probe.counters.begin(), around.probe.counters.end());
  if (!contains(known, v.rule.value))
    a.reject("value", fmt::format("'{}' is neither among 'facts' nor among 'counters'{}", v.rule.value,
                                  hint(v.rule.value, known)));
  for (const auto& [key, relation] : relations) {
    a.optional(key, v.rule.bound);
    if (a.has(key)) v.rule.relation = relation;
  }
  a.one_of({"equals", "at_least", "at_most"});
  a.optional("when", v.when, yaml::clauses(around.scope), "The points that this is for; without it, all.");
}

void describe(YamlArchive& a, Chart& v, const Around& around) {
  std::vector<std::string> estimates;
  for (const MeasureSpec& measure : around.probe.measures) {
    estimates.push_back(measure.name);
    if (measure.method == Method::Slope) estimates.push_back(measure.name + ".overhead");  // the intercept of the fit
  }
  const auto parameter = yaml::known(around.scope.names(), "parameter");
  a.named("chart", "How the report draws the probe.");
  a.required("x", v.x, parameter, "The parameter on the x axis.");
  a.optional("y", v.y, yaml::known(estimates, "dotted_name"),
             "The measure on the y axis, the first by default; a slope's intercept is <name>.overhead.");
  a.optional("series", v.series, parameter, "The parameter that distinguishes the lines.");
  if (a.has("series") && v.series == v.x) a.reject("series", "x and series are the same parameter");
  a.optional("log_x", v.log_x);
}

namespace {

bool is_layout(FeatureQuery::What what) {
  return what == FeatureQuery::What::Fragment || what == FeatureQuery::What::Swizzle;
}

bool is_numeric(const Axis& column) {
  return std::ranges::all_of(column.values,
                             [](const Value& value) { return std::holds_alternative<std::int64_t>(value); });
}

auto axis_of_curve(const Around& around) {
  return yaml::custom(
      [&around](const Node& node) -> std::string {
        const Scope& scope = around.scope;
        if (around.probe.places != Places::None && node.kind() == Node::Kind::Scalar && node.text() == "places")
          return "places";
        std::string over = node.word(scope.names());
        const Axis* column = find_by(scope.columns, over, &Axis::name);
        if (column != nullptr && !is_numeric(*column)) node.reject("not all its values are numbers");
        return over;
      },
      "parameter");
}

/// A list of integers and parameters, as a record has it.
auto bytes_in_flight(const Scope& scope) {
  constexpr std::int64_t most_in_flight = std::int64_t{1} << 40;
  return yaml::custom(
      [&scope](const Node& node) {
        return mapped(read_product(node, scope, {1, most_in_flight}).factors,
                      [](const Value& v) { return to_string(v); });
      },
      "product");
}

}  // namespace

void describe(YamlArchive& a, FeatureQuery& v, const Around& around) {
  using What = FeatureQuery::What;
  constexpr yaml::Real percent{.low = 0.1, .high = 50};
  const Probe& probe = around.probe;
  a.required("what", v.what);
  a.required("of", v.of, yaml::known(mapped(probe.measures, &MeasureSpec::name), "dotted_name"));
  if (a.reading()) v.over = probe.along;
  a.optional(
      "over", v.over, axis_of_curve(around),
      "What the curve runs over: the axis of 'along' by default, or another parameter whose values are numbers.");
  if (v.over.empty()) a.reject("what", "say what the curve runs over, or give the probe an axis ('along')");
  if (v.what == What::Groups && v.over != "places") a.reject("groups are of places: 'over: places'");
  if (is_layout(v.what)) {
    if (v.over != "places") a.reject(fmt::format("a {} is of places: 'over: places'", word(v.what)));
    for (const char* fact : {"rows", "columns", "packed"})
      if (!contains(probe.facts, fact)) a.reject(fmt::format("a {} needs the fact '{}'", word(v.what), fact));
  }
  a.optional("in_flight", v.in_flight, bytes_in_flight(around.scope),
             "saturation: bytes in flight of an SM at a place of the curve, [32, warps, depth, bytes].");
  if (a.has("in_flight") && v.what != What::Saturation) a.reject("in_flight", "goes with 'what: saturation' only");
  if (a.has("within") && (probe.along.empty() || v.over != probe.along) && v.what == What::Levels)
    a.reject("within", "only a run-time axis ('along') has more points");
  a.optional("within", v.within, percent,
             "levels: more points of the axis are measured until where each level ends is known to so many percent.");
  a.optional("apart", v.apart, percent,
             "levels: the least difference between two levels in percent, where the curve scatters so little that less "
             "than 3 % is seen.");
  for (const char* key : {"within", "apart"})
    if (a.has(key) && v.what != What::Levels) a.reject(key, "goes with 'what: levels' only");
}

namespace {

/// What the kernel writes and what is counted.
void describe_counted(YamlArchive& a, Probe& v, const Scope& scope, const std::vector<Metric>& metrics) {
  constexpr std::size_t fact_slots = 16;  // slots that the probe contract gives a kernel
  constexpr std::int64_t most_blocks = 1 << 20;
  const auto counter = yaml::custom(
      [&](const Node& node) {
        std::string name = node.text();
        if (find_metric(node, name, metrics) != nullptr && contains(v.facts, name))
          node.reject(fmt::format("'{}' names a fact too", name));
        return name;
      },
      "name");
  a.optional("facts", v.facts, yaml::list_of(yaml::name()).once().at_most(fact_slots),
             "Names of the values that the kernel writes with fact(i, v), in their order.");
  a.optional("counters", v.counters, yaml::list_of(counter).once(),
             "Metrics of counters.yaml, collected in launches of their own.");
  a.optional(
      "counters_of", v.counters_of,
      "launch: the counters of the launch with the largest repeat count. step: what it adds to that with the next "
      "smaller one, passes: what 64 more passes through the window add to it, in both of which all that comes "
      "before the window cancels.");
  a.optional(
      "counted_blocks", v.counted_blocks, yaml::Whole{1, most_blocks},
      "Blocks of a launch whose counters are read, where what many blocks do before the window is never the same "
      "twice; as many as of a timed one by default.");
  for (const char* key : {"counters_of", "counted_blocks"})
    if (a.has(key) && v.counters.empty()) a.reject(key, "goes with 'counters' only");
  if (v.counters_of == CountersOf::Step && scope.repeat.size() < 2)
    a.reject("counters_of", "a step needs at least two values of repeat");
  a.optional("places", v.places, yaml::OneOfWords{{"clocks", "written"}, 1},
             "What is kept of each place (mostly: SM) in addition to the sample over all: clocks: the cycles of its "
             "window, where the kernel reports with report_at(); written: the word that it writes to args.places.");
}

}  // namespace

void describe_reporting(YamlArchive& a, Probe& v, const Scope& scope, const std::vector<Metric>& metrics) {
  const Around around{scope, metrics, v};
  describe_counted(a, v, scope, metrics);
  a.required("measures", v.measures,
             yaml::checked(yaml::list_of(yaml::with(around)),
                           [](const Node& node, const std::vector<MeasureSpec>& measures) {
                             for (std::size_t i = 0; i < measures.size(); ++i)
                               if (find_by(measures, measures[i].name, &MeasureSpec::name) != &measures[i])
                                 node.items()[i].reject(fmt::format("measure '{}' is given twice", measures[i].name));
                           }),
             "What each case reports.");
  a.schema(R"({"if": {"properties": {"measures": {"contains": {"properties": {"method": {"enum": ["slope", "rate"]}},
                                                               "required": ["method"]}}}},
               "then": {"properties": {"repeat": {"minItems": 3}}, "required": ["repeat"]}})");
  std::vector<PremiseStanza> premises;
  a.optional("premises", premises, yaml::list_of(yaml::with(around)));
  for (PremiseStanza& premise : premises) {
    if (premise.when.empty())
      v.premises.push_back(std::move(premise.rule));
    else
      v.premises_when.emplace_back(std::move(premise.when), std::move(premise.rule));
  }
  a.optional("chart", v.chart, yaml::with(around));
  a.optional(
      "finds", v.finds, yaml::list_of(yaml::with(around)).once(),
      "What to look for in the curve of a measure along the axis: levels (and where each ends), saturation (the "
      "plateau and where 90 and 99 % of it are reached), step, period, spread (classes of values, and outliers), "
      "groups (places with the same value), fragment and swizzle (where each element of a matrix is, with the "
      "facts rows, columns and packed).");
}

namespace {

bool is_chip(const std::string& name) {
  return name.front() >= 'A' && name.front() <= 'Z' &&
         std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

/// CUPTI's names; their number must match the formula.
auto counters_for(const std::string& formula) {
  return yaml::checked(yaml::list_of(yaml::dotted_name()), [&formula](const Node& node, const auto& counters) {
    const bool divides = formula == "ratio" || formula == "percent";
    const std::size_t wanted = divides ? 2 : 1;
    if (formula != "sum" && !counters.empty() && counters.size() != wanted)
      node.reject(fmt::format("formula '{}' takes {} of these, not {}", formula, wanted, counters.size()));
  });
}

auto chip(std::set<std::string>& seen) {
  return yaml::custom(
      [&seen](const Node& node) {
        std::string name = node.text();
        if (!node.failed() && !is_chip(name)) node.reject("a chip is named as CUPTI does: GH100");
        if (!seen.insert(name).second) node.reject(fmt::format("chip '{}' is given twice", name));
        return name;
      },
      Json{{"type", "string"}, {"pattern", "^[A-Z][A-Z0-9]*$"}});
}

}  // namespace

void describe(YamlArchive& a, ChipCounters& v, const std::string& formula, std::set<std::string>& seen) {
  auto counters = counters_for(formula);
  counters.of.or_none = true;
  a.required("for", v.chips, yaml::list_of(chip(seen)).once(), "CUPTI's names: GH100.");
  a.required("counters", v.counters, counters);
}

void describe(YamlArchive& a, Metric& v) {
  std::set<std::string> seen;
  a.named("metric", "What hardware counters mean.");
  v.place = a.place();
  a.required("name", v.name, yaml::name(), "What configs call it.");
  a.required("formula", v.formula, yaml::OneOfWords{{"first", "sum", "ratio", "percent"}},
             "first: the only counter; sum: of all; ratio: first / second; percent: 100 * first / second.");
  a.required("counters", v.counters, counters_for(v.formula), "CUPTI's metric names.");
  a.optional("chips", v.chips, yaml::list_of(yaml::with(v.formula, seen)), "Exceptions to counters.");
  a.required("unit", v.unit, yaml::OneOfWords{units()});
  a.required("text", v.text, "How to read it.");
  a.schema(R"({"allOf": [
    {"if": {"properties": {"formula": {"const": "first"}}},
     "then": {"properties": {
       "counters": {"maxItems": 1},
       "chips": {"items": {"properties": {"counters": {"maxItems": 1}}}}}}},
    {"if": {"properties": {"formula": {"enum": ["ratio", "percent"]}}},
     "then": {"properties": {
       "counters": {"minItems": 2, "maxItems": 2},
       "chips": {"items": {"properties": {"counters": {"anyOf": [{"maxItems": 0}, {"minItems": 2, "maxItems": 2}]}}}}}}}
  ]})");
}

void describe(YamlArchive& a, MetricsFile& v) {
  a.named("metrics_file", "The hardware counter metrics, in counters.yaml.");
  a.required("metrics", v.metrics, yaml::list_of().roots());
}

}  // namespace warpclock
