#include "answer/numbers/published.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "answer/numbers/figures.hpp"
#include "base/files/embedded.hpp"
#include "base/text.hpp"
#include "plan/arch.hpp"
#include "plan/config/scalar.hpp"
#include "plan/config/yaml.hpp"

namespace warpclock {
namespace {

using Sources = std::map<std::string, std::string>;

Sources read_sources(const Node& list) {
  Sources sources;
  for (const Node& item : list.items()) {
    const Fields fields = item.fields({"name", "what"});
    const Node name = fields.get("name");
    if (!sources.emplace(name.text(), fields.get("what").text()).second) {
      name.reject(fmt::format("'{}' is given twice", name.text()));
    }
  }
  return sources;
}

void read_number(const Node& node, PublishedValue& value) {
  const std::vector<Node> ends = node.items_or_self();
  if (ends.size() > 2 || ends.empty()) {
    node.reject("is a number, or [low, high]");
    return;
  }
  value.low = ends.front().number();
  value.high = ends.back().number();
  if (!(value.low > 0) || value.high < value.low) node.reject("is above 0, and the lower end comes first");
}

PublishedValue read_value(const Node& item, int sm, const Quantities& quantities, const Sources& sources) {
  const Fields fields =
      item.fields({"of", "gpu", "value", "unit", "given", "source", "at", "checked", "because", "device"});
  PublishedValue value;
  value.sm = sm;
  value.quantity = fields.get("of").entry_of(quantities, "quantity");
  value.gpu = fields.get("gpu").text();
  read_number(fields.get("value"), value);
  value.unit = fields.get("unit").word(units());
  if (const auto given = fields.find("given")) value.given = given->text();
  const std::string* source = fields.get("source").entry_of(sources, "source");
  value.source = (source == nullptr ? "" : *source) + ", " + fields.get("at").text();
  value.checked =
      fields.get("checked").word({"read", "quoted"}) == "read" ? "read at its source" : "as quoted by others";
  if (const auto because = fields.find("because")) value.because = because->text();
  if (const auto device = fields.find("device")) value.device = device->text();
  return value;
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
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  const Fields fields = document.root().fields({"sources", "published"});
  const Sources sources = read_sources(fields.get("sources"));
  std::vector<PublishedValue> values;
  for (const Node& group : fields.get("published").items()) {
    if (document.error()) break;
    const Fields inside = group.fields({"arch", "values"});
    const Node name = inside.get("arch");
    const Expected<Arch> arch = parse_arch(name.text());
    if (!arch) name.reject(arch.error().text);
    for (const Node& item : inside.get("values").items()) {
      if (document.error()) break;
      values.push_back(read_value(item, arch ? arch->sm : 0, quantities, sources));
    }
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
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
