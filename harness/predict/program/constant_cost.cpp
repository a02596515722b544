#include "predict/program/constant_cost.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "execute/code_operand.hpp"
#include "execute/forms/lanes.hpp"
#include "predict/program/rate_curve.hpp"

namespace warpclock {

ConstantCache constant_cache(const Machine& machine) {
  constexpr double same = 0.99;  // of the latency where all miss
  const Leaf* next = find_leaf(machine, "transfers/constant.load/latency.next");
  const Leaf* nearest = find_leaf(machine, "capacities/constant.nearest/bytes");
  const auto latencies = numbered_leaves(machine.capacities, "constant.bytes_", "latency");
  if (next == nullptr || nearest == nullptr) return {};
  const auto all_miss =
      std::ranges::find_if(latencies, [&](const auto& one) { return one.second >= same * next->value; });
  const auto held = static_cast<std::uint64_t>(nearest->low);
  if (all_miss == latencies.end() || all_miss->first <= static_cast<double>(held)) return {};
  const std::uint64_t sets = (static_cast<std::uint64_t>(all_miss->first) - held) / ConstantCache::line_bytes;
  return sets == 0 ? ConstantCache() : ConstantCache{held / ConstantCache::line_bytes, sets};
}

ConstantReads constant_reads(const Instruction& instruction) {
  ConstantReads reads{.loads = instruction.opcode == "LDC"};
  for (const std::string& operand : instruction.operands) {
    const auto constant = constant_operand(operand);
    if (!constant || constant->address.base != places::vector_zero || constant->address.uniform != places::uniform_zero)
      continue;
    const auto line = static_cast<std::uint64_t>(constant->address.offset) / ConstantCache::line_bytes;
    reads.lines.push_back(constant->bank << 16U | static_cast<std::uint32_t>(line));
  }
  return reads;
}

double constant_missed(const Machine& machine) {
  const Leaf* held = find_leaf(machine, "transfers/constant.load/latency");
  const Leaf* next = find_leaf(machine, "transfers/constant.load/latency.next");
  return held != nullptr && next != nullptr ? std::max(0.0, next->value - held->value) : 0;
}

bool add_constants(ProgramStep& made, const Machine& machine, const ConstantUse& use) {
  constexpr double few = 0.01;
  const std::string entry = "transfers/constant.load/";
  const auto cycles = [&](const char* rate, double loads) {
    const Leaf* leaf = find_leaf(machine, entry + rate);
    return leaf != nullptr && leaf->value > 0 ? std::optional(1 / (leaf->value * loads)) : std::nullopt;
  };
  const double missed = constant_missed(machine), later = missed > 0 ? missed : made.latency.high;
  Bounds& taken = made.unit >= 0 ? made.unit_busy : made.busy;
  const auto address = cycles("rate.addresses_32", warp_lanes), line = cycles("rate.next", 1);
  const double waits = use.waiting * later, other_addresses = use.addresses - 1;
  if (address && line) {
    const double turns = other_addresses * *address, lines = use.missed * std::max(0.0, *line - *address);
    const double last_line = std::max(0.0, use.missed - use.waiting) * *line;
    taken.low += turns + lines, taken.high += turns + lines;
    made.latency.low += waits + turns + last_line, made.latency.high += waits + turns + last_line;
    return false;
  }
  const double in_turn = use.missed * later + other_addresses * std::max(1.0, taken.high);
  made.latency.low += waits, made.latency.high += std::max(waits, in_turn);
  taken.high += in_turn;
  return in_turn > few;
}

}  // namespace warpclock
