#include "answer/numbers/published.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "answer/numbers/figures.hpp"
#include "base/files/embedded.hpp"
#include "base/text.hpp"
#include "plan/arch.hpp"
#include "plan/config/scope.hpp"

namespace warpclock {
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
