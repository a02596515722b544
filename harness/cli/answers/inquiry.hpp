#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answers/answers.hpp"
#include "cli/options/options.hpp"
#include "measure/measure_instructions.hpp"
#include "ptx/opcodes.hpp"
#include "record/near_row.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The table of machine instructions of a measured GPU.
class RecordedMachine {
 public:
  RecordedMachine(std::string by, std::string from, Record table);

  std::string by, from;  ///< as of a MachineAnswer
  Record table;

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
  Row row;
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

/// What a person asked, and the rows that answer it.
struct Inquiry {
  AskedLine asked;
  Expected<Subject> subject;             ///< the line as PTX, or why it is none
  std::vector<RecordedAnswer> recorded;  ///< of a line: a row of each GPU
  std::vector<NamedRows> named;          ///< of a short name
  std::vector<MachineAnswer> machine;    ///< rows of machine instructions
  std::string nature;                    ///< why a line of PTX has no number by its nature
  std::size_t to_compile = 0;            ///< its place among the subjects, if no row answers

  [[nodiscard]] bool has_rows() const {
    return !recorded.empty() || !named.empty() || !machine.empty() || !nature.empty();
  }
};

/// Looks for rows by what is written: a machine instruction, the same PTX, another spelling of it, or a short name.
/// `plain`: no operand and no value was chosen, so rows may answer.
[[nodiscard]] Expected<Inquiry> inquiry_of(AskedLine asked, Expected<Subject> subject, bool plain,
                                           const std::vector<RecordedTable>& tables, const OpcodeTable& opcodes,
                                           RecordedMachines& machines);

/// Looks for rows by the machine code that the line became: of one machine instruction its row or a near one; of
/// several a row of the same opcode, machine code and kinds of operands, else the rows of its machine instructions,
/// else a row of the same opcode and machine code. `compiled` is of architecture `arch`.
[[nodiscard]] Expected<void> find_rows_by_code(Inquiry& question, const std::vector<RecordedTable>& tables,
                                               const OpcodeTable& opcodes, const std::string& arch,
                                               const CompiledInstruction& compiled, RecordedMachines& machines);

/// Where words that are no PTX are answered: "; probes about it: ...". Empty for PTX.
[[nodiscard]] std::string where_else(const std::string& text, const OpcodeTable& opcodes);

}  // namespace warpclock
