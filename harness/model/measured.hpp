#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/machine.hpp"
#include "record/instruction_record.hpp"
#include "record/kernel_record.hpp"
#include "record/machine_record.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The folder of reports: the given one, or the first with records of `reports` here, `reports` next to the program or
/// in a folder above it, and those installed with the program. Error "io".
[[nodiscard]] Expected<std::filesystem::path> find_reports(const std::string& given);

/// The same where no folder is given; nothing if there are no records. Error "io" if one of the folders cannot be read.
[[nodiscard]] Expected<std::optional<std::filesystem::path>> usual_reports();

/// The names of its folders that have records, sorted: "nvidia-h200". Error "io" if it cannot be read.
[[nodiscard]] Expected<std::vector<std::string>> measured_gpus(const std::filesystem::path& reports);

/// The name that `word` means: it is the name, or whole parts of it, as "h100" and "h100-80gb" are. Error "gpu".
[[nodiscard]] Expected<std::string> choose_gpu(const std::vector<std::string>& names, const std::string& word);

/// The records of a GPU, of results what parse_record_numbers() reads. Results are by their file below its folder:
/// "result.json", "kernels/result.json".
struct MeasuredGpu {
  std::string folder;
  std::map<std::string, Record> results;
  std::optional<InstructionTable> instructions;
  std::optional<MachineTable> machine;
};

/// Errors "io" and those of parse_record().
[[nodiscard]] Expected<MeasuredGpu> read_measured_gpu(const std::filesystem::path& reports, const std::string& folder);

/// Only instructions.json and machine.json; nothing where there is none.
[[nodiscard]] Expected<std::optional<InstructionTable>> read_gpu_instructions(const std::filesystem::path& folder);
[[nodiscard]] Expected<std::optional<MachineTable>> read_gpu_machine(const std::filesystem::path& folder);
/// Only cases.json.
[[nodiscard]] Expected<std::optional<KernelTable>> read_gpu_kernels(const std::filesystem::path& folder);

[[nodiscard]] Expected<Machine> make_machine(const ModelConfig& config, const MeasuredGpu& gpu);

/// The records of one GPU by their file below its folder: "result.json", "kernels/result.json". Null if there is none.
struct GpuRecords {
  std::string folder;  ///< "nvidia-h200"
  std::vector<std::pair<std::string, const Record*>> results;
  const InstructionTable* instructions = nullptr;
  const MachineTable* machine = nullptr;
};

/// What verified rows have of the model; of several records, the first that has a number. Error "config" if more rows
/// fit a place than it means, at the place of the entry. Pure.
[[nodiscard]] Expected<Machine> make_machine(const ModelConfig& config, const GpuRecords& records);

/// The names of the leaves that a rule asks for.
[[nodiscard]] std::vector<std::string> names_of(const LeafRule& rule);

}  // namespace warpclock
