#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "fleet/fleet.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The parts of one GPU that lie three sigmas or more from the others of their kind, and how many were compared. The
/// index of the GPU is left to the caller.
struct ComparedParts {
  std::vector<PartOutlier> away;
  std::size_t tested = 0;
};

/// Compares, for each probe of the memory whose rows have a value for each SM: the SMs by their mean over the rows; the
/// lines of L2 by their mean over the SMs; and the GPCs, where memory/gpc_map says which SMs share one.
[[nodiscard]] ComparedParts compare_parts(const Record& record);

/// A number of one GPU.
struct FleetValue {
  std::uint32_t gpu = 0;     ///< index in Observations::gpus
  std::uint32_t record = 0;  ///< the number of its record
  float reach = 0;           ///< see reach_of()
  double value = 0;
};

/// One number of one row, of all GPUs of a model.
struct FleetSeries {
  std::size_t model = 0;
  std::string id, estimate, unit;
  EstimateKind kind = EstimateKind::Cycles;
  std::string varies;  ///< why it may differ in another process, or empty
  std::vector<FleetValue> values;
};

/// What all records of a folder say. Rows are kept as numbers, 24 bytes each, so ten thousand records of a thousand
/// rows fit into 400 MB.
struct Observations {
  std::string folder;
  std::size_t records = 0;
  std::vector<FleetGpu> gpus;
  std::vector<std::string> models;
  std::vector<FleetSeries> series;
  std::vector<PartOutlier> parts;  ///< candidates: every part three sigmas away from the others
  std::size_t parts_tested = 0;
  std::vector<FleetFailure> failures;
  std::size_t unread = 0;  ///< of the failures, the records and folders that could not be read
};

/// Puts records together, in the order in which they are given. If a GPU has a row in several records, the newest
/// counts, also if it has no number there. Records from before `since` ("2026-11-01") do not count, and a GPU that has
/// no other is a failure. So are two GPUs whose rows had the very same clocks: one is a copy of the other.
class FleetCollector {
 public:
  explicit FleetCollector(std::string folder, std::string since = "") : since_(std::move(since)) {
    all_.folder = std::move(folder);
  }

  /// `folder` is where the record is, relative to that of the fleet.
  void add(const Record& record, const std::string& folder);
  void add(FleetFailure failure) { all_.failures.push_back(std::move(failure)); }

  [[nodiscard]] Observations finish();

 private:
  std::size_t gpu_of(const Record& record, const std::string& folder);
  std::size_t model_of(const std::string& name);
  std::size_t series_of(std::size_t model, const Row& row, const Estimate& estimate, const std::string& varies);
  void add_value(std::size_t gpu, const Row& row, const Estimate& estimate, const std::string& varies);

  void look_for_a_copy(const Record& record, std::size_t gpu, const std::string& folder);
  void note_lack(std::size_t gpu, const std::string& row);
  void forget_what_is_older();

  Observations all_;
  std::string since_;
  std::map<std::string, FleetFailure> old_;              ///< records that do not count, by GPU
  std::unordered_map<std::string, std::size_t> lacked_;  ///< numbers of rows that some record has without a number
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> no_number_;  ///< the newest such record, by GPU and row
  std::unordered_map<std::string, std::size_t> clocks_;                   ///< which GPU a record with these is of
  std::vector<std::string> dates_;                                        ///< of each record
  std::unordered_map<std::string, std::size_t> gpus_, series_;
  std::size_t next_ = 0;  ///< the series behind that of the last number
};

/// Reads every result and instruction table below `folder`, several at once but never more than a few in memory.
/// `progress` is called with how many of how many are read. A record or a folder that cannot be read, and a record from
/// the future, is a failure in the result; FleetCollector says what `since` does. Error "io" if there is no such
/// folder, "no-records" if there is nothing in it.
[[nodiscard]] Expected<Observations> read_fleet(const std::filesystem::path& folder,
                                                const std::function<void(std::size_t, std::size_t)>& progress,
                                                const std::string& since = "");

/// The GPUs that a fleet must have: so many, or exactly these.
struct ExpectedGpus {
  std::optional<std::size_t> count;
  std::vector<std::string> uuids;  ///< sorted, each once
};

/// `given` is a number, or a file with a UUID in each line, among other words or not: `nvidia-smi -L` of all nodes is
/// such a file. Empty lines and lines that begin with # are left out. Errors "usage", "io", "config".
[[nodiscard]] Expected<ExpectedGpus> expected_gpus(const std::string& given);

/// The text of such a file, which `place` names.
[[nodiscard]] Expected<ExpectedGpus> listed_gpus(std::string_view text, const std::string& place);

/// A failure for each GPU that has no record, and for each record of a GPU that is not expected; with a number, one
/// failure if there are fewer or more.
[[nodiscard]] std::vector<FleetFailure> missed(const ExpectedGpus& expected, const Observations& observations);

}  // namespace warpclock
