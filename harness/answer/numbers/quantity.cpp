#include "answer/numbers/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "answer/numbers/figures.hpp"
#include "base/files/embedded.hpp"
#include "base/text.hpp"
#include "plan/arch.hpp"
#include "plan/config/scope.hpp"

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
      const bool here = best == place.probe || std::ranges::find(record.rows, best, &Row::probe) != record.rows.end();
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

namespace {

using Sources = std::map<std::string, std::string>;

struct Source {
  std::string name, what;
};

void describe(YamlArchive& a, Source& v, std::set<std::string>& names) {
  a.required("name", v.name, yaml::new_text(names));
  WARPCLOCK_REQUIRED(what);
}

/// A number, or both ends.
std::pair<double, double> read_number(const Node& node) {
  const std::vector<Node> ends = node.items_or_self();
  if (ends.size() > 2 || ends.empty()) node.reject("is a number, or [low, high]");
  if (node.failed()) return {};
  const std::pair<double, double> number{ends.front().number(), ends.back().number()};
  if (!(number.first > 0) || number.second < number.first) node.reject("is above 0, and the lower end comes first");
  return number;
}

}  // namespace

void describe(YamlArchive& a, PublishedValue& v, int sm, const Quantities& quantities, const Sources& sources) {
  std::pair<double, double> number;
  const std::string* source = nullptr;
  std::string at, checked;
  v.sm = sm;
  a.required("of", v.quantity, yaml::entry_of(quantities, "quantity"));
  WARPCLOCK_REQUIRED(gpu);
  a.required("value", number, yaml::custom(read_number));
  std::tie(v.low, v.high) = number;
  a.required("unit", v.unit, yaml::OneOfWords{units()});
  WARPCLOCK_OPTIONAL(given);
  a.required("source", source, yaml::entry_of(sources, "source"));
  a.required("at", at);
  v.source = (source == nullptr ? "" : *source) + ", " + at;
  a.required("checked", checked, yaml::OneOfWords{{"read", "quoted"}});
  v.checked = checked == "read" ? "read at its source" : "as quoted by others";
  WARPCLOCK_OPTIONAL(because, device);
}

namespace {

struct PublishedFor {
  Arch arch;
  std::vector<PublishedValue> values;
};

void describe(YamlArchive& a, PublishedFor& v, const Quantities& quantities, const Sources& sources) {
  a.required("arch", v.arch, yaml::arch());
  a.required("values", v.values, yaml::list_of(yaml::with(v.arch.sm, quantities, sources)));
}

struct PublishedFile {
  std::vector<PublishedFor> published;
};

void describe(YamlArchive& a, PublishedFile& v, const Quantities& quantities) {
  std::set<std::string> names;
  std::vector<Source> listed;
  a.required("sources", listed, yaml::list_of(yaml::with(names)));
  Sources sources;
  for (const Source& source : listed) sources.emplace(source.name, source.what);
  a.required("published", v.published, yaml::list_of(yaml::with(quantities, sources)));
}

/// A quantity in the unit of a published value; nothing if that is another kind of number.
std::optional<QuantityValue> converted(const QuantityValue& found, const std::string& unit, const Record& record) {
  if (found.unit == unit) return found;
  if (unit != "GB/s") return std::nullopt;
  QuantityValue out = found;
  out.unit = unit;
  const auto rate = [&](double each) { return gigabytes_per_second(each, found.unit, record.device.sms, found.clock); };
  const auto value = rate(found.value), low = rate(found.low), high = rate(found.high);
  if (!value || !low || !high) return std::nullopt;
  out.value = value->value;
  out.low = value->moved ? low->low : low->value;
  out.high = value->moved ? high->high : high->value;
  if (const auto most = found.most ? rate(*found.most) : std::nullopt) out.most = most->value;
  return out;
}

std::string text_of(const PublishedValue& value) {
  const auto number = [&](double each) {
    return value.unit == "B" ? bytes_text(each) : fmt::format("{:.6g} {}", each, value.unit);
  };
  std::string text = number(value.low);
  if (value.high > value.low) text += " to " + number(value.high);
  return value.given.empty() ? text : text + " (" + value.given + ")";
}

double difference_of(const QuantityValue& measured, const PublishedValue& value) {
  const double most = measured.most.value_or(measured.value);
  if (measured.value > value.high) return measured.value / value.high - 1;
  return most < value.low ? most / value.low - 1 : 0;
}

}  // namespace

Expected<std::vector<PublishedValue>> parse_published(const std::string& file, std::string_view text,
                                                      const Quantities& quantities) {
  const auto read = WARPCLOCK_TRY(read_yaml<PublishedFile>(file, text, yaml::with(quantities)));
  std::vector<PublishedValue> values;
  for (const PublishedFor& group : read.published)
    values.insert(values.end(), group.values.begin(), group.values.end());
  return values;
}

const Expected<std::vector<PublishedValue>>& known_published() {
  static const Expected<std::vector<PublishedValue>> known = []() -> Expected<std::vector<PublishedValue>> {
    const Expected<Quantities>& quantities = known_quantities();
    if (!quantities) return std::unexpected(quantities.error());
    return parse_published("published.yaml", embedded_assets().at("published.yaml"), *quantities);
  }();
  return known;
}

std::vector<PublishedLine> published_lines(const std::vector<PublishedValue>& values, const Record& record,
                                           std::string_view probe) {
  std::vector<PublishedLine> lines;
  const Expected<Arch> arch = parse_arch(record.device.arch);
  if (!arch) return lines;
  std::map<const Quantity*, std::optional<QuantityValue>> known;
  for (const PublishedValue& value : values) {
    if (value.sm != arch->sm || !record.device.name.contains(value.device)) continue;
    const auto [at, fresh] = known.try_emplace(value.quantity);
    if (fresh) at->second = find_quantity(record, *value.quantity);
    if (!at->second || at->second->probe != probe) continue;
    const std::optional<QuantityValue> measured = converted(*at->second, value.unit, record);
    if (!measured) continue;
    PublishedLine line;
    line.published = &value;
    line.measured = *measured;
    line.difference = difference_of(*measured, value);
    line.says = value.quantity->says;
    line.measured_text = value_text(*measured);
    line.published_text = text_of(value);
    line.difference_text = signed_percent(line.difference);
    if (std::abs(line.difference) > unremarkable_difference) {
      line.why = value.because.empty() ? "not explained" : value.because;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace warpclock
