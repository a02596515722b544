#pragma once

#include <cstddef>
#include <vector>

#include "analyze/curve/segments.hpp"

namespace warpclock {

/// Where a curve leaves a flat segment.
struct Onset {
  std::size_t low = 0, high = 0;  ///< indices of the points on both sides; neighbours unless there is much noise
  double best = 0;                ///< octaves: median of the posterior
  double confidence = 0;          ///< posterior probability of the bracket
};

/// The posterior of the onset, which may be anywhere between two points. The prior is uniform in octaves. The
/// likelihood of each place is that of the points around it under two models with equal weight:
/// - Cliff: the points up to the onset lie on the flat segment; those after it lie on the next one or anywhere. This
///   model does not determine where between two points the edge is.
/// - Knee: the points after the onset leave the level as the misses of a random replacement do, level + s (1 - onset /
///   at), for up to two octaves or up to the next segment, with 5 % of the rise allowed for a wrong shape.
///
/// The bracket is the cell of the median, extended by neighbours, the more likely first, until it has the probability
/// `wanted`. `next` is null if the curve ends before it is flat again.
[[nodiscard]] Onset find_onset(const std::vector<LogPoint>& points, const Partition& partition, const Segment& flat,
                               const Segment* next, double wanted);

}  // namespace warpclock
