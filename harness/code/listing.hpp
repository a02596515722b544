#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "code/word.hpp"

namespace warpclock {

/// The control field of a 128-bit SASS instruction (sm_70 and later): 4 bits of stall count, yield, write and read
/// scoreboard, and the mask of scoreboards waited for, from bit 41 of the upper word.
struct Control {
  int stall = 0;  ///< cycles until the warp's next issue, 0..15
  bool yield = false;
  int write_barrier = -1;  ///< scoreboard released when the result is written, 0..5, -1 for none
  int read_barrier = -1;   ///< scoreboard released when the sources are read, -1 for none
  unsigned wait_mask = 0;  ///< scoreboards that must be clear before issue, bit i = scoreboard i

  bool operator==(const Control&) const = default;
};

/// One machine instruction as nvdisasm prints it.
struct Instruction {
  std::uint64_t address = 0;           ///< byte offset in the kernel
  std::string predicate;               ///< "P0", "!P3", "!UPT"; empty when unpredicated
  std::string opcode;                  ///< "HMMA"
  std::vector<std::string> modifiers;  ///< {"16816", "F32"}
  std::vector<std::string> operands;   ///< "R4.reuse", "desc[UR4][R2.64+0x80]", "c[0x0][0x210]"
  std::uint64_t low = 0, high = 0;     ///< the encoding
  Control control;
  std::string text;                            ///< opcode and operands as printed, no trailing blank or semicolon
  std::optional<std::uint64_t> branch_target;  ///< address, when an operand is a label or was one

  /// "HMMA.16816.F32"
  [[nodiscard]] std::string name() const;
};

/// The machine code of one kernel.
struct Listing {
  std::string kernel;
  std::string target;  ///< the architecture that the disassembler names: "sm_90a"; empty where it names none
  std::vector<Instruction> instructions;
};

/// Parses `nvdisasm -hex -c` output, or what a Disassembler made of it, where labels are addresses: "`(0x1f0)". One
/// Listing per kernel section. Foreign input: error "listing" with the line number, never a crash.
[[nodiscard]] Expected<std::vector<Listing>> parse_listings(std::string_view text);

/// "@P0 FFMA R0, R1, R2, R3": all but address, encoding and control field. Nothing when it is no instruction.
[[nodiscard]] std::optional<Instruction> parse_instruction(std::string_view text);

[[nodiscard]] Control decode_control(std::uint64_t high);

/// The word with another control field; reuse flags are not in it.
[[nodiscard]] Word with_control(Word word, const Control& control);

}  // namespace warpclock
