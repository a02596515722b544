#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/error.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The rows of a run that is under way, one JSON line each as they come, so that a killed run can go on. The first line
/// is the run's key: what must be the same for a row to be taken over.
class Journal {
 public:
  /// Opens or starts the journal. A file with another key, or none that can be read, begins anew. A last line that the
  /// kill cut short is dropped. Error "io".
  [[nodiscard]] static Expected<Journal> open(std::filesystem::path path, const std::string& key);

  /// Rows of the killed run by case id.
  [[nodiscard]] const std::map<std::string, CaseRecord>& rows() const { return rows_; }

  /// The row is on disk when this returns.
  [[nodiscard]] Expected<void> append(const CaseRecord& row);

  /// Once the report is written.
  void remove() const;

 private:
  explicit Journal(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::map<std::string, CaseRecord> rows_;
};

}  // namespace warpclock
