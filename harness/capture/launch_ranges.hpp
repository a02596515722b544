#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "capture/capture.hpp"
#include "capture/l2_left.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"

namespace warpclock {

/// What captured launches access.
class LaunchRanges {
 public:
  /// `folder` is that of the capture.
  LaunchRanges(const Capture& capture, std::filesystem::path folder);

  /// By execution on the GPU's L1. Of a launch that cannot be executed: from each pointer to the next one that any
  /// launch has, if L2 has room for it; these are no buffers of its options.
  [[nodiscard]] AccessedRanges of(std::size_t launch, const Expected<LoadedKernel>& kernel,
                                  const Machine& machine) const;

 private:
  [[nodiscard]] Expected<AccessedRanges> executed(const CapturedLaunch& launch, const LoadedKernel& kernel,
                                                  const Machine& machine) const;
  [[nodiscard]] AccessedRanges by_pointers(const CapturedLaunch& launch, double l2_bytes) const;

  const Capture& capture_;
  std::filesystem::path folder_;
  std::set<std::int64_t> pointers_;  ///< addresses
};

}  // namespace warpclock
