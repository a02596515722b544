#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/files/packed_file.hpp"
#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"

namespace warpclock::testing {

/// The results of all suites and GPUs in reports/.
inline std::vector<Record> committed_results() {
  std::vector<Record> records;
  for (const auto& file : std::filesystem::recursive_directory_iterator(WARPCLOCK_SOURCE_DIR "/reports")) {
    if (without_gz(file.path()).filename() != "result.json") continue;
    records.push_back(must(parse_record(read_packed_file(file.path()).value_or(""), file.path().string())));
  }
  return records;
}

}  // namespace warpclock::testing
