#include "record/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "gpu/job/statistics.hpp"
#include "record/outline.hpp"

namespace warpclock {
namespace {

/// The keys that name a kind; that of an instruction is `ptx`, beside `cases`.
constexpr std::array<std::pair<const char*, Selector::Kind>, 7> kind_keys = {{{"cases", Selector::Kind::Cases},
                                                                              {"half", Selector::Kind::Half},
                                                                              {"feature", Selector::Kind::Feature},
                                                                              {"line", Selector::Kind::Line},
                                                                              {"reach", Selector::Kind::Reach},
                                                                              {"clock", Selector::Kind::Clock},
                                                                              {"device", Selector::Kind::Device}}};

RangeEnd read_end(const Node& node) {
  const Value value = node.value();
  if (const auto* number = std::get_if<std::int64_t>(&value)) return {static_cast<double>(*number), false};
  static_cast<void>(node.word({"l2"}));
  return {0, true};
}

/// Both ends of a range, or nothing.
std::optional<std::pair<Node, Node>> read_range(const Node& node) {
  const std::vector<Node> ends = node.items();
  if (ends.size() == 2) return std::pair{ends[0], ends[1]};
  node.reject("a range is [low, high]");
  return {};
}

ParameterRule read_parameter(const std::string& name, const Node& node) {
  ParameterRule rule;
  rule.name = name;
  if (node.kind() != Node::Kind::Sequence) {
    rule.equals = node.value();
  } else if (const auto ends = read_range(node)) {
    rule.low = read_end(ends->first);
    rule.high = read_end(ends->second);
  }
  return rule;
}

/// Reads what to look for, from the one key that names its kind.
void read_kind(const Fields& fields, std::span<const Selector::Kind> kinds, const std::string& probe, Selector& out) {
  std::vector<std::string> known;
  int found = 0;
  for (const auto& [key, kind] : kind_keys) {
    if (std::ranges::find(kinds, kind) == kinds.end()) continue;
    known.push_back(fmt::format("'{}'", key));
    const auto node = fields.find(key);
    if (!node) continue;
    out.kind = kind;
    out.name = node->text();
    if (++found > 1) node->reject(join(known, ", ") + " exclude each other");
    if (kind == Selector::Kind::Clock) static_cast<void>(node->word({"sm", "window"}));
    if (kind == Selector::Kind::Device)
      static_cast<void>(node->word({"l2_bytes", "memory_bytes", "shared_per_sm_bytes", "memory_peak", "sm_clock"}));
  }
  if (found == 0) fields.node().reject("says one of " + join(known, ", "));
  const auto row =
      std::ranges::find(kinds, Selector::Kind::Instruction) == kinds.end() ? std::nullopt : fields.find("ptx");
  const auto given = probe.empty() ? fields.find("probe") : std::nullopt;
  if (row) {
    if (out.kind != Selector::Kind::Cases || given) row->reject("only with 'cases', and without 'probe'");
    out.kind = Selector::Kind::Instruction;
    out.probe = row->text();
  } else if (out.kind == Selector::Kind::Device) {
    if (given) given->reject("a device has no probe");
  } else {
    out.probe = probe.empty() ? fields.get("probe").text() : probe;
  }
}

void only_for(const Fields& fields, const char* key, bool allowed, const char* of) {
  const auto node = fields.find(key);
  if (node && !allowed) node->reject(fmt::format("only for {}", of));
}

/// Which keys narrow which kinds.
void check_keys(const Fields& fields, Selector::Kind kind) {
  const bool feature = kind == Selector::Kind::Feature,
             over = kind == Selector::Kind::Line || kind == Selector::Kind::Reach,
             probe = kind != Selector::Kind::Instruction && kind != Selector::Kind::Device;
  only_for(fields, "where", feature, "features");
  only_for(fields, "part", feature, "features");
  only_for(fields, "with", probe, "probes");
  only_for(fields, "counters", probe && !feature, "cases");
  only_for(fields, "take", probe && !over, "estimates, features and clocks");
  only_for(fields, "end", kind == Selector::Kind::Cases && !fields.has("take"), "cases, without 'take'");
  only_for(fields, "over", over, "'line' and 'reach'");
}

}  // namespace

Selector read_selector(const Node& item, std::span<const Selector::Kind> kinds, const std::string& probe) {
  std::vector<std::string> keys = {"with", "where", "counters", "part", "take", "end", "over"};
  for (const auto& [key, kind] : kind_keys)
    if (std::ranges::find(kinds, kind) != kinds.end()) keys.emplace_back(key);
  if (std::ranges::find(kinds, Selector::Kind::Instruction) != kinds.end()) keys.emplace_back("ptx");
  if (probe.empty()) keys.emplace_back("probe");
  const Fields fields = item.fields(keys);
  Selector out;
  read_kind(fields, kinds, probe, out);
  check_keys(fields, out.kind);
  if (out.kind == Selector::Kind::Line || out.kind == Selector::Kind::Reach) {
    for (const Node& factor : fields.get("over").items_or_self()) out.over.factors.push_back(factor.value());
  }
  if (const auto with = fields.find("with")) {
    for (const auto& [name, node] : with->entries()) out.with.push_back(read_parameter(name, node));
  }
  if (const auto where = fields.find("where")) out.where = where->word({"L1", "L2", "DRAM", "unnamed"});
  if (const auto counters = fields.find("counters")) {
    for (const auto& [name, node] : counters->entries()) {
      if (const auto ends = read_range(node))
        out.counters.emplace(name, std::pair{ends->first.number(), ends->second.number()});
    }
  }
  if (const auto part = fields.find("part"))
    out.part = part->word({"inside", "beyond"}) == "beyond" ? Selector::Part::Beyond : Selector::Part::Inside;
  if (const auto take = fields.find("take")) {
    const std::string word = take->word({"highest", "lowest", "range"});
    out.take = word == "highest"  ? Selector::Take::Highest
               : word == "lowest" ? Selector::Take::Lowest
                                  : Selector::Take::All;
  }
  if (const auto end = fields.find("end")) {
    out.take = Selector::Take::End;
    out.end_of = end->text();
  }
  return out;
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
std::optional<double> position(const CaseRecord& row, const Feature& feature) {
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
  const std::vector<const CaseRecord*> rows =
      cases_at(record, {.kind = Selector::Kind::Feature, .probe = selector.probe});
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
    std::vector<const CaseRecord*> cases = cases_of(feature, rows);
    const SmClock clock = clock_of(cases);
    found.push_back(
        {feature.value, feature.low, feature.high, bytes ? "B" : feature.unit, feature.name, clock, std::move(cases)});
  }
  return found;
}

}  // namespace

bool means(const Selector& selector, const CaseRecord& row, const DeviceFacts& device, const Parameters& bound) {
  if (row.probe != selector.probe || !fits(selector, bound, row.parameters, device)) return false;
  return row.outcome != Outcome::Measured || std::ranges::all_of(selector.counters, [&](const auto& limits) {
           const auto at = row.counters.find(limits.first);
           return at != row.counters.end() && at->second >= limits.second.first && at->second <= limits.second.second;
         });
}

std::vector<const CaseRecord*> cases_at(const Record& record, const Selector& selector, const Parameters& bound) {
  const bool estimates = selector.kind != Selector::Kind::Feature && selector.kind != Selector::Kind::Clock;
  std::vector<const CaseRecord*> found;
  for (const CaseRecord& row : record.cases) {
    if (row.outcome != Outcome::Measured || !row.window.verified() || !means(selector, row, record.device, bound))
      continue;
    if (!estimates || published(row, selector.name) != nullptr) found.push_back(&row);
  }
  return found;
}

std::vector<Selected> selected(const Record& record, const Selector& selector, const Parameters& bound) {
  if (selector.kind == Selector::Kind::Feature) return features(record, selector, bound);
  std::vector<Selected> found;
  for (const CaseRecord* row : cases_at(record, selector, bound)) {
    const SmClock clock = sm_clock(row->clock);
    if (selector.kind == Selector::Kind::Clock) {
      const bool meant = selector.name != "window" || row->clock.in_window;
      if (clock.mhz > 0 && meant) found.push_back({clock.mhz, clock.low, clock.high, "MHz", row->id, clock, {row}});
      continue;
    }
    const Estimate& estimate = *published(*row, selector.name);
    const double by = selector.kind == Selector::Kind::Half ? 0.5 : 1;
    found.push_back({by * estimate.value, by * estimate.low, by * estimate.high, estimate.unit, row->id, clock, {row}});
  }
  return found;
}

const Selected& taken(const std::vector<Selected>& all, bool highest) {
  return highest ? *std::ranges::max_element(all, {}, &Selected::low)
                 : *std::ranges::min_element(all, {}, &Selected::value);
}

std::vector<const CaseRecord*> cases_of(const Feature& feature, const std::vector<const CaseRecord*>& rows) {
  // Only a position has no unit: the interval of another number is none of the axis.
  const bool level = feature.to > 0, place = feature.unit.empty();
  const double low = level ? feature.from : feature.low, high = level ? feature.to : feature.high;
  std::vector<const CaseRecord*> inside, all;
  for (const CaseRecord* row : rows) {
    const auto at = position(*row, feature);
    if (!at) continue;
    all.push_back(row);
    if ((level || place) && *at >= low && *at <= high) inside.push_back(row);
  }
  return inside.empty() ? all : inside;
}

SmClock clock_of(const std::vector<const CaseRecord*>& rows) {
  std::vector<double> clocks;
  SmClock all;
  for (const CaseRecord* row : rows) {
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
