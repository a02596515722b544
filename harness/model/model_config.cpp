#include "model/model_config.hpp"

#include <fmt/format.h>

#include "base/files/embedded.hpp"
#include "plan/config/yaml.hpp"

namespace warpclock {
namespace {

using From = LeafPlace::From;

ParameterLimits read_limits(const std::string& name, const Node& node) {
  ParameterLimits limits;
  limits.name = name;
  if (node.kind() != Node::Kind::Sequence) {
    limits.equals = node.value();
    return limits;
  }
  const std::vector<Node> ends = node.items();
  if (ends.size() != 2) {
    node.reject("a range is [low, high]");
    return limits;
  }
  limits.low = ends[0].number();
  const Value high = ends[1].value();
  if (const auto* number = std::get_if<std::int64_t>(&high)) {
    limits.high = static_cast<double>(*number);
  } else {
    limits.up_to_l2 = !ends[1].word({"l2"}).empty();
  }
  return limits;
}

Product read_amount(const Node& node) {
  Product product;
  for (const Node& factor : node.items_or_self()) product.factors.push_back(factor.value());
  return product;
}

/// Reads the one key that says what the place has.
void read_from(const Fields& fields, LeafPlace& place) {
  constexpr std::array<std::pair<const char*, From>, 6> kinds = {{{"estimate", From::Estimate},
                                                                  {"half", From::Half},
                                                                  {"feature", From::Feature},
                                                                  {"line", From::Line},
                                                                  {"reach", From::Reach},
                                                                  {"clock", From::Clock}}};
  int found = 0;
  for (const auto& [key, from] : kinds) {
    const auto node = fields.find(key);
    if (!node) continue;
    place.from = from;
    place.name = from == From::Clock ? node->word({"sm"}) : node->text();
    if (++found > 1) node->reject("a place has one of estimate, half, feature, line, reach and clock");
  }
  if (found == 0) fields.node().reject("missing key 'estimate', 'half', 'feature', 'line', 'reach' or 'clock'");
  if (const auto row = fields.find("ptx")) {
    if (place.from != From::Estimate || fields.has("probe")) row->reject("only with 'estimate', and without 'probe'");
    place.from = From::Ptx;
    place.probe = row->text();
  } else {
    place.probe = fields.get("probe").text();
  }
}

void allow(const Fields& fields, const char* key, bool allowed, const char* of) {
  const auto node = fields.find(key);
  if (node && !allowed) node->reject(fmt::format("only for {}", of));
}

LeafPlace read_place(const Node& item) {
  const Fields fields = item.fields({"probe", "ptx", "estimate", "half", "feature", "line", "reach", "clock", "with",
                                     "counters", "where", "part", "take", "over"});
  LeafPlace place;
  read_from(fields, place);
  const bool over = place.from == From::Line || place.from == From::Reach, feature = place.from == From::Feature;
  allow(fields, "where", feature, "features");
  allow(fields, "part", feature, "features");
  allow(fields, "counters", !feature && place.from != From::Ptx, "cases");
  allow(fields, "with", place.from != From::Ptx, "probes");
  allow(fields, "take", !over && place.from != From::Ptx, "estimates, features and clocks");
  allow(fields, "over", over, "'line' and 'reach'");
  if (over) place.over = read_amount(fields.get("over"));
  if (const auto with = fields.find("with")) {
    for (const auto& [name, node] : with->entries()) place.with.push_back(read_limits(name, node));
  }
  if (const auto counters = fields.find("counters")) {
    for (const auto& [name, node] : counters->entries()) {
      const std::vector<Node> ends = node.items();
      if (ends.size() != 2) node.reject("a range is [low, high]");
      if (ends.size() == 2) place.counters.emplace(name, std::pair{ends[0].number(), ends[1].number()});
    }
  }
  if (const auto where = fields.find("where")) place.where = where->word({"L1", "L2", "DRAM"});
  if (const auto part = fields.find("part")) place.inside_l2 = !part->word({"inside"}).empty();
  if (const auto take = fields.find("take")) {
    const bool highest = take->word({"highest", "lowest"}) == "highest";
    place.take = highest ? LeafPlace::Take::Highest : LeafPlace::Take::Lowest;
  }
  return place;
}

EntryRule read_entry(const Node& item) {
  const Fields fields = item.fields({"name", "says", "leaves"});
  EntryRule rule;
  rule.place = item.place();
  rule.name = fields.get("name").text();
  if (const auto says = fields.find("says")) rule.says = says->text();
  for (const auto& [name, node] : fields.get("leaves").entries()) {
    LeafRule leaf{name, {}};
    for (const Node& place : node.items_or_self()) leaf.places.push_back(read_place(place));
    rule.leaves.push_back(std::move(leaf));
  }
  return rule;
}

std::string text_or_none(const Fields& fields, const char* key) {
  const auto node = fields.find(key);
  return node ? node->text() : "";
}

void read_exports(const Fields& root, ModelConfig& config) {
  for (const Node& item : root.get("accel_sim").items()) {
    const Fields fields = item.fields({"option", "of", "less", "initiation"});
    config.accel_sim.push_back({fields.get("option").text(), fields.get("of").text(), text_or_none(fields, "less"),
                                text_or_none(fields, "initiation")});
  }
  for (const Node& item : root.get("roofline").items()) {
    const Fields fields = item.fields({"ceiling", "of", "flop"});
    const auto flop = fields.find("flop");
    config.roofline.push_back({fields.get("ceiling").text(), fields.get("of").text(), flop ? flop->number() : 0});
  }
  for (const Node& item : root.get("triton").items()) {
    const Fields fields = item.fields({"pipeline", "section", "entries", "latency", "occupancy"});
    config.triton.push_back({fields.get("pipeline").word({"MEM", "TC", "CUDA", "SFU"}), fields.get("section").text(),
                             fields.get("entries").text(), fields.get("latency").text(),
                             text_or_none(fields, "occupancy")});
  }
}

/// These sections need no rules: each row of machine.json is an entry.
bool is_of_the_machine_table(std::string_view section) { return section == "dependences" || section == "co_issue"; }

}  // namespace

Expected<ModelConfig> parse_model_config(const std::string& file, std::string_view text) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  std::vector<std::string> keys = {"accel_sim", "roofline", "triton"};
  for (const auto& [name, entries] : machine_sections) {
    if (!is_of_the_machine_table(name)) keys.emplace_back(name);
  }
  const Fields root = document.root().fields(keys);
  ModelConfig config;
  for (const Node& item : root.get("pipes").items()) {
    const Fields fields = item.fields({"pipe", "form"});
    config.pipes.push_back({fields.get("pipe").text(), fields.get("form").text()});
  }
  for (const auto& [name, entries] : machine_sections) {
    if (name == "pipes" || is_of_the_machine_table(name)) continue;
    auto& [section, rules] = config.sections.emplace_back(name, std::vector<EntryRule>());
    for (const Node& item : root.get(name).items()) {
      if (document.error()) break;
      rules.push_back(read_entry(item));
    }
  }
  read_exports(root, config);
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return config;
}

const Expected<ModelConfig>& known_model_config() {
  static const Expected<ModelConfig> known =
      parse_model_config("configs/model.yaml", embedded_configs().at("model.yaml"));
  return known;
}

}  // namespace warpclock
