#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "cli/answers/asked_line.hpp"
#include "cli/answers/gpu_choice.hpp"
#include "measure/measure_instructions.hpp"
#include "record/instruction_record.hpp"

namespace warpclock {

/// The instruction table of a measured GPU.
struct RecordedTable {
  std::string file;  ///< "reports/nvidia-h200/instructions.json"
  InstructionTable table;
};

/// A measured row that answers what was asked.
struct RecordedAnswer {
  const RecordedTable* from = nullptr;
  const InstructionRecord* row = nullptr;
};

/// The table of the chosen GPU, or, if none is chosen, those of all measured GPUs; none if there are no reports and
/// none is chosen.
[[nodiscard]] Expected<std::vector<RecordedTable>> recorded_tables(const GpuChoice& choice);

/// The measured row of this PTX in each table, without chosen values; 31 and 0x1f are the same constant.
[[nodiscard]] std::vector<RecordedAnswer> recorded_answers(const std::vector<RecordedTable>& tables,
                                                           const std::string& ptx);

/// The measured rows that a short name means in each table: its parts are parts of the instruction, in this order, as
/// in "ldmatrix.x4"; of several, those with the fewest parts. None if `name` is not such a name.
[[nodiscard]] std::vector<RecordedAnswer> recorded_by_name(const std::vector<RecordedTable>& tables,
                                                           const std::string& name);

/// "29.0 cycles", "a b 4.0, c 6.0 cycles", "63.9 results/clk/SM".
[[nodiscard]] std::string headline(const InstructionRecord& row);

/// "ldmatrix.x4: 29.0 cycles (H200, measured 2026-11-23)", and below it the row's numbers and where it is. `subject` is
/// what the line was read as; null for a short name.
[[nodiscard]] std::string recorded_text(const AskedLine& asked, const RecordedAnswer& answer, const Subject* subject,
                                        const Style& style);
/// The same for programs.
[[nodiscard]] nlohmann::ordered_json recorded_json(const AskedLine& asked, const RecordedAnswer& answer,
                                                   const Subject* subject);

}  // namespace warpclock
