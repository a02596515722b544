#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// PTX that makes source `link.to` of result `link.from` where the two differ in size: what stands between two links of
/// a chain. `name(operand, element)` is a register. Taking half of a register pair costs no machine instruction; what
/// the others cost is found in the machine code and taken off (verify/instruction/inspect.hpp).
[[nodiscard]] std::string conversion(const PtxInstruction& instruction, Link link,
                                     const std::function<std::string(std::size_t, int)>& name);

/// The same with an operation on every word between them, `trick` says which, with registers wk0 to wk3 for its other
/// operands.
[[nodiscard]] std::string weave(const PtxInstruction& instruction, Link link, Trick trick,
                                const std::function<std::string(std::size_t, int)>& name);
inline constexpr int woven_constants = 4;

/// An operation on an operand that leaves a number as it is, though no compiler may know: 1e-30 is added to each of its
/// 32-bit words, or (halves) 6e-8 (Trick::Refreshed); or the word goes through a majority (Trick::RefreshedMajority).
[[nodiscard]] std::string refresh(Trick trick, RegisterClass file, const std::string& reg);

/// Every word of a result into `sink`, through a bitwise majority with it (Trick::Gathered).
[[nodiscard]] std::string gathered_word(RegisterClass file, const std::string& reg, const std::string& sink);

/// The same for a block, whose sources stay what they are to the last bit: the bytes are put where they are, by what
/// `selector` holds.
[[nodiscard]] std::string refresh_bits(RegisterClass file, const std::string& reg, const std::string& selector);

/// Lets every word of `reg` into `keeper` by an operation that no algebra goes through: the inverted bitwise majority,
/// whose table tells it from what is woven in. Registers wk0 to wk3 are its other operands.
[[nodiscard]] std::string keep(RegisterClass file, const std::string& reg, const std::string& keeper);
/// How many of them that takes.
[[nodiscard]] int keeps(RegisterClass file);

}  // namespace warpclock
