#pragma once

#include <optional>
#include <string>

#include "analyze/estimate.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// What is known of a chain beside the slope of its windows.
struct ChainFacts {
  std::optional<double> encoded;  ///< cycles of a copy without its links, if they are encoded
  double links = 0;               ///< cycles of a copy's links
  bool mixed = false;             ///< the copies are of several opcodes, so that the latency is a mean
};

/// States a fixed latency as what it is. ptxas schedules the ends of each window by itself, so a window may be a few
/// cycles shorter than its copies say, and a line through three windows then has a slope a little off. So where all
/// launches of each window took the same cycles, the interval also covers each step from one window to the next. A
/// fixed latency is a whole number of cycles: if the encoded distance is whole and in that interval, it is the latency;
/// if nothing is encoded, the only whole number in it is. The note then says what the line had. Otherwise, and where
/// the latency is whole already, nothing changes.
void state_fixed_latency(Estimate& latency, const Samples& samples, const ChainFacts& facts);

/// Why the interval of a latency does not hold what is encoded, if that is a mean over copies; else nothing.
[[nodiscard]] std::optional<std::string> encoded_mean(const Estimate& latency, const Estimate& encoded);

}  // namespace warpclock
