#include "report/numbers/quantity_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/outline.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

using Place = QuantityPlace;

/// A value from a case or feature at a place, with its interval and its name.
struct Candidate {
  double value, low, high;
  std::string unit, name;
  SmClock clock;
  double at = 0;  ///< value of the parameter whose end is sought
};

bool fits(const ParameterRule& rule, const Parameters& parameters, const DeviceFacts& device) {
  const Value* value = find(parameters, rule.name);
  if (value == nullptr) return false;
  if (rule.equals) return *value == *rule.equals;
  const auto* number = std::get_if<std::int64_t>(value);
  const auto bound = [&](const RangeEnd& end) { return end.l2 ? static_cast<double>(device.l2_bytes) : end.value; };
  return number != nullptr && static_cast<double>(*number) >= bound(rule.low) &&
         static_cast<double>(*number) <= bound(rule.high);
}

bool fits(const std::vector<ParameterRule>& rules, const Parameters& parameters, const DeviceFacts& device) {
  return std::ranges::all_of(rules, [&](const ParameterRule& rule) { return fits(rule, parameters, device); });
}

/// Whether the feature has this name, optionally followed by a number.
bool is_called(const std::string& feature, const std::string& name) {
  if (!feature.starts_with(name)) return false;
  const std::string rest = feature.substr(name.size());
  return rest.empty() || (rest.size() > 1 && rest[0] == '.' && rest.find_first_not_of("0123456789", 1) == rest.npos);
}

std::vector<Candidate> features(const Record& record, const Place& place) {
  std::vector<Candidate> found;
  const auto rows = mapped(record.cases, [](const CaseRecord& row) { return &row; });
  const auto l2 = static_cast<double>(record.device.l2_bytes);
  for (const Feature& feature : record.features) {
    if (feature.probe != place.probe || !is_called(feature.name, place.name)) continue;
    if (!place.where.empty() && (feature.where.empty() ? "unnamed" : feature.where) != place.where) continue;
    if (place.part != Place::Part::Any && (l2 <= 0 || feature.to <= 0)) continue;
    if (place.part == Place::Part::Inside && feature.to > l2) continue;
    if (place.part == Place::Part::Beyond && feature.from < l2) continue;
    if (!fits(place.with, feature.parameters, record.device)) continue;
    const bool bytes =
        feature.unit.empty() && (feature.name.starts_with("footprint") || feature.name.starts_with("offset"));
    found.push_back({feature.value, feature.low, feature.high, bytes ? "B" : feature.unit, feature.name,
                     clock_around(feature, rows)});
  }
  return found;
}

std::vector<Candidate> cases(const Record& record, const Place& place) {
  std::vector<Candidate> found;
  for (const CaseRecord* row : cases_at(record, place)) {
    const Estimate* estimate = published(*row, place.name);
    Candidate candidate{estimate->value, estimate->low, estimate->high, estimate->unit, row->id, sm_clock(row->clock)};
    if (place.take == Place::Take::End) {
      const Value* at = find(row->parameters, place.end_of);
      const auto* number = at == nullptr ? nullptr : std::get_if<std::int64_t>(at);
      if (number == nullptr) continue;
      candidate.at = static_cast<double>(*number);
    }
    found.push_back(std::move(candidate));
  }
  return found;
}

std::optional<QuantityValue> stated(const DeviceFacts& device, const Place& place) {
  QuantityValue found;
  found.unit = "B";
  found.from = "stated by the driver";
  if (place.name == "l2_bytes") found.value = static_cast<double>(device.l2_bytes);
  if (place.name == "memory_bytes") found.value = static_cast<double>(device.memory_bytes);
  if (place.name == "shared_per_sm_bytes") found.value = static_cast<double>(device.shared_per_sm_bytes);
  if (place.name == "memory_peak") {
    found.value = memory_peak(device).value_or(0);
    found.unit = "GB/s";
    found.from =
        fmt::format("{} bit at {:g} MHz, two transfers a clock", device.memory_bus_bits, device.memory_clock_max_mhz);
  }
  if (place.name == "sm_clock") {
    found.value = device.sm_clock_max_mhz;
    found.unit = "MHz";
    found.from = "the highest that NVML requests";
  }
  if (!(found.value > 0)) return std::nullopt;
  found.low = found.high = found.value;
  return found;
}

/// The last point, along the parameter, before the value exceeds the lowest one by more than 2 %, and the next point.
std::optional<QuantityValue> end_of(std::vector<Candidate> all, const Place& place) {
  std::ranges::sort(all, {}, &Candidate::at);
  const double lowest = std::ranges::min_element(all, {}, &Candidate::value)->value;
  constexpr double within = 1.02;
  const auto past = std::ranges::find_if(all, [&](const Candidate& one) { return one.value > lowest * within; });
  if (past == all.begin() || past == all.end()) return std::nullopt;
  QuantityValue found;
  const Candidate& last = *(past - 1);
  found.value = found.low = last.at;
  found.high = past->at;
  found.unit = place.end_of == "footprint" ? "B" : "";
  found.from = fmt::format("last {} of {} with {:.4g} {}; the next one is {:.0f}", place.end_of, all.size(), last.value,
                           last.unit, past->at);
  return found;
}

QuantityValue chosen(const std::vector<Candidate>& all, const Place& place) {
  const auto [least, most] = std::ranges::minmax_element(all, {}, &Candidate::value);
  const char* what = place.kind == Place::Kind::Feature ? "found" : "cases";
  // The highest rate is the one with the highest lower bound, because the highest value of many is biased upwards.
  const auto surest = std::ranges::max_element(all, {}, &Candidate::low);
  const Candidate& one = place.take == Place::Take::Highest ? *surest : *least;
  QuantityValue found;
  found.value = one.value;
  found.low = one.low;
  found.high = one.high;
  found.unit = one.unit;
  found.clock = one.clock;
  found.from = found.row = one.name;
  if (all.size() == 1) return found;
  if (place.take == Place::Take::Range) {
    if (most->value > least->value) found.most = most->value;
    found.low = std::ranges::min_element(all, {}, &Candidate::low)->low;
    found.high = std::ranges::max_element(all, {}, &Candidate::high)->high;
    found.from = fmt::format("{} {}", all.size(), what);
    found.row.clear();
  } else {
    found.from = fmt::format("{} of {} {}: {}", place.take == Place::Take::Highest ? "highest" : "lowest", all.size(),
                             what, one.name);
  }
  return found;
}

std::string number(double value, const std::string& unit) {
  if (unit == "B") return bytes_text(value);
  if (unit == "GB/s" || unit == "MHz") return fixed(value, 0);
  return unit.empty() ? fmt::format("{:g}", value) : fixed(value, 1);
}

}  // namespace

std::vector<const CaseRecord*> cases_at(const Record& record, const QuantityPlace& place) {
  std::vector<const CaseRecord*> found;
  for (const CaseRecord& row : record.cases) {
    if (row.probe != place.probe || published(row, place.name) == nullptr) continue;
    if (!fits(place.with, row.parameters, record.device)) continue;
    const bool counted = std::ranges::all_of(place.counters, [&](const auto& rule) {
      const auto at = row.counters.find(rule.first);
      return at != row.counters.end() && at->second >= rule.second.first && at->second <= rule.second.second;
    });
    if (counted) found.push_back(&row);
  }
  return found;
}

std::optional<QuantityValue> find_at(const Record& record, const QuantityPlace& place) {
  if (place.kind == Place::Kind::Device) return stated(record.device, place);
  const std::vector<Candidate> all =
      place.kind == Place::Kind::Feature ? features(record, place) : cases(record, place);
  if (all.empty()) return std::nullopt;
  std::optional<QuantityValue> found =
      place.take == Place::Take::End ? end_of(all, place) : std::optional<QuantityValue>(chosen(all, place));
  if (found) found->probe = place.probe;
  return found;
}

std::optional<QuantityValue> find_quantity(const Record& record, const Quantity& quantity) {
  for (const QuantityPlace& place : quantity.from) {
    if (std::optional<QuantityValue> found = find_at(record, place)) {
      found->quantity = &quantity;
      const std::string& best = quantity.from.front().probe;
      const bool here =
          best == place.probe || std::ranges::find(record.cases, best, &CaseRecord::probe) != record.cases.end();
      if (!here) found->preferred = best;
      return found;
    }
  }
  return std::nullopt;
}

std::string bytes_text(double bytes) {
  constexpr double exact = 4096, most = 1e18;
  if (!(bytes >= 0 && bytes < most)) return fmt::format("{:g} B", bytes);
  const auto whole = static_cast<std::uint64_t>(std::round(bytes));
  return bytes < exact ? fmt::format("{} B", whole) : human_bytes(whole);
}

std::string value_text(const QuantityValue& found) {
  std::string text = number(found.value, found.unit);
  if (found.most) {
    const std::string most = number(*found.most, found.unit);
    if (most != text) text += " \xE2\x80\x93 " + most;
  }
  return found.unit.empty() || found.unit == "B" ? text : text + " " + found.unit;
}

std::string interval_text(const QuantityValue& found) {
  const std::string low = number(found.low, found.unit), high = number(found.high, found.unit);
  if (low == high) return {};
  const std::string unit = found.unit.empty() || found.unit == "B" ? "" : " " + found.unit;
  return "between " + low + " and " + high + unit;
}

}  // namespace warpclock
