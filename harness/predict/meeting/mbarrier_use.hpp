#pragma once

#include <cstdint>
#include <optional>

#include "code/listing.hpp"

namespace warpclock {

/// What an instruction does with an mbarrier.
struct MbarrierUse {
  enum class Kind : std::uint8_t { Initialize, Arrive, Await, Copy };
  Kind kind = Kind::Arrive;
  bool numbered = false;  ///< whether a register has the number of what arrives
  bool sleeps = false;    ///< Await: try_wait, which waits for a while itself
};

/// Nothing for instructions that have nothing to do with mbarriers of their own block. `mbarrier.cu` of the testdata
/// shows what ptxas makes of each line of PTX.
[[nodiscard]] std::optional<MbarrierUse> mbarrier_use(const Instruction& instruction);

}  // namespace warpclock
