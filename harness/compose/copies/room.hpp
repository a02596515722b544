#pragma once

#include <map>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "compose/copies/body.hpp"
#include "compose/hole.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// A kernel in which the operands of a PTX instruction are ready before the opening clock read, with a hole and with
/// registers for the results of the copies.
struct Room {
  Hole hole;
  std::map<Element, std::vector<Register>> operands;  ///< low register first
  std::vector<int> scratch;                           ///< registers that nothing else uses, ascending
};

/// Reads the listing of a kernel of Experiment::composed (ptx/experiment/kernel.hpp), whose code begins at byte `code`
/// of the image. Error "hole" if ptxas did not leave the operands in registers of their own.
[[nodiscard]] Expected<Room> room_of(const Listing& listing, const PtxInstruction& instruction, std::size_t code);

}  // namespace warpclock
