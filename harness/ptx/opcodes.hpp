#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

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
