#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answers/answers.hpp"
#include "cli/answers/machine_query.hpp"
#include "measure/measure_instructions.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {

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
