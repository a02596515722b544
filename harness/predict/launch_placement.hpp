#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "execute/accesses/access_profile.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/predict.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// How a launch is spread over the SMs.
struct LaunchPlacement {
  std::int64_t blocks = 1;
  bool assumed = false;  ///< nobody said how many: as many as all SMs hold at once
  int threads = 0, blocks_per_sm = 0, sms = 1;
  double l1_bytes = 0;  ///< that L1 of an SM holds
  ConstantCache constants;

  [[nodiscard]] double waves() const;
  /// Of the SM that has most.
  [[nodiscard]] std::int64_t blocks_of_sm() const { return (blocks + sms - 1) / sms; }
  /// On all SMs.
  [[nodiscard]] std::int64_t blocks_at_once() const { return std::min(blocks, std::int64_t{blocks_per_sm} * sms); }
  [[nodiscard]] int block_warps() const;
  [[nodiscard]] CacheRoom room_of_block() const {
    const auto blocks_there = static_cast<double>(std::min<std::int64_t>(blocks_of_sm(), blocks_per_sm));
    return {static_cast<std::uint64_t>(l1_bytes / blocks_there), constants};
  }
};

void note_placement(const LaunchPlacement& placement, Prediction& prediction);

/// Error "predict" if not one block fits, or the threads of a block are not known.
[[nodiscard]] Expected<LaunchPlacement> place_launch(const KernelFacts& facts, const Machine& machine,
                                                     const PredictOptions& options);

/// The first instruction that reads the clock, and the one after the last. Error "predict" if there are not two.
[[nodiscard]] Expected<std::pair<std::size_t, std::size_t>> window_of(const Listing& listing);

}  // namespace warpclock
