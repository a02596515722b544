#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace warpclock
