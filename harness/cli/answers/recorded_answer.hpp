#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "cli/answers/gpu_choice.hpp"
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

/// The measured row of this PTX in each table: of its operands, none is a constant or a chosen value.
[[nodiscard]] std::vector<RecordedAnswer> recorded_answers(const std::vector<RecordedTable>& tables,
                                                           const std::string& ptx);

/// The measured rows that a short name means in each table: its parts are parts of the instruction, in this order, as
/// in "ldmatrix.x4"; of several, those with the fewest parts. None if `name` is not such a name.
[[nodiscard]] std::vector<RecordedAnswer> recorded_by_name(const std::vector<RecordedTable>& tables,
                                                           const std::string& name);

/// "ldmatrix.x4: 29.0 cycles (H200, measured 2026-11-23)", and below it the row's numbers and where it is.
[[nodiscard]] std::string recorded_text(const std::string& asked, const RecordedAnswer& answer, const Style& style);
/// The same for programs.
[[nodiscard]] nlohmann::ordered_json recorded_json(const std::string& asked, const RecordedAnswer& answer);

}  // namespace warpclock
