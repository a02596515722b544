#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "capture/capture.hpp"

namespace warpclock {

/// A part of memory that a launch accesses, by addresses in the captured process.
struct AccessedRange {
  std::int64_t begin = 0, bytes = 0;
  double in_halves = 0;  ///< what L2 keeps for it (AccessedBytes)
};

/// What a launch accesses, by the number of the buffer in its options; nothing if it is not known.
using AccessedRanges = std::map<int, AccessedRange>;

using RangesOfLaunch = std::function<const AccessedRanges&(std::size_t launch)>;

/// The part of what a launch accesses of each buffer that L2 has when it begins (PredictOptions::in_l2), if L2 keeps
/// what was accessed last. The launches before it are those after which each most often began. What none of them
/// accesses is not in L2. Empty if nothing is known of what came before.
[[nodiscard]] std::map<int, double> left_in_l2(const Capture& capture, std::size_t launch, const RangesOfLaunch& ranges,
                                               double l2_bytes);

}  // namespace warpclock
