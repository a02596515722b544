#include "predict/program/occupation.hpp"

#include <algorithm>
#include <string_view>

#include "code/semantics.hpp"

namespace warpclock {
namespace {

PortUse& of(Occupation& all, Port port) { return all.ports[static_cast<std::size_t>(port)]; }

/// FFMA+HFMA2 in turn take 4 cycles, IMAD+HFMA2 4, HFMA2.MMA+HFMA2 2.
bool is_packed(std::string_view opcode) { return opcode == "HFMA2" || opcode == "HADD2" || opcode == "HMUL2"; }

/// Whether a product is added to a register. `pairs` have such an IMAD.WIDE: it and IADD3 take 5 cycles, with 16 warps
/// too, so no other instruction issues for 4. With an addend of RZ, both take 4.
bool adds_register(const Instruction& instruction) {
  return !instruction.operands.empty() && !instruction.operands.back().starts_with("RZ");
}

/// HMMA.16816.F32 is the one with rows. Another warp issues 3 cycles after it: its five registers from each bank, of
/// which one is read with the next instruction's, less one (`warps/3 IADD3+1 HMMA.16816.F32` takes 8 cycles). The same
/// warp does after 4 (runs of four), and the second half of the FP32 pipe takes an FFMA after 5, but none of these
/// holds up the next HMMA. DFMA and HFMA2.MMA wait 9 cycles, LDS adds one cycle and STS three to its six.
void add_tensor(Occupation& all, const Instruction& instruction, double interval) {
  constexpr double more = 3, to_same_warp = 4, to_second_half = 5;
  const Fragments parts = fragments_of(instruction);
  all.reads = (parts.a + parts.b + parts.c) / 2 - 1;
  all.own_warp = static_cast<int>(std::min(to_same_warp, interval));
  of(all, Port::SecondHalf) = {.waits = true, .holds = std::min(to_second_half, interval)};
  of(all, Port::Wide) = {.holds = interval + more};
  of(all, Port::Tensor) = {.holds = interval};
  of(all, Port::Queue) = {.waits = true};
}

}  // namespace

Occupation occupation_of(const Instruction& instruction, const Cost& cost, bool two_passes) {
  Occupation all;
  if (cost.pipe == "fma") all.both_halves = is_packed(instruction.opcode);
  // IMAD.WIDE+DFMA, HFMA2.MMA and IMAD take 6 cycles in turn; IMAD.WIDE+IADD3, FFMA and itself 5, 5 and 4.
  if (two_passes) {
    all.early = 2;
    all.holds_slot = adds_register(instruction);
    of(all, Port::Wide) = {.waits = true, .holds = cost.interval.low + 1};
  }
  // Four IMAD.WIDE and four MUFU take 38 cycles: the last MUFU does not wait for the one before.
  if (cost.pipe == "xu") {
    all.early = 3;
    all.reads = 1;
  }
  if (cost.pipe == "fp64" || instruction.name().starts_with("HFMA2.MMA")) {
    // HFMA2.MMA+DFMA take 4 cycles in turn, and either of them waits for the last of four FFMA.
    of(all, Port::SecondHalf) = {.waits = true, .holds = 2};
    of(all, Port::Wide) = {.waits = true, .holds = 2};
    return all;
  }
  if (cost.pipe == "tensor" && !is_group_multiply(instruction.opcode)) add_tensor(all, instruction, cost.interval.low);
  if (cost.pipe == "lsu") {
    all.reads = 1;
    of(all, Port::Tensor) = {.waits = true};
    of(all, Port::Queue) = {.holds = instruction.opcode == "STS" ? 3.0 : 1.0, .adds = true};
  }
  return all;
}

}  // namespace warpclock
