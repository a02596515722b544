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
  double in_halves = 0, stored = 0;  ///< as AccessedBytes has them
};

/// What a launch accesses, by the number of the buffer in its options; nothing if it is not known.
using AccessedRanges = std::map<int, AccessedRange>;

using RangesOfLaunch = std::function<const AccessedRanges&(std::size_t launch)>;

/// What L2 has when a launch begins.
struct LeftInL2 {
  std::map<int, double> parts;  ///< of what the launch accesses of each buffer (PredictOptions::in_l2)
  double stored = 0;            ///< bytes that it has to write back, at most
};

/// If L2 keeps what was accessed last. The launches before it are those after which each most often began. What none of
/// them accesses is not in L2. Nothing if it is not known what came before.
[[nodiscard]] LeftInL2 left_in_l2(const Capture& capture, std::size_t launch, const RangesOfLaunch& ranges,
                                  double l2_bytes);

}  // namespace warpclock
