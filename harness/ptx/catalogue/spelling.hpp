#pragma once

#include <string>

#include "ptx/line.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {

/// What two lines may differ in and still be spellings of one instruction. Each includes those before it.
enum class Spelled {
  Names,      ///< names of registers and placeholders; 31 and 0x1f; .shared and .shared::cta
  Types,      ///< types that the opcode table calls alike; guard, offset of an address, .weak, which is the default
  Constants,  ///< the values of constants, where the machine instruction does not depend on them
  Operands,   ///< a constant in one where the other has a register: another form of the machine instruction
};

/// Lines that differ in no more than `in` have the same text: "ld.shared.b32 $0, [$1]". It is no PTX.
[[nodiscard]] std::string spelling_of(const PtxLine& line, const OpcodeTable& table, Spelled in);

}  // namespace warpclock
