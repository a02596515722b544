#include "answer/numbers/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "answer/numbers/figures.hpp"
#include "base/files/embedded.hpp"
#include "base/text.hpp"

namespace warpclock {

SelectorKeys place_of(const std::string& probe) {
  using Kind = Selector::Kind;
  return {.kinds = {Kind::Cases, Kind::Half, Kind::Feature, Kind::Device}, .probe = probe};
}

void describe(YamlArchive& a, Quantity& v, std::set<std::string>& names) {
  const SelectorKeys place = place_of();
  a.required("quantity", v.name, yaml::new_text(names));
  WARPCLOCK_REQUIRED(says);
  a.required("from", v.from, yaml::one_or_list(yaml::with(place)));
}

Expected<Quantities> parse_quantities(const std::string& file, std::string_view text) {
  std::set<std::string> names;
  const auto form = yaml::under("quantities", yaml::list_of(yaml::with(names)));
  const auto all = WARPCLOCK_TRY(read_yaml<std::vector<Quantity>>(file, text, form));
  Quantities quantities;
  for (const Quantity& quantity : all) quantities.emplace(quantity.name, quantity);
  return quantities;
}

const Expected<Quantities>& known_quantities() {
  static const Expected<Quantities> known =
      parse_quantities("quantities.yaml", embedded_assets().at("quantities.yaml"));
  return known;
}

namespace {

std::optional<QuantityValue> stated(const DeviceFacts& device, const Selector& place) {
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
std::optional<QuantityValue> end_of(const std::vector<Selected>& all, const Selector& place) {
  std::vector<std::pair<std::int64_t, const Selected*>> points;
  for (const Selected& one : all) {
    const Value* at = find(one.cases.front()->parameters, place.end_of);
    const auto* number = at == nullptr ? nullptr : std::get_if<std::int64_t>(at);
    if (number != nullptr) points.emplace_back(*number, &one);
  }
  if (points.empty()) return std::nullopt;
  std::ranges::stable_sort(points, {}, &std::pair<std::int64_t, const Selected*>::first);
  constexpr double within = 1.02;
  const double most = within * taken(all, false).value;
  const auto past = std::ranges::find_if(points, [&](const auto& point) { return point.second->value > most; });
  if (past == points.begin() || past == points.end()) return std::nullopt;
  QuantityValue found;
  const auto& [at, last] = *(past - 1);
  found.value = found.low = static_cast<double>(at);
  found.high = static_cast<double>(past->first);
  found.unit = place.end_of == "footprint" ? "B" : "";
  found.from = fmt::format("last {} of {} with {:.4g} {}; the next one is {}", place.end_of, points.size(), last->value,
                           last->unit, past->first);
  return found;
}

QuantityValue chosen(const std::vector<Selected>& all, const Selector& place) {
  const char* what = place.kind == Selector::Kind::Feature ? "found" : "cases";
  const Selected& one = taken(all, place.take == Selector::Take::Highest);
  QuantityValue found;
  found.value = one.value;
  found.low = one.low;
  found.high = one.high;
  found.unit = one.unit;
  found.clock = one.clock;
  found.from = found.row = one.name;
  if (all.size() == 1) return found;
  if (place.take == Selector::Take::All) {
    const double most = std::ranges::max_element(all, {}, &Selected::value)->value;
    if (most > one.value) found.most = most;
    found.low = std::ranges::min_element(all, {}, &Selected::low)->low;
    found.high = std::ranges::max_element(all, {}, &Selected::high)->high;
    found.from = fmt::format("{} {}", all.size(), what);
    found.row.clear();
  } else {
    found.from = fmt::format("{} of {} {}: {}", place.take == Selector::Take::Highest ? "highest" : "lowest",
                             all.size(), what, one.name);
  }
  return found;
}

std::string number(double value, const std::string& unit) {
  if (unit == "B") return bytes_text(value);
  if (unit == "GB/s" || unit == "MHz") return fixed(value, 0);
  return unit.empty() ? fmt::format("{:g}", value) : fixed(value, 1);
}

}  // namespace

std::optional<QuantityValue> find_at(const Record& record, const Selector& place) {
  if (place.kind == Selector::Kind::Device) return stated(record.device, place);
  const std::vector<Selected> all = selected(record, place);
  if (all.empty()) return std::nullopt;
  std::optional<QuantityValue> found =
      place.take == Selector::Take::End ? end_of(all, place) : std::optional<QuantityValue>(chosen(all, place));
  if (found) found->probe = place.probe;
  return found;
}

std::optional<QuantityValue> find_quantity(const Record& record, const Quantity& quantity) {
  for (const Selector& place : quantity.from) {
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
