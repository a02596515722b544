#pragma once

#include <vector>

#include "answer/ask/hits.hpp"
#include "cli/report_folder.hpp"

namespace warpclock::testing {

/// The committed records of all GPUs, read once.
inline const Reports& committed_records() {
  static const Reports all(chosen_reports({"", WARPCLOCK_SOURCE_DIR "/reports"}).value());
  return all;
}

/// What a book of records needs to live.
struct Evidence {
  explicit Evidence(const Reports& reports) : gpus(reported_gpus(reports)), book(gpus) {}
  std::vector<ReportedGpu> gpus;
  ProbeBook book;
};

}  // namespace warpclock::testing
