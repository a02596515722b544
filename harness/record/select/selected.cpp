#include "record/select/selected.hpp"

#include <algorithm>
#include <optional>

#include "gpu/job/statistics.hpp"
#include "record/outline.hpp"

namespace warpclock {
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
      if (clock.mhz > 0) found.push_back({clock.mhz, clock.low, clock.high, "MHz", row->id, clock, {row}});
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
