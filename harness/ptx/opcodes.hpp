#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// One form of a PTX opcode: which operands it has when its modifiers are these. From
/// configs/instructions/opcodes.yaml.
struct OpcodeRow {
  std::string opcode;                ///< "mul"
  std::vector<std::string> when;     ///< modifiers that must be there: {"wide"}; "a|b" means one of them
  std::vector<std::string> without;  ///< modifiers that must not be there
  /// Operands in order, `name:type`; see the head of opcodes.yaml for the little language.
  std::vector<std::string> operands;
  std::string section;  ///< of the PTX ISA
  /// Opcodes that this is natively; anything else is called rewritten or emulated. "f32 approx:MUFU.RCP" holds beside
  /// those modifiers alone.
  std::vector<std::string> sass;
  /// What a kernel has to set up: arithmetic, convert, compare, select, move; shuffle (the whole warp: shfl, vote,
  /// match, redux, elect, activemask); matrix, matrix-load, matrix-store; load, store, atomic, reduction, async, cache;
  /// fence, barrier, mbarrier; address (cvta, isspacep, mapa, getctarank); special.
  std::string kind;
  std::string unsupported;  ///< why it is not measured; empty when it is
  std::string place;
};

struct OpcodeTable {
  std::map<std::string, std::vector<OpcodeRow>> rows;  ///< by opcode; the first whose modifiers fit is used

  /// For suggestions, sorted.
  [[nodiscard]] std::vector<std::string> opcodes() const;
};

/// Reads opcodes.yaml. Error "config" at file:line:column.
[[nodiscard]] Expected<OpcodeTable> load_opcodes(const std::string& file, std::string_view text);

}  // namespace warpclock
