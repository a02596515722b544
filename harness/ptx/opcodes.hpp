#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// One operand in the notation of opcodes.yaml (see its head): `=d:T*v`, `pol:fixed=0@L2::cache_hint`, `(c:T)`.
struct Slot {
  enum class Kind {
    Register,  ///< the type in `type`: T, T0 to T4, wide, or a type
    Pack,      ///< one T, or a vector of smaller registers that form it
    Fragment,  ///< `type` is the matrix: a, b, c, d
    Address,
    Constant,  ///< must be a constant in PTX
    Fixed,     ///< may be a register in PTX, but only `value` is known to be legal
  };
  std::string name;
  Kind kind = Kind::Register;
  std::string type;
  std::string count;  ///< "", "v", "x", "2x" or a number
  std::string space;  ///< Address: empty if the modifiers determine it
  int bytes = -1;     ///< Address: bytes moved through it; -1 if the first other operand determines it
  std::string value;  ///< Constant, Fixed: the value for a placeholder
  std::string holds;  ///< what the register holds unless a value is asked for: a word of value_names(); empty: random
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< Constant: the largest that PTX allows
  bool written = false, read = true;
  bool optional = false;
  std::vector<std::string> only_with;  ///< present only if the line has one of these modifiers
  bool pair = false;                   ///< follows the slot before it and a '|'
};

/// Parses one entry of a row's operands; a pair gives two slots. Error "config" without a place.
[[nodiscard]] Expected<std::vector<Slot>> parse_slots(std::string_view text);

/// One form of a PTX opcode: its operands for certain modifiers. Read from configs/instructions/opcodes.yaml.
struct OpcodeRow {
  std::string opcode;                ///< "mul"
  std::vector<std::string> when;     ///< required modifiers: {"wide"}; "a|b" means one of them
  std::vector<std::string> without;  ///< excluded modifiers
  /// Operands in order, `name:type`; the head of opcodes.yaml describes the notation.
  std::vector<std::string> operands;
  std::string section;  ///< section of the PTX ISA
  /// Opcodes of its native form; any other is called rewritten or emulated. "f32 approx:MUFU.RCP" applies only with
  /// these modifiers.
  std::vector<std::string> sass;
  /// Types that make the same machine instruction, the one that the catalogue spells first: "b32|f32|u32|s32".
  std::vector<std::string> alike;
  /// The set-up that a kernel needs: arithmetic, convert, compare, select, move; shuffle (the whole warp: shfl, vote,
  /// match, redux, elect, activemask); matrix, matrix-load, matrix-store; load, store, atomic, reduction, async, cache;
  /// fence, barrier, mbarrier; address (cvta, isspacep, mapa, getctarank); special.
  std::string kind;
  std::string unsupported;  ///< why it is not measured; empty if it is
  /// The suite and the pattern of the probes that measure an unsupported one, or empty.
  std::string suite, probes;
  std::string place;
};

struct OpcodeTable {
  std::map<std::string, std::vector<OpcodeRow>> rows;  ///< by opcode; the first row whose modifiers fit is used

  /// Sorted, for suggestions.
  [[nodiscard]] std::vector<std::string> opcodes() const;
};

/// Reads opcodes.yaml. Error "config" at file:line:column.
[[nodiscard]] Expected<OpcodeTable> load_opcodes(const std::string& file, std::string_view text);

}  // namespace warpclock
