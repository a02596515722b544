#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "model/machine.hpp"

namespace warpclock {

/// The fewest cycles that must lie between two issues.
struct MinimumStall {
  int cycles = 0;    ///< the largest of the GPUs
  std::string row;   ///< of the record: "dependences/IADD3->FFMA.A"
  bool own = false;  ///< the row has both instructions; else others that stand for their pipes
  bool sure = true;  ///< all rows of these pipes agree; else it is the lowest

  bool operator==(const MinimumStall&) const = default;
};

/// A kind of instruction: what its text is without registers and numbers.
struct InstructionKind {
  std::string key, name;   ///< "@PT FFMA.FTZ R#, R#, R#, R#", "FFMA.FTZ"
  std::string_view group;  ///< what it shares its times with: "alu", "half"; empty if no row says
  std::string writer;      ///< the same as a producer; on the tensor pipe the form whose rows are those of its own
  std::optional<double> interval;  ///< cycles between two issues of one warp
  bool scoreboard = false;         ///< the record says that a scoreboard signals its results
};

/// What records of GPUs say about how soon a result of a fixed latency may be read. Nothing is guessed: what has no row
/// has no number. The row of both instructions comes first, then rows of others that stand for their pipes
/// (`dependences` of machine.json).
class MinimumStalls {
 public:
  /// GPUs of one architecture. They must outlive this.
  explicit MinimumStalls(std::span<const Machine> machines);

  /// Whether there is any row.
  [[nodiscard]] bool empty() const { return by_names_.empty(); }
  /// "NVIDIA H100 80GB HBM3, NVIDIA H200"
  [[nodiscard]] std::string gpus() const;

  [[nodiscard]] std::size_t kind_of(const Instruction& instruction);
  [[nodiscard]] const InstructionKind& kind(std::size_t index) const { return kinds_[index]; }

  /// From the issue of what writes a register of this file until that of what reads it in a source operand, counted as
  /// Effects does. Null if no row says.
  [[nodiscard]] const MinimumStall* between(std::size_t producer, RegisterFile file, std::size_t consumer,
                                            std::size_t operand);

 private:
  struct Known {
    double cycles = 0;
    std::string row;
  };
  using Rows = std::vector<std::vector<Known>>;  ///< by machine

  void read(std::size_t machine);
  void add(Rows& rows, std::size_t machine, const Leaf& leaf) const;
  [[nodiscard]] std::string_view pipe_by_record(const std::string& key, const std::string& opcode) const;
  [[nodiscard]] std::string_view group_of(const Instruction& instruction, const std::string& key) const;
  [[nodiscard]] std::string writer_of(const InstructionKind& kind) const;
  [[nodiscard]] bool same_own_rows(const std::string& key, const std::string& other) const;
  [[nodiscard]] std::optional<MinimumStall> find(const InstructionKind& producer, RegisterFile file,
                                                 const InstructionKind& consumer, std::size_t operand) const;

  std::span<const Machine> machines_;
  std::map<std::string, const Entry*, std::less<>> forms_;               ///< of the first machine that has the form
  std::map<std::string, std::string_view, std::less<>> pipe_of_opcode_;  ///< empty where its forms disagree
  std::map<std::string, Rows, std::less<>> own_;       ///< "key operand" of a form that reads its own result
  std::map<std::string, Rows, std::less<>> by_names_;  ///< "IADD3->FFMA.A"
  std::map<std::string, Rows, std::less<>> by_pipes_;  ///< "alu->fma", "alu->tensor.A"
  std::map<std::string, std::string> tensor_writers_;  ///< names of producers on the tensor pipe, with their keys
  std::vector<InstructionKind> kinds_;
  std::map<std::string, std::size_t, std::less<>> index_of_;  ///< by key and predicates
  std::map<std::tuple<std::size_t, RegisterFile, std::size_t, std::size_t>, std::optional<MinimumStall>> found_;
};

}  // namespace warpclock
