#include "model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/embedded.hpp"
#include "base/lookup.hpp"

namespace warpclock {

namespace {

using Kind = Selector::Kind;

/// A leaf is one number.
const SelectorKeys of_a_leaf{
    .kinds = {Kind::Cases, Kind::Half, Kind::Feature, Kind::Line, Kind::Reach, Kind::Clock, Kind::Instruction},
    .of_one_number = true};

}  // namespace

void describe(YamlArchive& a, EntryRule& v) {
  a.named("model_entry");
  v.place = a.place();
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(says);
  a.required("leaves", v.leaves, yaml::entries_of(yaml::one_or_list(yaml::with(of_a_leaf))));
}

void describe(YamlArchive& a, PipeRule& v) { WARPCLOCK_REQUIRED(pipe, form); }

void describe(YamlArchive& a, AccelOption& v) {
  WARPCLOCK_REQUIRED(option, of);
  WARPCLOCK_OPTIONAL(less, initiation);
}

void describe(YamlArchive& a, CeilingRule& v) {
  a.required("ceiling", v.name);
  WARPCLOCK_REQUIRED(of);
  WARPCLOCK_OPTIONAL(flop);
}

void describe(YamlArchive& a, PeakRule& v) {
  a.required("peak", v.name);
  a.required("kind", v.kind, yaml::OneOfWords{{"dense", "sparse", "load", "store", "copy"}});
  WARPCLOCK_REQUIRED(of);
  WARPCLOCK_OPTIONAL(flop, clock);
}

void describe(YamlArchive& a, PipelineRule& v) {
  a.required("pipeline", v.pipeline, yaml::OneOfWords{{"TMA", "TC", "CUDA", "SFU"}});
  WARPCLOCK_REQUIRED(section, entries, latency);
  WARPCLOCK_OPTIONAL(occupancy);
}

void describe(YamlArchive& a, ModelConfig& v) {
  a.named("model_file", "The machine model, in model.yaml.");
  WARPCLOCK_REQUIRED(pipes);
  for (const auto& [name, entries] : machine_sections) {
    // Of these, each row of machine.json is an entry.
    if (name == "pipes" || name == "dependences" || name == "co_issue") continue;
    a.required(name, v.sections.emplace_back(name, std::vector<EntryRule>()).second);
  }
  WARPCLOCK_REQUIRED(accel_sim, roofline, peaks, triton);
}

Expected<ModelConfig> parse_model_config(const std::string& file, std::string_view text) {
  return read_yaml<ModelConfig>(file, text);
}

const Expected<ModelConfig>& known_model_config() {
  static const Expected<ModelConfig> known =
      parse_model_config("configs/model.yaml", embedded_configs().at("model.yaml"));
  return known;
}

const Entry* find_entry(const Machine& machine, std::string_view section, std::string_view entry) {
  for (const auto& [name, entries] : machine_sections) {
    if (name != section) continue;
    return find_by(machine.*entries, entry, &Entry::name);
  }
  return nullptr;
}

const Leaf* find_leaf(const Entry& entry, std::string_view leaf) { return find_by(entry.leaves, leaf, &Leaf::name); }

const Leaf* find_leaf(const Machine& machine, std::string_view path) {
  const std::size_t first = path.find('/'), last = path.rfind('/');
  if (first == std::string_view::npos || first == last) return nullptr;
  const Entry* entry = find_entry(machine, path.substr(0, first), path.substr(first + 1, last - first - 1));
  return entry == nullptr ? nullptr : find_leaf(*entry, path.substr(last + 1));
}

const RecordSource& source_of(const Machine& machine, const Leaf& leaf) {
  static const RecordSource none;
  const auto found = std::ranges::find(machine.records, leaf.record, &RecordSource::file);
  return found == machine.records.end() ? none : *found;
}

std::string leaf_number(double value) { return fmt::format("{:.6g}", value); }

}  // namespace warpclock
