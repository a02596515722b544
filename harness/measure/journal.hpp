#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/device.hpp"
#include "plan/plan.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What decides the rows of a run besides its cases.
struct RunGround {
  const std::map<std::string, std::string>& configs;  ///< text by path
  const std::map<std::string, std::string>& sources;
  const DeviceFacts& device;
  std::string host;
  std::string counters_missing;       ///< why there are no counters; empty if there are
  std::vector<std::string> tools;     ///< identities of compilers and disassemblers
  std::vector<std::string> settings;  ///< what the command line says about how each case is measured
};

/// What must be equal for a row of a stopped run to be taken over: parts by name ("GPU", "configs"), each a hash or a
/// word for people.
using RunKey = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] RunKey run_key(const std::vector<Case>& cases, const RunGround& ground);

/// The process that opens a journal.
struct JournalUser {
  std::string began;       ///< when it did, as in Provenance::date
  bool continues = false;  ///< it is a later part of the run that used the journal last
};

/// The rows of a run in progress, so that a killed run can be continued: each a line of JSON, and its hash. The first
/// line is the run's key, and each run that used the journal begins with a line that holds its date.
class Journal {
 public:
  /// Opens or starts the journal. A file with another key, or an unreadable one, is started anew. A line that
  /// was cut off by the kill, or is damaged, is dropped. Error "io".
  [[nodiscard]] static Expected<Journal> open(std::filesystem::path path, const RunKey& key, const JournalUser& user);

  /// Rows of the killed run by case id.
  [[nodiscard]] const std::map<std::string, Row>& rows() const { return rows_; }

  /// How many of these rows were measured by earlier runs, and when the first of those runs began.
  [[nodiscard]] ResumedRows resumed(const std::vector<std::string>& ids) const;

  /// What was different for the rows that were in the file and are not taken: "GPU, configs"; empty if there were none.
  [[nodiscard]] const std::string& differs() const { return differs_; }

  /// After this the row outlives the process, but perhaps not the machine: it is not synced. Error "io", with what to
  /// do.
  [[nodiscard]] Expected<void> append(const Row& row);

  /// Called after the report is written.
  void remove() const;

 private:
  explicit Journal(std::filesystem::path path) : path_(std::move(path)) {}

  std::string take(const std::vector<std::string>& lines);
  void take_row(Row row);

  std::filesystem::path path_;
  std::map<std::string, Row> rows_;
  std::map<std::string, std::size_t> run_of_;  ///< by case id: the run that measured the row, in runs_
  std::vector<std::string> runs_;              ///< dates
  std::string differs_;
};

}  // namespace warpclock
