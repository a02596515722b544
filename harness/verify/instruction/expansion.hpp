#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// One machine instruction of an expansion, and the operands and results that it connects.
struct Part {
  std::string kind;
  std::set<std::size_t> sources;                  ///< operands that it depends on
  std::set<std::pair<std::size_t, int>> results;  ///< operand, element: the results that depend on it

  bool operator==(const Part&) const = default;
};

/// Whether the instruction passes values through something other than registers in its operands: a barrier, a return
/// register.
[[nodiscard]] bool hides_flow(const Instruction& one);

/// In order, the operand and element that each of the isolated kernel's own loads fills (role `read`), or that each of
/// its stores keeps (role `written`).
[[nodiscard]] std::vector<std::pair<std::size_t, int>> traffic(const PtxInstruction& instruction, bool Operand::*role);

/// The parts of the isolated kernel's window. `own` lists the instructions of the expansion. The data flow is followed
/// from the loads of the operands to the stores of the results. Empty if it cannot be followed: through branches,
/// calls, and anything that passes a value outside registers.
[[nodiscard]] std::vector<Part> parts_of(const Listing& listing, std::size_t open, std::size_t close,
                                         const std::vector<std::size_t>& own, const PtxInstruction& instruction);

/// How many parts of a kind the copies may share, because these parts depend on nothing that differs from copy to copy.
/// An instruction without operands shares nothing.
[[nodiscard]] std::int64_t shared_parts(const std::vector<Part>& parts, const std::string& kind,
                                        const Experiment& experiment);

/// How many parts of a kind a copy may omit because the next copy reads nothing that depends on them.
[[nodiscard]] std::int64_t unread_parts(const std::vector<Part>& parts, const std::string& kind,
                                        const PtxInstruction& instruction, const Experiment& experiment);

/// The number of machine instructions of each kind. Several opcodes form one kind if ptxas chooses between them for the
/// same operation to balance the pipes (IADD3, VIADD and IMAD.IADD; MOV and IMAD.MOV).
using Kinds = std::map<std::string, std::int64_t>;

/// "integer add" for IADD3; the opcode with its modifiers if ptxas has no choice; "" for a no-operation.
[[nodiscard]] std::string kind_of(const Instruction& instruction);
/// The kind of an opcode with its modifiers: "IMAD.IADD".
[[nodiscard]] std::string kind_of(const std::string& name);
/// Whether ptxas may use another opcode for a copy of the same operation.
[[nodiscard]] bool ptxas_chooses(const std::string& name);

[[nodiscard]] std::int64_t total(const Kinds& kinds);

/// The machine code of one instance of a PTX instruction that can share nothing with a neighbour.
struct Expansion {
  std::vector<std::string> opcodes;  ///< in order, with modifiers
  std::vector<std::string> texts;    ///< the same with their operands, as nvdisasm prints them
  Kinds kinds;
  std::vector<Part> parts;          ///< one per opcode, or none if the data flow is hidden
  bool calls = false;               ///< it calls a subroutine: part of the work is outside the window
  bool branches = false;            ///< which instructions execute depends on the operands
  bool pauses = false;              ///< it contains no-operations
  std::vector<std::string> labels;  ///< "rewritten: SHF.L.U32", "3 instructions", "calls a subroutine"
};

/// Indices of the instructions between the clock reads, without the kernel's own loads and stores and without the
/// compares that turn loaded values into predicates.
[[nodiscard]] std::vector<std::size_t> own_code(const Listing& listing, std::size_t open, std::size_t close,
                                                const PtxInstruction& instruction);

/// Reads the listing of the kernel of Question::Isolated. Errors: "clock-mismatch"; "no-instruction" if nothing depends
/// on the operands, with the reason.
[[nodiscard]] Expected<Expansion> expansion_of(const Listing& listing, const PtxInstruction& instruction);

}  // namespace warpclock
