#pragma once

#include <cstddef>
#include <optional>

#include "analyze/curve/curve.hpp"

namespace warpclock {

/// The smallest axis value that reaches a share of a plateau.
struct Reach {
  double best = 0;  ///< between two points in a line
  double low = 0,
         high = 0;  ///< points of the curve that hold it with 95 % confidence; low is 0 when the first point does
};

/// Where a rate stops growing, as bandwidth does with the bytes in flight.
struct Saturation {
  double plateau = 0, low = 0, high = 0;  ///< median of the points on top, and its 95 % interval
  std::size_t points = 0;                 ///< how many these are
  bool rising = false;                    ///< at the end of the curve, by more than 1 % an octave for certain
  std::optional<Reach> at90, at99;        ///< nothing when the curve is not saturated

  [[nodiscard]] bool saturated() const { return points > 1 && !rising; }
};

/// Of points with positive axis values and values, ascending; nothing of fewer than three. On top is what lies within
/// 2 %, or within three standard deviations of the curve's noise, of the highest value that has another one as high
/// beside it: one bad point makes no plateau. The share is sought on the smallest change of the points that makes
/// them rise up to the plateau (isotonic regression), because under noise a point early on the plateau may pass 99 %
/// and the next may not; what that averages also says how far it can be wrong.
[[nodiscard]] std::optional<Saturation> find_saturation(const Curve& curve);

}  // namespace warpclock
