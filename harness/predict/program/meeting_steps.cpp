#include "predict/program/meeting_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "execute/code_operand.hpp"
#include "predict/meeting/mbarrier_use.hpp"

namespace warpclock {
namespace {

bool ends_batch(const Instruction& instruction) {
  return !instruction.operands.empty() && instruction.operands.back() == "gsb0";
}

}  // namespace

bool never(const Instruction& instruction) { return instruction.predicate == "!PT" || instruction.predicate == "!UPT"; }

Act act_of(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  const auto reads = [&](std::string_view word) {
    return std::ranges::any_of(instruction.operands, [&](const std::string& each) { return each.contains(word); });
  };
  if (opcode == "CS2R" && reads("SR_CLOCK")) return Act::Clock;
  if (opcode == "EXIT" || opcode == "RET" || opcode == "KILL")
    return instruction.predicate.empty() ? Act::Leave : Act::None;
  if (is_jump(instruction)) return Act::Jump;
  if (opcode == "BAR") return has_modifier(instruction, "ARV") ? Act::Arrive : Act::Barrier;
  if (instruction.name() == "WARPGROUP.ARRIVE") return Act::Gather;
  if (is_group_multiply(instruction.opcode)) return ends_batch(instruction) ? Act::LastInBatch : Act::Multiply;
  if (opcode == "WARPGROUP" && has_modifier(instruction, "DEPBAR")) return Act::Await;
  if (opcode == "LDGSTS") return Act::Copy;
  if (opcode == "LDGDEPBAR") return Act::Commit;
  if (opcode == "DEPBAR") return Act::Await;
  return Act::None;
}

/// Bulk copies and reductions from shared memory: nothing simulates what they wait for or how long they go on. Nothing
/// waits for what UTMACCTL does to the cache of descriptors.
bool is_covered(const Instruction& instruction) {
  constexpr std::array<std::string_view, 3> starts{"SYNCS", "UBLK", "UTMA"};
  return mbarrier_use(instruction).has_value() || instruction.opcode == "UTMASTG" ||
         instruction.opcode == "UTMACMDFLUSH" || instruction.opcode == "UTMACCTL" ||
         has_modifier(instruction, "CCTL") ||
         std::ranges::none_of(starts, [&](std::string_view start) { return instruction.opcode.starts_with(start); });
}

/// The instruction whose row has the cost. In older records rows of SYNCS with an address in a vector register are of
/// 32 lanes with an mbarrier each. Lanes that use the same one take as long as with an address in a uniform register
/// (an H100: 8 tries of 1, 2, 8 and 32 lanes take 182 cycles). Of arrivals with such an address, those with and without
/// a register have rows.
Instruction with_row(const Instruction& instruction) {
  const auto use = instruction.opcode == "SYNCS" ? mbarrier_use(instruction) : std::nullopt;
  if (!use || use->kind == MbarrierUse::Kind::Initialize) return instruction;
  const bool arrives = use->kind == MbarrierUse::Kind::Arrive;
  const bool numbered = use->numbered;
  const std::string text = !arrives   ? instruction.name() + " P0, [UR4], R4"
                           : numbered ? "SYNCS.ARRIVE.TRANS64 RZ, [UR4], R4"
                                      : "SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [UR4], RZ";
  return parse_instruction(text).value_or(instruction);
}

void name_barrier(ProgramStep& made, const Instruction& instruction) {
  constexpr int warp_threads = 32, most_threads = 1024;
  const auto number_of_operand = [&](std::size_t i) {
    const auto number =
        i < instruction.operands.size() ? number_operand(instruction.operands[i], NumberKind::Integer) : std::nullopt;
    return static_cast<int>(std::min<std::uint64_t>(number.value_or(0), most_threads));
  };
  made.barrier = static_cast<std::size_t>(number_of_operand(0)) % barrier_count;
  made.barrier_warps = number_of_operand(1) / warp_threads;
}

/// Rows of latencies are of the multiply and the wait for its batch, whose stall count is the rest.
Bounds multiply_latency(Act act, const Cost& cost) {
  constexpr double wait = 2;
  if (act == Act::Multiply) return cost.interval;
  return {cost.latency.low - wait, cost.latency.high - wait};
}

double fence_cycles(const Machine& machine, const Instruction& instruction) {
  std::string row;
  if (instruction.name() == "WARPGROUP.ARRIVE") row = "wgmma.fence";
  // For other clusters and numbers of warps it is 59 to 97 cycles; a release has its own MEMBAR.
  if (instruction.opcode == "UCGABAR_WAIT") row = "barrier.cluster.relaxed.of_2.warps_4";
  if (instruction.opcode == "MEMBAR" && instruction.modifiers.size() > 1) {
    const bool sequential = instruction.modifiers.front() == "SC";
    row = fmt::format("fence.{}.{}.after_nothing", sequential ? "sc" : "acq_rel", to_lower(instruction.modifiers[1]));
  }
  const Leaf* found = row.empty() ? nullptr : find_leaf(machine, "synchronization/" + row + "/cycles");
  return found == nullptr ? 0 : found->value;
}

Bounds initialize_latency(const Machine& machine) {
  const Leaf* least = find_leaf(machine, "synchronization/mbarrier.init/cycles");
  const Leaf* most = find_leaf(machine, "synchronization/mbarrier.test_wait/cycles");
  if (least == nullptr || most == nullptr) return {};
  return {least->value, most->value};
}

}  // namespace warpclock
