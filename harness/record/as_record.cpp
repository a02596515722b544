#include "record/as_record.hpp"

namespace warpclock {

Record as_record(const InstructionTable& table) {
  Record record{.provenance = table.provenance, .device = table.device};
  for (const InstructionRecord& row : table.rows) {
    CaseRecord& one = record.cases.emplace_back(CaseRecord{.id = row.id,
                                                           .arch = row.arch,
                                                           .outcome = row.outcome,
                                                           .reason = row.reason,
                                                           .estimates = row.estimates,
                                                           .clock = row.clock});
    for (const std::string& opcode : row.became) one.window.opcodes.emplace_back(opcode, 1);
    for (const std::string& form : row.forms) one.window.sass_hash += form;
    for (const InstructionRun& run : row.runs) one.window.sass_hash += run.sass_hash;
  }
  return record;
}

Record as_record(const MachineTable& table) {
  Record record{.provenance = table.provenance, .device = table.device};
  for (const MachineRow& row : table.rows) {
    CaseRecord& one = record.cases.emplace_back(CaseRecord{.id = row.key, .estimates = estimates_of(row)});
    if (!row.reason) continue;
    one.outcome = Outcome::Rejected;
    one.reason = {"", row.reason->code, row.reason->text};
  }
  return record;
}

}  // namespace warpclock
