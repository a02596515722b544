#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "code/word.hpp"

namespace warpclock {

/// The control field of a 128-bit SASS instruction (sm_70 and later), from bit 41 of the upper word: 4 bits of stall
/// count, yield, write and read scoreboard, and the mask of scoreboards to wait for.
struct Control {
  int stall = 0;  ///< cycles until the warp's next issue, 0..15
  bool yield = false;
  int write_barrier = -1;  ///< scoreboard released when the result is written, 0..5, -1 for none
  int read_barrier = -1;   ///< scoreboard released when the sources are read, -1 for none
  unsigned wait_mask = 0;  ///< scoreboards that must be clear before issue, bit i = scoreboard i

  bool operator==(const Control&) const = default;
};

/// A wait sees that a scoreboard is set from this many cycles after the issue of the instruction that sets it. ptxas
/// leaves them; with one cycle, a clock read did not wait for SYNCS, whose address register was then overwritten (H100,
/// H200).
constexpr int least_scoreboard_distance = 2;

/// One machine instruction as nvdisasm prints it.
struct Instruction {
  std::uint64_t address = 0;           ///< byte offset in the kernel
  std::string predicate;               ///< "P0", "!P3", "!UPT"; empty if unpredicated
  std::string opcode;                  ///< "HMMA"
  std::vector<std::string> modifiers;  ///< {"16816", "F32"}
  std::vector<std::string> operands;   ///< "R4.reuse", "desc[UR4][R2.64+0x80]", "c[0x0][0x210]"
  std::uint64_t low = 0, high = 0;     ///< the encoding
  Control control;
  std::string text;                            ///< opcode and operands as printed, no trailing blank or semicolon
  std::optional<std::uint64_t> branch_target;  ///< address, if an operand is or was a label

  /// "HMMA.16816.F32"
  [[nodiscard]] std::string name() const;
};

/// The machine code of one kernel.
struct Listing {
  std::string kernel;
  std::string target;  ///< the architecture that the disassembler names: "sm_90a"; empty if it names none
  std::vector<Instruction> instructions;
};

/// Parses the output of `nvdisasm -hex -c`, or that of a Disassembler, where labels are addresses: "`(0x1f0)". One
/// Listing for each kernel section. The text is foreign input: error "listing" with the line number, never a crash.
[[nodiscard]] Expected<std::vector<Listing>> parse_listings(std::string_view text);

/// Parses "@P0 FFMA R0, R1, R2, R3" without address, encoding and control field. Nothing if it is no instruction.
[[nodiscard]] std::optional<Instruction> parse_instruction(std::string_view text);

[[nodiscard]] Control decode_control(std::uint64_t high);

/// The word with another control field. Reuse flags are not part of that field.
[[nodiscard]] Word with_control(Word word, const Control& control);

[[nodiscard]] inline bool has_modifier(const Instruction& instruction, std::string_view modifier) {
  return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

/// L1 keeps what it loads unless the load must see what other SMs store, or asks for no place in L1.
[[nodiscard]] inline bool uses_l1(const Instruction& load) {
  const bool past = has_modifier(load, "NA") || has_modifier(load, "BYPASS") ||
                    (has_modifier(load, "STRONG") && !has_modifier(load, "SM"));
  return !past;
}

/// Decimal digits and nothing else.
[[nodiscard]] inline std::optional<int> parse_number(std::string_view digits) {
  return digits.starts_with('-') ? std::nullopt : whole_number<int>(digits);
}

/// An opcode with a subset of its modifiers, in any order: "HMMA.16816.F32" matches HMMA.16816.F32.BF16. A modifier
/// named twice must be there twice (IMMA.16832.S8.S8).
[[nodiscard]] bool matches(const Instruction& instruction, std::string_view pattern);

[[nodiscard]] bool matches_any(const Instruction& instruction, const std::vector<std::string>& patterns);

/// Whether the instruction may transfer control (BRA, CALL, EXIT and the like), so that the next one issued need not be
/// the next in the listing.
[[nodiscard]] bool is_jump(const Instruction& instruction);

/// Index of the instruction that a jump names; the listing's size if it names none (indirect, or in another section).
[[nodiscard]] std::size_t target_index(const Listing& listing, const Instruction& instruction);

/// Indices of the instructions that may issue after `index`. A call is assumed to return to the next instruction.
[[nodiscard]] std::vector<std::size_t> successors(const Listing& listing, std::size_t index);

/// The first index of the longest loop that lies in [first, end), and the index after its last; nothing if there is no
/// loop.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> widest_loop(const Listing& listing, std::size_t first,
                                                                             std::size_t end);

}  // namespace warpclock
