#include "inspect/latency_table.hpp"

#include <fmt/format.h>

#include "base/lookup.hpp"
#include "fields/skeleton.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

/// Whether the cache that answers decides the latency.
bool depends_on_level(const Instruction& instruction) {
  const auto access = access_of(instruction);
  return access && access->memory != "shared";
}

}  // namespace

LatencyTable::LatencyTable(const Machine* machine, const Arch& arch) : forms_(forms_of(arch)) {
  if (machine == nullptr) return;
  for (const Entry& entry : machine->instructions) {
    if (!entry.name.starts_with('@')) continue;
    measured_.emplace(entry.name, &entry);
    by_opcode_[name_in(entry.name)].push_back(&entry);
  }
}

std::optional<double> LatencyTable::of_opcode(const std::string& name, const std::string& leaf) const {
  const auto found = by_opcode_.find(name);
  if (found == by_opcode_.end()) return std::nullopt;
  std::optional<double> agreed;
  for (const Entry* entry : found->second) {
    const Leaf* known = find_leaf(*entry, leaf);
    if (known == nullptr) continue;
    if (agreed && *agreed != known->value) return std::nullopt;
    agreed = known->value;
  }
  return agreed;
}

SourceLatency LatencyTable::of(const Instruction& instruction, std::size_t source) const {
  if (depends_on_level(instruction)) return {.cycles = {}, .why = "the level that answers decides it"};
  const std::string key = key_of(skeleton_of(instruction.text));
  const std::string leaf = fmt::format("latency.{}", static_cast<char>('a' + source));
  const Entry* entry = value_or(measured_, key, nullptr);
  const Leaf* known = entry == nullptr ? nullptr : find_leaf(*entry, leaf);
  if (known != nullptr) return {known->value, "measured", ""};
  if (const auto cycles = of_opcode(instruction.name(), leaf)) return {cycles, "opcode", ""};
  const WordForm* form = forms_.find(key);
  if (form != nullptr && form->encoded) return {*form->encoded, "encoded", ""};
  return {.cycles = {}, .why = entry == nullptr ? "no row has this form" : "no row has this operand"};
}

}  // namespace warpclock
