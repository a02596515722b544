#include "record/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "gpu/job/statistics.hpp"
#include "plan/plan.hpp"
#include "record/outline.hpp"

namespace warpclock {
namespace {

/// The keys that name a kind; those of the rows of tables are beside `cases`.
constexpr std::array<std::pair<const char*, Selector::Kind>, 7> kind_keys = {{{"cases", Selector::Kind::Cases},
                                                                              {"half", Selector::Kind::Half},
                                                                              {"feature", Selector::Kind::Feature},
                                                                              {"line", Selector::Kind::Line},
                                                                              {"reach", Selector::Kind::Reach},
                                                                              {"clock", Selector::Kind::Clock},
                                                                              {"device", Selector::Kind::Device}}};
constexpr std::array<std::pair<const char*, Selector::Kind>, 3> row_keys = {
    {{"ptx", Selector::Kind::Instruction}, {"sass", Selector::Kind::Form}, {"kernel", Selector::Kind::Kernel}}};

/// Where a row is that has such a number: of all kinds of numbers of cases, in the cases.
Selector::Kind table_of(Selector::Kind kind) {
  const bool other = std::ranges::any_of(row_keys, [&](const auto& one) { return one.second == kind; });
  return other || kind == Selector::Kind::Device ? kind : Selector::Kind::Cases;
}

/// `[low, high]`, each read by `end`.
template <class End>
auto range_of(End end, const char* of) {
  return yaml::custom(
      [end](const Node& node)
          -> std::pair<std::invoke_result_t<End, const Node&>, std::invoke_result_t<End, const Node&>> {
        const std::vector<Node> ends = node.items();
        if (ends.size() == 2) return {end(ends[0]), end(ends[1])};
        node.reject("a range is [low, high]");
        return {};
      },
      Json{{"type", "array"}, {"items", json_of(of)}, {"minItems", 2}, {"maxItems", 2}});
}

RangeEnd read_end(const Node& node) {
  const Value value = node.value();
  if (const auto* number = std::get_if<std::int64_t>(&value)) return {static_cast<double>(*number), false};
  static_cast<void>(node.word({"l2"}));
  return {0, true};
}

auto parameter_rule() {
  const auto range = range_of(read_end, R"({"oneOf": [{"type": "integer"}, {"const": "l2"}]})");
  return yaml::custom(
      [range](const Node& node) {
        ParameterRule rule;
        std::pair<RangeEnd, RangeEnd> ends;
        if (node.kind() == Node::Kind::Sequence)
          range.read(node, ends);
        else
          rule.equals = node.value();
        std::tie(rule.low, rule.high) = ends;
        return rule;
      },
      [range](YamlSchema& all) -> Json {
        return {{"oneOf", {yaml::Plain().schema(all, Value()), range.schema(all, 0)}}};
      });
}

/// The one key that names the kind, and the probe or the instruction.
void describe_kind(YamlArchive& a, Selector& v, const SelectorKeys& keys) {
  const auto may_be = [&](Selector::Kind kind) { return std::ranges::find(keys.kinds, kind) != keys.kinds.end(); };
  std::vector<std::string> known;
  for (const auto& [key, kind] : kind_keys) {
    if (!may_be(kind)) continue;
    known.push_back(fmt::format("'{}'", key));
    std::string name;
    if (kind == Selector::Kind::Clock)
      a.optional(key, name, yaml::OneOfWords{{"sm", "window"}});
    else if (kind == Selector::Kind::Device)
      a.optional(key, name,
                 yaml::OneOfWords{{"l2_bytes", "memory_bytes", "shared_per_sm_bytes", "memory_peak", "sm_clock"}});
    else
      a.optional(key, name);
    if (!a.has(key)) continue;
    if (!v.name.empty()) a.reject(key, join(known, ", ") + " exclude each other");
    v.kind = kind, v.name = name;
  }
  if (v.name.empty() && !keys.any_number) a.reject("says one of " + join(known, ", "));
  v.probe = keys.probe;
  for (const auto& [key, kind] : row_keys) {
    if (may_be(kind)) a.optional(key, v.probe);
    if (!a.has(key)) continue;
    if (v.kind != Selector::Kind::Cases || a.has("probe"))
      a.reject(key, "only with 'cases', and without 'probe' or another table");
    v.kind = kind;
  }
  const bool of_probes =
      std::ranges::any_of(keys.kinds, [](Selector::Kind kind) { return table_of(kind) == Selector::Kind::Cases; });
  if (keys.probe.empty() && of_probes) a.optional("probe", v.probe);
  if (a.has("probe") && v.kind == Selector::Kind::Device) a.reject("probe", "a device has no probe");
  if (!v.probe.empty() || v.kind == Selector::Kind::Device) return;
  if (!of_probes) a.reject("says one of 'ptx', 'sass', 'kernel'");
  a.need({"probe"});
}

/// Which keys narrow which kinds.
void check_keys(const YamlArchive& a, Selector::Kind kind, bool of_rows) {
  const bool feature = kind == Selector::Kind::Feature,
             over = kind == Selector::Kind::Line || kind == Selector::Kind::Reach,
             probe = table_of(kind) == Selector::Kind::Cases, rows = probe || kind == Selector::Kind::Kernel;
  const auto only_for = [&](const char* key, bool allowed, const char* of) {
    if (a.has(key) && !allowed) a.reject(key, fmt::format("only for {}", of));
  };
  only_for("where", feature, "features");
  only_for("part", feature, "features");
  only_for("with", rows, "probes and kernels");
  only_for("counters", probe && !feature, "cases");
  only_for("take", rows && !over && !of_rows, "estimates, features and clocks of which one is meant");
  only_for("end", kind == Selector::Kind::Cases && !a.has("take") && !of_rows, "cases, without 'take'");
  only_for("over", over, "'line' and 'reach'");
  if (over) a.need({"over"});
}

}  // namespace

void describe(YamlArchive& a, Selector& v, const SelectorKeys& keys) {
  if (keys.of_one_number)
    a.named("model_place",
            "Where records may have a leaf: the rows of a probe, or a row of instructions.json (ptx), and what of it.");
  describe_kind(a, v, keys);
  check_keys(a, v.kind, keys.of_rows);
  std::vector<std::pair<std::string, ParameterRule>> with;
  a.optional("with", with, yaml::entries_of(parameter_rule()),
             "Of parameters: a value, or [low, high], where l2 is the size of L2 that the driver states.");
  for (auto& [name, rule] : with) {
    if (keys.any_number && (rule.low.l2 || rule.high.l2)) a.reject("with", "l2 is of one GPU, and this is of several");
    rule.name = name;
    v.with.push_back(std::move(rule));
  }
  a.optional("where", v.where, yaml::OneOfWords{{"L1", "L2", "DRAM", "unnamed"}});
  a.optional("counters", v.counters,
             yaml::entries_of(range_of([](const Node& end) { return end.number(); }, R"({"type": "number"})")));
  a.optional("part", v.part, yaml::OneOfWords{{"inside", "beyond"}, 1});
  a.optional("take", v.take, yaml::OneOfWords{{"range", "highest", "lowest"}});
  if (!keys.of_one_number) a.optional("end", v.end_of);
  if (a.has("end")) v.take = Selector::Take::End;
  a.optional("over", v.over.factors, yaml::one_or_list(), "A product of integers and parameters: bytes.");
}

namespace {

bool fits(const ParameterRule& rule, const Parameters& parameters, const DeviceFacts& device) {
  const Value* value = find(parameters, rule.name);
  if (value == nullptr) return false;
  if (rule.equals) return *value == *rule.equals;
  const auto* number = std::get_if<std::int64_t>(value);
  const auto bound = [&](const RangeEnd& end) { return end.l2 ? static_cast<double>(device.l2_bytes) : end.value; };
  return number != nullptr && static_cast<double>(*number) >= bound(rule.low) &&
         static_cast<double>(*number) <= bound(rule.high);
}

bool fits(const Selector& selector, const Parameters& bound, const Parameters& parameters, const DeviceFacts& device) {
  return std::ranges::all_of(selector.with, [&](const auto& rule) { return fits(rule, parameters, device); }) &&
         std::ranges::all_of(bound, [&](const auto& one) {
           const Value* value = find(parameters, one.first);
           return value != nullptr && *value == one.second;
         });
}

/// Whether the feature has this name, optionally followed by a number.
bool is_called(const std::string& feature, const std::string& name) {
  if (!feature.starts_with(name)) return false;
  const std::string rest = feature.substr(name.size());
  return rest.empty() || (rest.size() > 1 && rest[0] == '.' && rest.find_first_not_of("0123456789", 1) == rest.npos);
}

/// A case's position on the curve of a feature: its integer parameter that the curve does not fix.
std::optional<double> position(const Row& row, const Feature& feature) {
  std::optional<double> at;
  const auto has = [&](const auto& parameter) { return find(row.parameters, parameter.first) != nullptr; };
  if (row.probe != feature.probe || row.outcome != Outcome::Measured || !std::ranges::all_of(feature.parameters, has))
    return at;
  for (const auto& [name, value] : row.parameters) {
    const Value* fixed = find(feature.parameters, name);
    if (fixed != nullptr && *fixed != value) return std::nullopt;
    const auto* number = std::get_if<std::int64_t>(&value);
    if (fixed == nullptr && number != nullptr) at = static_cast<double>(*number);
  }
  return at;
}

std::vector<Selected> features(const Record& record, const Selector& selector, const Parameters& bound) {
  const std::vector<const Row*> rows = cases_at(record, {.kind = Selector::Kind::Feature, .probe = selector.probe});
  const auto l2 = static_cast<double>(record.device.l2_bytes);
  std::vector<Selected> found;
  for (const Feature& feature : record.features) {
    if (feature.probe != selector.probe || !is_called(feature.name, selector.name)) continue;
    if (!selector.where.empty() && (feature.where.empty() ? "unnamed" : feature.where) != selector.where) continue;
    if (selector.part != Selector::Part::Any && (l2 <= 0 || feature.to <= 0)) continue;
    if (selector.part == Selector::Part::Inside && feature.to > l2) continue;
    if (selector.part == Selector::Part::Beyond && feature.from < l2) continue;
    if (!fits(selector, bound, feature.parameters, record.device)) continue;
    const bool bytes =
        feature.unit.empty() && (feature.name.starts_with("footprint") || feature.name.starts_with("offset"));
    std::vector<const Row*> cases = cases_of(feature, rows);
    const SmClock clock = clock_of(cases);
    found.push_back(
        {feature.value, feature.low, feature.high, bytes ? "B" : feature.unit, feature.name, clock, std::move(cases)});
  }
  return found;
}

}  // namespace

NamePattern::NamePattern(const std::string& pattern) : pattern_(pattern), any_(pattern.contains('*')) {}

bool NamePattern::fits(const std::string& name) const { return any_ ? matches(pattern_, name) : name == pattern_; }

bool fits_name(const std::string& name, const std::string& pattern) { return NamePattern(pattern).fits(name); }

namespace {

/// Of a row of the selector's table and probe.
bool has_parameters_and_counters(const Selector& selector, const Row& row, const DeviceFacts& device,
                                 const Parameters& bound) {
  if (!fits(selector, bound, row.parameters, device)) return false;
  return row.outcome != Outcome::Measured || std::ranges::all_of(selector.counters, [&](const auto& limits) {
           const auto at = row.counters.find(limits.first);
           return at != row.counters.end() && at->second >= limits.second.first && at->second <= limits.second.second;
         });
}

}  // namespace

RowName row_name(const Row& row) {
  const auto of = [&]() {
    switch (row.kind) {
      case RowKind::Probe:
        return Selector::Kind::Cases;
      case RowKind::Ptx:
        return Selector::Kind::Instruction;
      case RowKind::Kernel:
        return Selector::Kind::Kernel;
      default:
        return Selector::Kind::Form;
    }
  }();
  const bool of_probe = of == Selector::Kind::Cases || of == Selector::Kind::Kernel;
  return {of, of_probe ? row.probe : row.id, row.parameters};
}

bool means(const Selector& selector, const RowName& row, const DeviceFacts& device, const Parameters& bound) {
  return row.of == table_of(selector.kind) && fits_name(row.name, selector.probe) &&
         fits(selector, bound, row.parameters, device);
}

bool means(const Selector& selector, const Row& row, const DeviceFacts& device, const Parameters& bound) {
  return means(selector, row_name(row), device, bound) && has_parameters_and_counters(selector, row, device, bound);
}

std::vector<const Row*> cases_at(const Record& record, const Selector& selector, const Parameters& bound) {
  const bool estimates = selector.kind != Selector::Kind::Feature && selector.kind != Selector::Kind::Clock;
  std::vector<const Row*> found;
  if (table_of(selector.kind) != Selector::Kind::Cases) return found;
  const NamePattern probe(selector.probe);
  for (const Row& row : record.rows) {
    // Nearly all rows are of another probe.
    if (!probe.fits(row.probe) || row.outcome != Outcome::Measured || !row.window.verified()) continue;
    if (!has_parameters_and_counters(selector, row, record.device, bound)) continue;
    if (!estimates || published(row, selector.name) != nullptr) found.push_back(&row);
  }
  return found;
}

namespace {

/// The numbers of a row that became one form are those of the form's row, whose windows are composed.
bool is_verified(const Row& row, const std::string& number) {
  return row.kind != RowKind::Ptx || !row.forms.empty() ||
         std::ranges::any_of(row.instruction.runs, [&](const InstructionRun& run) {
           return run.verified() && run.measure.starts_with(number);
         });
}

/// The numbers of rows of instructions.json, machine.json or cases.json.
std::vector<Selected> selected_rows(const Record& record, const Selector& selector) {
  std::vector<Selected> found;
  const NamePattern name(selector.probe);
  for (const Row& row : record.rows) {
    const RowName own = row_name(row);
    if (own.of != selector.kind || !name.fits(own.name) || !fits(selector, {}, own.parameters, record.device)) continue;
    const Estimate* one = published(row, selector.name);
    if (one == nullptr || !is_verified(row, selector.name)) continue;
    found.push_back({one->value, one->low, one->high, one->unit, row.id, {}, {}});
    if (own.of == Selector::Kind::Instruction) found.back().clock = sm_clock(row.clock);
    if (own.of == Selector::Kind::Kernel) found.back().parameters = &row.parameters;
  }
  return found;
}

}  // namespace

std::vector<Selected> selected(const Record& record, const Selector& selector, const Parameters& bound) {
  if (selector.kind == Selector::Kind::Feature) return features(record, selector, bound);
  if (table_of(selector.kind) != Selector::Kind::Cases) return selected_rows(record, selector);
  std::vector<Selected> found;
  for (const Row* row : cases_at(record, selector, bound)) {
    const SmClock clock = sm_clock(row->clock);
    if (selector.kind == Selector::Kind::Clock) {
      const bool meant = selector.name != "window" || row->clock.in_window;
      if (clock.mhz > 0 && meant)
        found.push_back({clock.mhz, clock.low, clock.high, "MHz", row->id, clock, {row}, &row->parameters});
      continue;
    }
    const Estimate& estimate = *published(*row, selector.name);
    const double by = selector.kind == Selector::Kind::Half ? 0.5 : 1;
    found.push_back({by * estimate.value,
                     by * estimate.low,
                     by * estimate.high,
                     estimate.unit,
                     row->id,
                     clock,
                     {row},
                     &row->parameters});
  }
  return found;
}

std::optional<Selector> bound_to(const Parameters& row, const Selector& selector) {
  Selector bound = selector;
  const auto name = substitute(selector.probe, row);
  if (!name) return std::nullopt;
  bound.probe = *name;
  for (ParameterRule& rule : bound.with) {
    const auto* text = rule.equals ? std::get_if<std::string>(&*rule.equals) : nullptr;
    if (text == nullptr || !text->starts_with('{') || !text->ends_with('}')) continue;
    const Value* value = find(row, std::string_view(*text).substr(1, text->size() - 2));
    if (value == nullptr) return std::nullopt;
    rule.equals = *value;
  }
  return bound;
}

const Selected& taken(const std::vector<Selected>& all, bool highest) {
  return highest ? *std::ranges::max_element(all, {}, &Selected::low)
                 : *std::ranges::min_element(all, {}, &Selected::value);
}

std::vector<const Row*> cases_of(const Feature& feature, const std::vector<const Row*>& rows) {
  // Only a position has no unit: the interval of another number is none of the axis.
  const bool level = feature.to > 0, place = feature.unit.empty();
  const double low = level ? feature.from : feature.low, high = level ? feature.to : feature.high;
  std::vector<const Row*> inside, all;
  for (const Row* row : rows) {
    const auto at = position(*row, feature);
    if (!at) continue;
    all.push_back(row);
    if ((level || place) && *at >= low && *at <= high) inside.push_back(row);
  }
  return inside.empty() ? all : inside;
}

SmClock clock_of(const std::vector<const Row*>& rows) {
  std::vector<double> clocks;
  SmClock all;
  for (const Row* row : rows) {
    const SmClock one = sm_clock(row->clock);
    if (!(one.mhz > 0)) continue;
    clocks.push_back(one.mhz);
    all.low = clocks.size() == 1 ? one.low : std::min(all.low, one.low);
    all.high = std::max(all.high, one.high);
  }
  std::ranges::sort(clocks);
  if (!clocks.empty()) all.mhz = median(clocks);
  return all;
}

}  // namespace warpclock
