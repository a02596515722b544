#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/listing.hpp"
#include "model/machine.hpp"

namespace warpclock {

/// Sub-partitions of an SM. A warp is on the one with its number modulo 4.
inline constexpr std::size_t sub_partitions = 4;

/// A number that is not below `low` and not above `high`.
struct Bounds {
  double low = 0, high = 0;

  /// Two rows that differ by less than two runs do agree (docs/findings.md, "Repeatability").
  [[nodiscard]] bool known() const { return high - low <= 0.01 * high; }
  bool operator==(const Bounds&) const = default;
};

/// What the model knows of one instruction, in cycles.
struct Cost {
  std::string pipe;  ///< of its sub-partition
  Bounds interval;   ///< until the pipe of the sub-partition takes the next instruction, if one warp issues alone
  Bounds shared;     ///< until the unit of the SM takes the next instruction of any sub-partition; 0: it has none
  Bounds latency;    ///< until an instruction that waits for its result may issue, if a scoreboard signals it
  bool known_interval = true, known_latency = true;
};

inline constexpr double group_warps = 4;  ///< warps that multiply together, each on its sub-partition

/// Turns of shared memory in which a multiply of a warp group reads the 32 bytes of each row of A and each column of B
/// that it takes from there: 32 for m64n64k16, as many as its row has cycles with A in shared memory; loads of shared
/// memory beside it add theirs (docs/findings.md, "wgmma of one warp group hides work of another").
[[nodiscard]] double operand_turns(const Instruction& multiply);

/// Costs of machine instructions by the rows of one GPU. The row of the form counts; without one, the rows of all forms
/// with the same name if they agree; else the range of the rows of its opcode or, without any, of its pipe.
class CostTable {
 public:
  /// The machine must outlive it.
  explicit CostTable(const Machine& machine);

  /// Remembers what it found, so only one thread may use the table.
  [[nodiscard]] const Cost& of(const Instruction& instruction) const;
  [[nodiscard]] const Machine& machine() const { return machine_; }

 private:
  using Entries = std::vector<const Entry*>;

  [[nodiscard]] Cost found(const Instruction& instruction) const;
  [[nodiscard]] Entries nearest(const Instruction& instruction, std::string_view leaf) const;
  [[nodiscard]] bool agree(const Entries& entries, std::string_view leaf) const;

  void add_multiply(const Entry& entry);
  void add_special(Cost& cost, const Instruction& instruction) const;
  [[nodiscard]] Bounds after_multiply(const Instruction& instruction) const;

  const Machine& machine_;
  /// What the wait for a multiply of a warp group takes beyond its interval in rows, by its size (empty: any) and
  /// whether A is in registers.
  std::map<std::pair<std::string, bool>, std::optional<Bounds>> after_multiply_;
  std::map<std::string, const Entry*, std::less<>> by_form_;
  std::map<std::string, Entries, std::less<>> by_name_, by_opcode_, by_pipe_;
  mutable std::unordered_map<std::string, Cost> found_;  ///< by the text of the instruction
};

}  // namespace warpclock
