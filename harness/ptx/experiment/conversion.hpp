#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// PTX that turns result `link.from` into source `link.to` if their sizes differ: the code between two links of a
/// chain. `name(operand, element)` returns a register. Taking half of a register pair costs no machine instruction. The
/// cost of other conversions is determined from the machine code and subtracted (verify/instruction/inspect.hpp).
[[nodiscard]] std::string conversion(const PtxInstruction& instruction, Link link,
                                     const std::function<std::string(std::size_t, int)>& name);

/// The same with an operation interposed on every word. `trick` selects the operation; its other operands are the
/// registers wk0 to wk3.
[[nodiscard]] std::string weave(const PtxInstruction& instruction, Link link, Trick trick,
                                const std::function<std::string(std::size_t, int)>& name);
inline constexpr int woven_constants = 4;

/// An operation on an operand that keeps its value but that the compiler cannot remove: adding 1e-30 to each 32-bit
/// word, or 6e-8 to halves (Trick::Refreshed), or a bitwise majority (Trick::RefreshedMajority).
[[nodiscard]] std::string refresh(Trick trick, RegisterClass file, const std::string& reg);

/// Merges every word of a result into `sink` by a bitwise majority (Trick::Gathered).
[[nodiscard]] std::string gathered_word(RegisterClass file, const std::string& reg, const std::string& sink);

/// The same for a block, whose sources must keep every bit: moves the bytes to the positions that `selector` holds,
/// which are their own.
[[nodiscard]] std::string refresh_bits(RegisterClass file, const std::string& reg, const std::string& selector);

/// Merges every word of `reg` into `keeper` by an operation that the compiler cannot simplify: the inverted bitwise
/// majority. Its truth table differs from that of interposed operations. The other operands are the registers wk0 to
/// wk3.
[[nodiscard]] std::string keep(RegisterClass file, const std::string& reg, const std::string& keeper);
/// The number of operations that this takes.
[[nodiscard]] int keeps(RegisterClass file);

}  // namespace warpclock
