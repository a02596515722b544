#include "report/numbers/quantity.hpp"

#include <fmt/format.h>

#include "base/files/embedded.hpp"

namespace warpclock {
namespace {

using Place = QuantityPlace;

RangeEnd read_end(const Node& node) {
  const Value value = node.value();
  if (const auto* number = std::get_if<std::int64_t>(&value)) return {static_cast<double>(*number), false};
  static_cast<void>(node.word({"l2"}));
  return {0, true};
}

ParameterRule read_parameter(const std::string& name, const Node& node) {
  ParameterRule rule;
  rule.name = name;
  if (node.kind() != Node::Kind::Sequence) {
    rule.equals = node.value();
    return rule;
  }
  const std::vector<Node> ends = node.items();
  if (ends.size() != 2) {
    node.reject("a range is [low, high]");
    return rule;
  }
  rule.low = read_end(ends[0]);
  rule.high = read_end(ends[1]);
  return rule;
}

std::pair<double, double> read_range(const Node& node) {
  const std::vector<Node> ends = node.items();
  if (ends.size() != 2) {
    node.reject("a range is [low, high]");
    return {};
  }
  return {ends[0].number(), ends[1].number()};
}

/// Reads what to look for, from the one key that names its kind.
void read_kind(const Fields& fields, const std::string& probe, Place& place) {
  int kinds = 0;
  const auto kind = [&](const char* key, Place::Kind which) {
    const auto node = fields.find(key);
    if (!node) return;
    place.kind = which;
    place.name = node->text();
    if (++kinds > 1) node->reject("'feature', 'cases' and 'device' exclude each other");
  };
  kind("feature", Place::Kind::Feature);
  kind("cases", Place::Kind::Cases);
  kind("device", Place::Kind::Device);
  if (kinds == 0) fields.node().reject("says 'feature', 'cases' or 'device'");
  if (place.kind == Place::Kind::Device) {
    place.name =
        fields.get("device").word({"l2_bytes", "memory_bytes", "shared_per_sm_bytes", "memory_peak", "sm_clock"});
    if (const auto given = fields.find("probe")) given->reject("a device has no probe");
  } else {
    place.probe = probe.empty() ? fields.get("probe").text() : probe;
  }
}

void only_for(const Fields& fields, const char* key, bool allowed, const char* of) {
  const auto node = fields.find(key);
  if (node && !allowed) node->reject(fmt::format("only for {}", of));
}

}  // namespace

QuantityPlace read_quantity_place(const Node& item, const std::string& probe) {
  std::vector<std::string> keys = {"feature", "cases", "device", "with", "where", "counters", "part", "take", "end"};
  if (probe.empty()) keys.emplace_back("probe");
  const Fields fields = item.fields(keys);
  Place place;
  read_kind(fields, probe, place);
  only_for(fields, "where", place.kind == Place::Kind::Feature, "features");
  only_for(fields, "part", place.kind == Place::Kind::Feature, "features");
  only_for(fields, "counters", place.kind == Place::Kind::Cases, "cases");
  only_for(fields, "end", place.kind == Place::Kind::Cases && !fields.has("take"), "cases, without 'take'");
  if (const auto with = fields.find("with")) {
    for (const auto& [name, node] : with->entries()) place.with.push_back(read_parameter(name, node));
  }
  if (const auto where = fields.find("where")) place.where = where->word({"L1", "L2", "DRAM", "unnamed"});
  if (const auto counters = fields.find("counters")) {
    for (const auto& [name, node] : counters->entries()) place.counters.emplace(name, read_range(node));
  }
  if (const auto part = fields.find("part")) {
    place.part = part->word({"inside", "beyond"}) == "beyond" ? Place::Part::Beyond : Place::Part::Inside;
  }
  if (const auto take = fields.find("take")) {
    const std::string word = take->word({"highest", "lowest", "range"});
    place.take = word == "highest" ? Place::Take::Highest : word == "lowest" ? Place::Take::Lowest : Place::Take::Range;
  }
  if (const auto end = fields.find("end")) {
    place.take = Place::Take::End;
    place.end_of = end->text();
  }
  return place;
}

Expected<Quantities> parse_quantities(const std::string& file, std::string_view text) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  Quantities quantities;
  for (const Node& item : document.root().fields({"quantities"}).get("quantities").items()) {
    if (document.error()) break;
    const Fields fields = item.fields({"quantity", "says", "from"});
    Quantity quantity;
    const Node name = fields.get("quantity");
    quantity.name = name.text();
    quantity.says = fields.get("says").text();
    for (const Node& place : fields.get("from").items_or_self()) quantity.from.push_back(read_quantity_place(place));
    if (!quantities.emplace(quantity.name, quantity).second) {
      name.reject(fmt::format("'{}' is given twice", quantity.name));
    }
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return quantities;
}

const Expected<Quantities>& known_quantities() {
  static const Expected<Quantities> known =
      parse_quantities("quantities.yaml", embedded_assets().at("quantities.yaml"));
  return known;
}

}  // namespace warpclock
