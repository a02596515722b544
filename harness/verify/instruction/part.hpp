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

/// One machine instruction of an expansion, and what it stands between.
struct Part {
  std::string kind;
  std::set<std::size_t> sources;                  ///< operands that it depends on
  std::set<std::pair<std::size_t, int>> results;  ///< operand, element: what depends on it

  bool operator==(const Part&) const = default;
};

/// The parts of the isolated kernel's window, `own` being the instructions of the expansion: data flow from the loads
/// of the operands to the stores of the results. Nothing where it cannot be followed: branches, calls, and what passes
/// a value on other than in registers.
[[nodiscard]] std::vector<Part> parts_of(const Listing& listing, std::size_t open, std::size_t close,
                                         const std::vector<std::size_t>& own, const PtxInstruction& instruction);

/// How many parts of a kind a copy can do without, because they depend on nothing that differs from copy to copy. An
/// instruction that has no operand shares nothing.
[[nodiscard]] std::int64_t shared_parts(const std::vector<Part>& parts, const std::string& kind,
                                        const Experiment& experiment);

/// And how many because the next copy reads nothing that depends on them.
[[nodiscard]] std::int64_t unread_parts(const std::vector<Part>& parts, const std::string& kind,
                                        const PtxInstruction& instruction, const Experiment& experiment);

}  // namespace warpclock
