#pragma once

#include <cstddef>
#include <vector>

#include "analyze/curve/stretches.hpp"

namespace warpclock {

/// Where a curve leaves a flat stretch.
struct Onset {
  std::size_t low = 0, high = 0;  ///< indices of the points on both sides; neighbours unless the noise asks for more
  double best = 0;                ///< octaves: median of the posterior
  double confidence = 0;          ///< posterior probability of the bracket
};

/// The posterior of the onset, which may be anywhere between two points: uniform in octaves beforehand, and for each
/// place the likelihood of the points around it under two pictures that count alike:
///   - a cliff: the points up to it lie on the flat stretch, those after it on the next one or anywhere. It says
///   nothing
///     of where between two points the edge is;
///   - a knee: the points after it leave the level as the misses of a random replacement do, level + s (1 - onset /
///   at),
///     for up to two octaves or up to the next stretch, with 5 % of the rise allowed for a wrong shape.
/// The bracket is the cell of the median and as many neighbours, the likelier first, as `wanted` asks for. `next` is
/// null when the curve ends before it is flat again.
[[nodiscard]] Onset find_onset(const std::vector<LogPoint>& points, const Partition& partition, const Stretch& flat,
                               const Stretch* next, double wanted);

}  // namespace warpclock
