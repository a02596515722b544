#include "compose/copies/room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "code/modifiers.hpp"
#include "verify/window.hpp"

namespace warpclock {
namespace {

std::unexpected<Error> not_room(std::string text) { return fail("hole", std::move(text)); }

/// The registers that a store shows: its data, or its guard.
std::vector<Register> shown(const Instruction& store) {
  const Effects effects = effects_of(store);
  return effects.guard.empty() ? effects.sources.back() : effects.guard;
}

/// Whether a register has its value before the opening clock read: a wait follows on the scoreboard that signals it.
bool is_ready(const Listing& listing, std::size_t open, Register reg) {
  for (std::size_t i = open; i-- > 0;) {
    const Instruction& writer = listing.instructions[i];
    if (!effects_of(writer).writes_to(reg)) continue;
    const int scoreboard = writer.control.write_barrier;
    if (scoreboard < 0) return true;
    const auto first = listing.instructions.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    return std::any_of(first, listing.instructions.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                       [&](const Instruction& one) { return (one.control.wait_mask >> scoreboard & 1U) != 0; });
  }
  return false;
}

}  // namespace

Expected<Room> room_of(const Listing& listing, const PtxInstruction& instruction, std::size_t code) {
  const std::vector<std::size_t> reads = clock_reads(listing);
  if (reads.size() != 2) return not_room(fmt::format("the clock is read {} times", reads.size()));
  std::vector<std::vector<Register>> stores;
  for (std::size_t i = reads[0] + 1; i < reads[1]; ++i) {
    const Instruction& one = listing.instructions[i];
    if (one.opcode == "STS") {
      stores.push_back(shown(one));
    } else if (one.opcode != "LOP3" && !is_no_operation(one)) {
      return not_room(fmt::format("there is '{}' in it", one.text));
    }
  }
  const std::span all = stores;
  const std::size_t half = all.size() / 2;
  if (all.size() % 2 != 0 || !std::ranges::equal(all.first(half), all.subspan(half))) {
    return not_room("the registers of an operand change inside it");
  }
  for (const auto& registers : all.first(half)) {
    for (const Register reg : registers) {
      if (!is_ready(listing, reads[0], reg)) return not_room(to_string(reg) + " may come after the opening clock read");
    }
  }
  Room room;
  std::size_t at = 0;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (!operand.immediate.empty() || !operand.read) continue;
    for (int element = 0; element < operand.elements && at < half; ++element) room.operands[{i, element}] = all[at++];
  }
  for (; at < half; ++at) {
    for (const Register reg : all[at]) room.scratch.push_back(reg.index);
  }
  std::ranges::sort(room.scratch);
  find_free(listing, room.hole);
  room.hole.to_itself = WARPCLOCK_TRY(branch_to_itself(listing));
  room.hole.barrier = WARPCLOCK_TRY(barrier_before(listing, reads[0]));
  find_descriptor(listing, reads[1], room.hole);
  room.hole.kernels.push_back({listing.kernel, code, reads[0], reads[1] - reads[0] - 1});
  return room;
}

}  // namespace warpclock
