#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "code/listing.hpp"
#include "predict/program/costs.hpp"

namespace warpclock {

/// What instructions of different pipes of a sub-partition share.
enum class Port : std::size_t {
  Wide,        ///< FP64, HFMA2.MMA and two-pass multiplies, which wait for the tensor core longer than it does itself
  Integers,    ///< the tensor core, as multiplies of integers see it
  Halves,      ///< the tensor core, as multiplies with FP16 accumulators see it
  Multiplies,  ///< the tensor core, which waits for FP64 and HFMA2.MMA
  Tensor       ///< the tensor core while it reads the registers of a multiply
};
inline constexpr std::size_t port_count = 5;

/// FP64 and two-pass multiplies wait for a multiply of a warp group, and so many cycles more: 8 IMAD.WIDE and an
/// m64n64k16 in different warps take 66 cycles, 16 DFMA 67 (`between_warps` in machine.json).
inline constexpr double multiply_to_wide = 3;

/// What the tensor core does for an instruction, and what shares its way.
enum class TensorWork : std::uint8_t { None, Floats, Halves, Integers, Wide };

struct PortUse {
  bool waits = false;  ///< until the port is free
  double holds = 0;    ///< it for so many cycles
};

/// What an instruction occupies besides its pipe.
struct Occupation {
  bool both_halves = false;    ///< of the FP32 pipe
  bool holds_slot = false;     ///< no other instruction issues while its pipe is busy
  bool goes_on = false;        ///< of warps that wait for its pipe, the one that issued last goes first
  double early = 0;            ///< it issues so many cycles before its pipe is free
  double beside_multiply = 0;  ///< its pipe is busy for so long at least while the tensor core works for a warp group
  int reads = 0;               ///< cycles in which both banks of registers are read for it
  TensorWork work = TensorWork::None;
  int delays = 0;  ///< cycles by which the tensor core goes on later
  std::array<PortUse, port_count> ports{};
};

/// Follows from the rows of `pairs` in machine.json (H100 and H200), where two instructions issue in turn, and from
/// composed loops with the tensor core (docs/findings.md, "Ports of the registers"). Two passes: as issue_wait() says.
[[nodiscard]] Occupation occupation_of(const Instruction& instruction, const Cost& cost, bool two_passes);

}  // namespace warpclock
