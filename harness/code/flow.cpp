#include "code/flow.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpclock {
namespace {

constexpr std::array<std::string_view, 11> jumps{"BRA",  "BRX", "BRXU", "CALL", "EXIT", "JMP",
                                                 "JMPX", "JMX", "JMXU", "KILL", "RET"};

bool leaves(const Instruction& instruction) {
  return instruction.opcode == "EXIT" || instruction.opcode == "RET" || instruction.opcode == "KILL";
}

bool always(const Instruction& instruction) {
  const std::string& predicate = instruction.predicate;
  if (!predicate.empty() && predicate != "PT" && predicate != "UPT") return false;
  // BRA.U !UP0, `(.L_x_0) and BRA.DIV UR4, `(.L_x_1) have their condition among the operands.
  return leaves(instruction) || instruction.operands.size() < 2;
}

}  // namespace

bool is_jump(const Instruction& instruction) { return std::ranges::find(jumps, instruction.opcode) != jumps.end(); }

std::size_t target_index(const Listing& listing, const Instruction& instruction) {
  const std::size_t none = listing.instructions.size();
  if (!instruction.branch_target) return none;
  return std::min<std::uint64_t>(*instruction.branch_target / 16, none);
}

std::vector<std::size_t> successors(const Listing& listing, std::size_t index) {
  const Instruction& instruction = listing.instructions[index];
  const std::size_t size = listing.instructions.size();
  std::vector<std::size_t> next;
  const bool falls_through = !is_jump(instruction) || instruction.opcode == "CALL" || !always(instruction);
  if (falls_through && index + 1 < size) next.push_back(index + 1);
  // BSSY and WARPSYNC name the reconvergence point of a warp, which other edges reach as well.
  if (is_jump(instruction) && !leaves(instruction)) {
    if (const std::size_t target = target_index(listing, instruction); target < size) next.push_back(target);
  }
  return next;
}

std::optional<std::pair<std::size_t, std::size_t>> widest_loop(const Listing& listing, std::size_t first,
                                                               std::size_t end) {
  std::optional<std::pair<std::size_t, std::size_t>> widest;
  for (std::size_t i = first; i < end; ++i) {
    if (!is_jump(listing.instructions[i])) continue;
    const std::size_t target = target_index(listing, listing.instructions[i]);
    if (target < first || target > i) continue;
    if (!widest || i + 1 - target > widest->second - widest->first) widest = {target, i + 1};
  }
  return widest;
}

}  // namespace warpclock
