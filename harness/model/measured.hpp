#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/machine.hpp"
#include "record/json/record_json.hpp"
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

/// The records of a GPU, of results their numbers (Wanted). Results are by their file below its folder:
/// "result.json", "kernels/result.json".
struct MeasuredGpu {
  /// The GPU's own result comes before those of its suites.
  struct OwnFirst {
    bool operator()(const std::string& one, const std::string& other) const {
      return std::pair(one.contains('/'), one) < std::pair(other.contains('/'), other);
    }
  };
  std::string folder;  ///< "nvidia-h200"
  std::map<std::string, Record, OwnFirst> results;
  std::optional<Record> instructions;
  std::optional<Record> machine;
};

/// Errors "io" and those of parse_record().
[[nodiscard]] Expected<MeasuredGpu> read_measured_gpu(const std::filesystem::path& reports, const std::string& folder);

/// A record in a file, by parse_record(). A missing file is looked for with ".gz" added or removed. Errors "io" and
/// those of parse_record().
[[nodiscard]] Expected<Record> read_record(const std::filesystem::path& path, const Wanted& wanted = {});

/// The same; nothing where there is no such file.
[[nodiscard]] Expected<std::optional<Record>> read_if_there(const std::filesystem::path& path,
                                                            const Wanted& wanted = {});

/// What verified rows have of the model; of several records, the first that has a number. Error "config" if more rows
/// fit a place than it means, at the place of the entry. Pure.
[[nodiscard]] Expected<Machine> make_machine(const MeasuredGpu& gpu);

/// The names of the leaves that a rule asks for.
[[nodiscard]] std::vector<std::string> names_of(const LeafRule& rule);

}  // namespace warpclock
