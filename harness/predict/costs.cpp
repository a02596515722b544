#include "predict/costs.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "code/pipe.hpp"
#include "fields/form_table.hpp"
#include "fields/skeleton.hpp"

namespace warpclock {
namespace {

std::string opcode_of(const std::string& name) { return name.substr(0, name.find('.')); }

/// Without the word that lets L1 drop the line after the load: rows of LDG with and without such words agree.
std::string without_last_use(std::string name) {
  constexpr std::string_view word = ".LU";
  const auto at = name.find(word);
  if (at != std::string::npos && (at + word.size() == name.size() || name[at + word.size()] == '.'))
    name.erase(at, word.size());
  return name;
}

std::string form_of(const Instruction& instruction) { return key_of(skeleton_of(instruction.text)); }

/// The latency that is the longest of all operands: a scoreboard does not know which operand came last.
std::optional<Bounds> leaf_of(const Entry& entry, std::string_view leaf) {
  std::optional<Bounds> found;
  for (const Leaf& each : entry.leaves) {
    const bool is = leaf == "latency" ? each.name.starts_with("latency.") : each.name == leaf;
    if (is && (!found || each.value > found->low)) found = Bounds{each.value, each.value};
  }
  return found;
}

/// Pipes whose unit all sub-partitions of the SM share: their rows with one warp on each sub-partition take longer than
/// those of a single warp (LDS 4 and 2, LDC 8 and 4, S2R 8 and 2).
bool is_shared(std::string_view pipe) {
  constexpr std::array<std::string_view, 3> shared{"lsu", "adu", "tex"};
  return std::ranges::find(shared, pipe) != shared.end();
}

}  // namespace

CostTable::CostTable(const Machine& machine) : machine_(machine) {
  for (const Entry& entry : machine.instructions) {
    if (!entry.name.starts_with('@')) continue;
    const std::string name = name_in(entry.name);
    by_form_.emplace(entry.name, &entry);
    by_name_[name].push_back(&entry);
    by_opcode_[opcode_of(name)].push_back(&entry);
    by_pipe_[std::string(pipe_of(name))].push_back(&entry);
  }
}

bool CostTable::agree(const Entries& entries, std::string_view leaf) const {
  std::optional<Bounds> all;
  for (const Entry* entry : entries) {
    const auto value = leaf_of(*entry, leaf);
    if (!value) continue;
    all = all ? Bounds{std::min(all->low, value->low), std::max(all->high, value->high)} : *value;
  }
  return all && all->known();
}

/// The entries that say most about the leaf: one, if the form has it.
CostTable::Entries CostTable::nearest(const Instruction& instruction, std::string_view leaf) const {
  const auto row = by_form_.find(form_of(instruction));
  if (row != by_form_.end() && leaf_of(*row->second, leaf)) return {row->second};
  const auto among = [&](const auto& table, const std::string& key) {
    const auto found = table.find(key);
    return found != table.end() &&
                   std::ranges::any_of(found->second, [&](const Entry* one) { return leaf_of(*one, leaf).has_value(); })
               ? found->second
               : Entries();
  };
  if (Entries same = among(by_name_, without_last_use(instruction.name())); !same.empty() && agree(same, leaf))
    return same;
  if (Entries same = among(by_opcode_, instruction.opcode); !same.empty()) return same;
  return among(by_pipe_, std::string(pipe_of(instruction.name())));
}

Cost CostTable::of(const Instruction& instruction) const {
  Cost cost;
  cost.pipe = pipe_of(instruction.name());
  const auto range = [](const Entries& entries, std::string_view leaf, std::string_view instead) {
    std::optional<Bounds> all;
    for (const Entry* entry : entries) {
      auto value = leaf_of(*entry, leaf);
      if (!value && !instead.empty()) value = leaf_of(*entry, instead);
      if (value) all = all ? Bounds{std::min(all->low, value->low), std::max(all->high, value->high)} : *value;
    }
    return all;
  };
  const Entries intervals = nearest(instruction, "interval");
  if (const auto known = range(intervals, "interval.one_warp", "interval")) cost.interval = *known;
  if (is_shared(cost.pipe)) {
    const auto all = range(intervals, "interval", "").value_or(Bounds{});
    // Of rows with one warp on each sub-partition.
    constexpr auto takers = static_cast<double>(sub_partitions);
    cost.shared = {all.low / takers, all.high / takers};
  }
  const auto latency = range(nearest(instruction, "latency"), "latency", "");
  if (latency) cost.latency = *latency;
  cost.known_interval = !intervals.empty() && cost.interval.known() && cost.shared.known();
  cost.known_latency = latency && latency->known();
  return cost;
}

}  // namespace warpclock
