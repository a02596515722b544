#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/error.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The rows of a run in progress, one JSON line each, so that a killed run can be continued. The first line is the
/// run's key: everything that must be equal for a row to be reused.
class Journal {
 public:
  /// Opens or starts the journal. A file with another key, or an unreadable one, is started anew. A last line that was
  /// cut off by the kill is dropped. Error "io".
  [[nodiscard]] static Expected<Journal> open(std::filesystem::path path, const std::string& key);

  /// Rows of the killed run by case id.
  [[nodiscard]] const std::map<std::string, CaseRecord>& rows() const { return rows_; }

  /// The row is on disk when this returns.
  [[nodiscard]] Expected<void> append(const CaseRecord& row);

  /// Called after the report is written.
  void remove() const;

 private:
  explicit Journal(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::map<std::string, CaseRecord> rows_;
};

}  // namespace warpclock
