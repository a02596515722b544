#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answers/answers.hpp"
#include "cli/answers/gpu_choice.hpp"
#include "record/machine_record.hpp"
#include "record/near_row.hpp"

namespace warpclock {

/// The table of machine instructions of a measured GPU.
class RecordedMachine {
 public:
  RecordedMachine(std::string by, std::string from, MachineTable table);

  std::string by, from;  ///< as of a MachineAnswer
  MachineTable table;

  /// What its rows show about forms that have none.
  [[nodiscard]] const RowPairs& pairs() const;

 private:
  mutable std::unique_ptr<RowPairs> pairs_;  ///< made when a form has no row
};

/// The tables of the GPUs that answer, read when the first line needs them.
class RecordedMachines {
 public:
  explicit RecordedMachines(GpuChoice choice) : choice_(std::move(choice)) {}

  /// As recorded_tables().
  [[nodiscard]] Expected<const std::vector<RecordedMachine>*> all();

 private:
  GpuChoice choice_;
  std::optional<std::vector<RecordedMachine>> read_;
};

/// The key of the form of a machine instruction, as nvdisasm prints it or as a form is printed: "@PT IADD3 R#, R#, R#,
/// RZ". An address that the linker fills in is a number.
[[nodiscard]] std::string asked_key(const std::string& code);

/// The row of that form, or a near one that answers for it with the numbers that hold.
struct FoundRow {
  MachineRow row;
  std::vector<std::string> differs;  ///< what the form differs from the row in, and why it does not matter
};

/// The row with numbers of that form, else the near row. Nothing if there is none.
[[nodiscard]] std::optional<FoundRow> find_row(const RecordedMachine& machine, const std::string& key);

/// The answer of a table to a machine instruction, to a form as it is printed, or to an opcode. An instruction that has
/// no latency and no rate by its nature says so. Else the error says which row is missing, and how to measure it.
[[nodiscard]] MachineAnswer machine_answer(const RecordedMachine& machine, const AskedLine& asked);

/// Why an instruction has neither a latency nor a rate by its nature, and which probes measure something about it:
/// labels, directives, jumps, and what keeps lanes together. Empty for others.
[[nodiscard]] std::string no_number_by_nature(const std::string& code);

/// "guard @P0: ..." and "reuse flags: ...": in what a line differs from every row.
[[nodiscard]] std::vector<std::string> beyond_form(const std::string& code);

}  // namespace warpclock
