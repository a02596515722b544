#include "predict/program/occupation.hpp"

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

/// An instruction of another kind waits longer for the tensor core than one of the same kind (composed loops,
/// docs/findings.md): DFMA and HFMA2.MMA 3 cycles; multiplies of integers 3 cycles after FP32 accumulators, and 2 after
/// FP16 ones; multiplies with FP16 accumulators 1 cycle after FP32 ones.
void add_tensor(Occupation& all, const Instruction& instruction, double interval) {
  constexpr double to_wide = 3, to_integers = 3, halves_to_integers = 2, to_halves = 1;
  const bool integers = instruction.opcode == "IMMA", halves = fragments_of(instruction).c == 2;
  all.work = integers ? TensorWork::Integers : halves ? TensorWork::Halves : TensorWork::Floats;
  of(all, Port::Wide) = {.holds = interval + to_wide};
  of(all, Port::Integers) = {.waits = integers,
                             .holds = integers ? 0 : interval + (halves ? halves_to_integers : to_integers)};
  of(all, Port::Halves) = {.waits = halves, .holds = integers || halves ? 0 : interval + to_halves};
  of(all, Port::Multiplies) = {.waits = true};
  of(all, Port::Tensor) = {.holds = interval};
}

/// Rows of a multiply of a warp group with other instructions in `machine.json` (H100 and H200). m64n256k16 takes 128
/// cycles: with 64 IMAD, HFMA2, IADD3, FMNMX or F2FP all take 192, so 32 of them issue in the 128, and the others every
/// 2 cycles; with 128 FFMA 226; with 16 MUFU 155.
double beside_multiply(std::string_view pipe) {
  if (pipe == "alu" || pipe == "fma") return 4;
  return pipe == "xu" ? 10 : 0;
}

}  // namespace

Occupation occupation_of(const Instruction& instruction, const Cost& cost, bool two_passes) {
  Occupation all;
  all.beside_multiply = beside_multiply(cost.pipe);
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
    all.goes_on = true;
    all.reads = 1;
    all.delays = 1;
  }
  if (cost.pipe == "fp64" || instruction.name().starts_with("HFMA2.MMA")) {
    // HFMA2.MMA+DFMA take 4 cycles in turn.
    of(all, Port::Wide) = {.waits = true, .holds = 2};
    of(all, Port::Multiplies) = {.holds = 2};
    all.work = TensorWork::Wide;
    return all;
  }
  if (cost.pipe == "tensor" && !is_group_multiply(instruction.opcode)) add_tensor(all, instruction, cost.interval.low);
  if (cost.pipe == "lsu") {
    all.reads = 1;
    all.delays = instruction.opcode == "STS" ? 3 : 1;
  }
  return all;
}

}  // namespace warpclock
