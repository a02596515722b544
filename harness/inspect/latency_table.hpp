#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "fields/form_table.hpp"
#include "model/machine.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// Cycles from a source operand of an instruction to its result.
struct SourceLatency {
  std::optional<double> cycles;
  /// "measured": of this form; "opcode": all measured forms with this name agree; "encoded": the fewest cycles that
  /// ptxas leaves after this form; "unknown".
  std::string basis = "unknown";
  std::string why;  ///< why it is unknown
};

/// Latencies of machine instructions, from a machine model and from what ptxas encodes. Nothing is guessed.
class LatencyTable {
 public:
  /// `machine` is null if no GPU of this architecture was measured.
  LatencyTable(const Machine* machine, const Arch& arch);

  /// `source` counts source operands as Effects does.
  [[nodiscard]] SourceLatency of(const Instruction& instruction, std::size_t source) const;

 private:
  [[nodiscard]] std::optional<double> of_opcode(const std::string& name, const std::string& leaf) const;

  const FormTable& forms_;
  std::map<std::string, const Entry*, std::less<>> measured_;
  std::map<std::string, std::vector<const Entry*>, std::less<>> by_opcode_;
};

}  // namespace warpclock
