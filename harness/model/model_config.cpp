#include "model/model_config.hpp"

#include <array>

#include "base/files/embedded.hpp"
#include "plan/config/yaml.hpp"

namespace warpclock {
namespace {

using Kind = Selector::Kind;

constexpr std::array kinds = {Kind::Cases, Kind::Half,  Kind::Feature,    Kind::Line,
                              Kind::Reach, Kind::Clock, Kind::Instruction};

/// A leaf is one number.
Selector read_place(const Node& item) {
  Selector place = read_selector(item, kinds);
  if (place.take == Selector::Take::End) item.reject("'end' is not for a model");
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
  for (const Node& item : root.get("peaks").items()) {
    const Fields fields = item.fields({"peak", "kind", "of", "flop", "clock"});
    const auto flop = fields.find("flop");
    config.peaks.push_back({fields.get("peak").text(),
                            fields.get("kind").word({"dense", "sparse", "load", "store", "copy"}),
                            fields.get("of").text(), flop ? flop->number() : 0, text_or_none(fields, "clock")});
  }
  for (const Node& item : root.get("triton").items()) {
    const Fields fields = item.fields({"pipeline", "section", "entries", "latency", "occupancy"});
    config.triton.push_back({fields.get("pipeline").word({"TMA", "TC", "CUDA", "SFU"}), fields.get("section").text(),
                             fields.get("entries").text(), fields.get("latency").text(),
                             text_or_none(fields, "occupancy")});
  }
}

/// These sections need no rules: each row of machine.json is an entry.
bool is_of_the_machine_table(std::string_view section) { return section == "dependences" || section == "co_issue"; }

}  // namespace

Expected<ModelConfig> parse_model_config(const std::string& file, std::string_view text) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  std::vector<std::string> keys = {"accel_sim", "roofline", "peaks", "triton"};
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
