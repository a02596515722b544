#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/testing/matchers.hpp"
#include "model/machine.hpp"
#include "model/measured.hpp"

namespace warpclock::testing {

/// A folder with the records of one GPU, cut to a few rows of a committed report.
inline const std::string cut_reports = WARPCLOCK_SOURCE_DIR "/harness/model/testdata";

inline MeasuredGpu cut_gpu() { return read_measured_gpu(cut_reports, "nvidia-h200").value(); }

inline Machine cut_machine() { return make_machine(cut_gpu()).value(); }

/// The records and models of all GPUs in reports/.
struct CommittedGpu {
  MeasuredGpu gpu;
  Machine machine;
};
inline const std::vector<CommittedGpu>& committed_gpus() {
  static const std::vector<CommittedGpu> all = [] {
    const std::string reports = WARPCLOCK_SOURCE_DIR "/reports";
    std::vector<CommittedGpu> read;
    for (const std::string& folder : must(measured_gpus(reports))) {
      auto gpu = must(read_measured_gpu(reports, folder));
      auto machine = must(make_machine(gpu));
      read.push_back({std::move(gpu), std::move(machine)});
    }
    return read;
  }();
  return all;
}

inline const Machine& committed_machine(const std::string& folder) {
  for (const CommittedGpu& one : committed_gpus()) {
    if (one.gpu.folder == folder) return one.machine;
  }
  static const Machine none;
  ADD_FAILURE() << folder;
  return none;
}

}  // namespace warpclock::testing
