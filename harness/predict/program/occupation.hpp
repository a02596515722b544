#pragma once

#include <array>
#include <cstddef>

#include "code/listing.hpp"
#include "predict/program/costs.hpp"

namespace warpclock {

/// What instructions of different pipes of a sub-partition share.
enum class Port : std::size_t {
  SecondHalf,  ///< the way to the second half of the FP32 pipe, to FP64 and to the tensor core
  Wide,        ///< FP64, HFMA2.MMA and two-pass multiplies, which wait for the tensor core longer than it does itself
  Tensor,      ///< the tensor core, as the load-store unit sees it
  Queue        ///< the load-store unit, as the tensor core sees it
};
inline constexpr std::size_t port_count = 4;

struct PortUse {
  bool waits = false;  ///< until the port is free
  double holds = 0;    ///< it for so many cycles
  bool adds = false;   ///< these cycles to those for which it is held already
};

/// What an instruction occupies besides its pipe.
struct Occupation {
  bool both_halves = false;  ///< of the FP32 pipe
  bool holds_slot = false;   ///< no other instruction issues while its pipe is busy
  double early = 0;          ///< it issues so many cycles before its pipe is free
  int reads = 0;             ///< cycles in which both banks of registers are read for it
  int own_warp = 0;          ///< cycles until its own warp may issue again
  std::array<PortUse, port_count> ports{};
};

/// Follows from the rows of `pairs` in machine.json (H100 and H200), where two instructions issue in turn.
/// docs/predict.md has the rows. Two passes: as issue_wait() says.
[[nodiscard]] Occupation occupation_of(const Instruction& instruction, const Cost& cost, bool two_passes);

}  // namespace warpclock
