#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "ptx/instruction.hpp"
#include "verify/instruction/part.hpp"

namespace warpclock {

/// How often each kind of machine instruction stands somewhere. Kinds, not opcodes: where ptxas chooses between several
/// opcodes for one operation to even out the pipes (IADD3, VIADD and IMAD.IADD; MOV and IMAD.MOV), they are one kind.
using Kinds = std::map<std::string, std::int64_t>;

/// "integer add" for IADD3, the opcode with its modifiers where there is no choice, "" for a no-operation.
[[nodiscard]] std::string kind_of(const Instruction& instruction);

/// What lets a block's results into the register that keeps them (ptx/experiment/conversion.hpp).
inline constexpr const char* kept_kind = "LOP3 minority";

[[nodiscard]] std::int64_t total(const Kinds& kinds);

/// The machine code that one instance of a PTX instruction becomes, where nothing can be shared with a neighbour.
struct Expansion {
  std::vector<std::string> opcodes;  ///< in order, with modifiers
  Kinds kinds;
  std::vector<Part> parts;          ///< one an opcode, or none where the data flow is hidden
  bool calls = false;               ///< a subroutine: part of the work is outside the window
  bool branches = false;            ///< what is executed depends on the operands
  bool pauses = false;              ///< no-operations are part of it
  std::vector<std::string> labels;  ///< "rewritten: SHF.L.U32", "3 instructions", "calls a subroutine"
};

/// Whether its last instruction runs where multiply-adds do.
[[nodiscard]] bool multiplies(const Expansion& expansion);

/// From the kernel of Question::Isolated. Errors: "clock-mismatch"; "no-instruction" when nothing depends on its
/// operands, with the reason (verify/instruction/nothing.hpp).
[[nodiscard]] Expected<Expansion> expansion_of(const Listing& listing, const PtxInstruction& instruction);

}  // namespace warpclock
