#include "predict/program/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "fields/form_table.hpp"
#include "fields/skeleton.hpp"

namespace warpclock {
namespace {

std::string opcode_of(const std::string& name) { return name.substr(0, name.find('.')); }

/// The name without a word.
std::string without(std::string name, std::string_view word) {
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
    const bool is = each.name == leaf || (leaf == "latency" && each.name.starts_with("latency."));
    if (is && (!found || each.value > found->low)) found = Bounds{each.value, each.value};
  }
  return found;
}

/// Takes in another number.
void widen(std::optional<Bounds>& all, const Bounds& other) {
  all = all ? Bounds{std::min(all->low, other.low), std::max(all->high, other.high)} : other;
}

/// Pipes whose unit all sub-partitions of the SM share: their rows with one warp on each sub-partition take longer than
/// those of a single warp (LDS 4 and 2, LDC 8 and 4, S2R 8 and 2).
bool is_shared(std::string_view pipe) {
  constexpr std::array<std::string_view, 3> shared{"lsu", "adu", "tex"};
  return std::ranges::find(shared, pipe) != shared.end();
}

bool a_from_registers(const Instruction& instruction) {
  return instruction.operands.size() > 1 && instruction.operands[1].starts_with('R');
}

/// The modifier with the shape: "64x128x16".
std::vector<std::string>::const_iterator shape_of(const Instruction& instruction) {
  return std::ranges::find_if(instruction.modifiers, [](const std::string& one) { return one.starts_with("64x"); });
}

/// "64x128"
std::string size_of(const Instruction& instruction) {
  const auto shape = shape_of(instruction);
  return shape == instruction.modifiers.end() ? "" : shape->substr(0, shape->rfind('x'));
}

/// The entry of a multiply of a warp group by its PTX name: wgmma.m64n128k16.f32.f16.a_shared.
std::string wgmma_entry(const Instruction& instruction, bool registers) {
  const auto shape = shape_of(instruction);
  if (shape == instruction.modifiers.end()) return "";
  const std::size_t by = shape->find('x', 3);
  if (by == shape->npos) return "";
  const bool sparse = has_modifier(instruction, "SP");
  std::vector<std::string> types;
  for (auto word = shape + 1; word != instruction.modifiers.end(); ++word) types.push_back(to_lower(*word));
  const bool integers = instruction.opcode == "IGMMA" || instruction.opcode == "BGMMA";
  const std::string acc = integers || types.empty() ? "s32" : types.front();
  std::string ab = integers && !types.empty() ? types.front() : types.size() > 1 ? types[1] : "f16";
  if (instruction.opcode == "BGMMA") ab = "b1";
  return fmt::format("wgmma.{}m64n{}k{}.{}.{}{}", sparse ? "sp." : "", shape->substr(3, by - 3), shape->substr(by + 1),
                     acc, ab,
                     sparse      ? ""
                     : registers ? ".a_registers"
                                 : ".a_shared");
}

}  // namespace

double operand_turns(const Instruction& multiply) {
  constexpr double rows_of_a = 64, row_bytes = 32, turn_bytes = 128;
  const std::string size = size_of(multiply);
  if (size.empty()) return 0;
  int columns = 0;
  std::from_chars(size.data() + size.find('x') + 1, size.data() + size.size(), columns);
  const double of_b = columns * (has_modifier(multiply, "SP") ? 2 : 1);
  return ((a_from_registers(multiply) ? 0 : rows_of_a) + of_b) * row_bytes / turn_bytes;
}

CostTable::CostTable(const Machine& machine) : machine_(machine) {
  for (const Entry& entry : machine.instructions) {
    if (entry.name.starts_with("wgmma.")) by_form_.emplace(entry.name, &entry);
    if (!entry.name.starts_with('@')) continue;
    const std::string name = name_in(entry.name);
    add_multiply(entry);
    by_form_.emplace(entry.name, &entry);
    by_name_[name].push_back(&entry);
    by_opcode_[opcode_of(name)].push_back(&entry);
    by_pipe_[std::string(pipe_of(name))].push_back(&entry);
  }
}

void CostTable::add_multiply(const Entry& entry) {
  const auto multiply = parse_instruction(name_in(entry.name));
  if (!entry.name.ends_with("gsb0") || !multiply || !is_group_multiply(multiply->opcode)) return;
  const auto latency = leaf_of(entry, "latency"), interval = leaf_of(entry, "interval");
  if (!latency || !interval) return;
  const bool registers = entry.name.contains(" R#, R#, gdesc");
  const double cycles = latency->low - interval->low;
  for (const std::string& size : {size_of(*multiply), std::string()})
    widen(after_multiply_[{size, registers}], {cycles, cycles});
}

/// By the rows of the same size; without one, by all.
Bounds CostTable::after_multiply(const Instruction& instruction) const {
  for (const std::string& size : {size_of(instruction), std::string()}) {
    const auto found = after_multiply_.find({size, a_from_registers(instruction)});
    if (found != after_multiply_.end() && found->second) return *found->second;
  }
  return {};
}

bool CostTable::agree(const Entries& entries, std::string_view leaf) const {
  std::optional<Bounds> all;
  for (const Entry* entry : entries) {
    if (const auto value = leaf_of(*entry, leaf)) widen(all, *value);
  }
  return all && all->known();
}

/// The entries that say most about the leaf: one, if the form has it.
CostTable::Entries CostTable::nearest(const Instruction& instruction, std::string_view leaf) const {
  const auto row = by_form_.find(form_of(instruction));
  if (row != by_form_.end() && leaf_of(*row->second, leaf)) return {row->second};
  if (is_group_multiply(instruction.opcode) && leaf == "interval") {
    // Where A is from makes no difference to the rows of intervals.
    for (const bool registers : {a_from_registers(instruction), false}) {
      const auto suite = by_form_.find(wgmma_entry(instruction, registers));
      if (suite != by_form_.end() && leaf_of(*suite->second, leaf)) return {suite->second};
    }
  }
  const auto among = [&](const auto& table, const std::string& key) {
    const auto found = table.find(key);
    return found != table.end() &&
                   std::ranges::any_of(found->second, [&](const Entry* one) { return leaf_of(*one, leaf).has_value(); })
               ? found->second
               : Entries();
  };
  // The last use of a spilled register, and the read-only path: rows with and without them agree wherever there are
  // both (`LDG.E.U8.CONSTANT`).
  const std::string kept = without(instruction.name(), ".LU");
  for (const std::string& name : {kept, without(kept, ".CONSTANT")}) {
    if (Entries same = among(by_name_, name); !same.empty() && agree(same, leaf)) return same;
  }
  if (Entries same = among(by_opcode_, instruction.opcode); !same.empty()) return same;
  return among(by_pipe_, std::string(pipe_of(instruction.name())));
}

/// A special register has no operand from which a latency could be measured. A window of reads of one ends with a wait
/// for the last, and it is known what it takes without that. Nothing says how much longer a uniform register takes.
void CostTable::add_special(Cost& cost, const Instruction& instruction) const {
  constexpr double uniform = 12;
  const Leaf* with = find_leaf(machine_, "instructions/special_register/cycles");
  const Leaf* without = find_leaf(machine_, "instructions/special_register/cycles.without");
  if (with == nullptr || without == nullptr) return;
  cost.latency = {with->value - without->value, with->value + (instruction.opcode == "S2UR" ? uniform : 0)};
}

const Cost& CostTable::of(const Instruction& instruction) const {
  const auto known = found_.find(instruction.text);
  return known != found_.end() ? known->second : found_.emplace(instruction.text, found(instruction)).first->second;
}

Cost CostTable::found(const Instruction& instruction) const {
  Cost cost;
  cost.pipe = pipe_of(instruction.name());
  const auto range = [](const Entries& entries, std::string_view leaf, std::string_view instead) {
    std::optional<Bounds> all;
    for (const Entry* entry : entries) {
      auto value = leaf_of(*entry, leaf);
      if (!value && !instead.empty()) value = leaf_of(*entry, instead);
      if (value) widen(all, *value);
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
  if (is_group_multiply(instruction.opcode) && !by_form_.contains(form_of(instruction))) {
    const Bounds more = after_multiply(instruction);
    cost.latency = {cost.interval.low + more.low, cost.interval.high + more.high};
    cost.known_interval = !intervals.empty() && cost.interval.known();
    cost.known_latency = more.high > 0 && cost.latency.known();
    return cost;
  }
  cost.known_interval = !intervals.empty() && cost.interval.known() && cost.shared.known();
  cost.known_latency = latency && latency->known();
  if (instruction.opcode == "S2R" || instruction.opcode == "S2UR") add_special(cost, instruction);
  return cost;
}

}  // namespace warpclock
