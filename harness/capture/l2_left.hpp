#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "capture/capture.hpp"

namespace warpclock {

/// What a launch accesses from one of its pointers on.
struct AccessedRange {
  double bytes = 0, stored = 0;     ///< as AccessedBytes has them
  std::optional<std::int64_t> ago;  ///< of the pointer (CapturedPointer)
  std::int64_t address = 0;         ///< of the pointer; 0: not known
};

/// What a launch accesses, by the number of the buffer in its options.
using AccessedRanges = std::map<int, AccessedRange>;
using RangesOfLaunch = std::function<const AccessedRanges&(std::size_t launch)>;

/// What L2 has when a launch begins.
struct LeftInL2 {
  std::map<int, double> parts;  ///< of what the launch accesses of each buffer (PredictOptions::in_l2)
  std::map<int, double> apart;  ///< PredictOptions::stored_apart
  double stored = 0;            ///< bytes of launches before that it has to write back, at most
};

/// If L2 keeps what was accessed last. The launches before it are those after which each most often began, and what
/// they access counts once. Nothing if it is not known what came before.
[[nodiscard]] LeftInL2 left_in_l2(const Capture& capture, std::size_t launch, const RangesOfLaunch& ranges,
                                  double l2_bytes);

}  // namespace warpclock
