#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyze/curve/curve.hpp"

namespace warpclock {

/// The smallest axis value at which a curve reaches a share of its plateau.
struct Reach {
  double best = 0;  ///< interpolated linearly between two points
  double low = 0,
         high = 0;  ///< points that bracket it with 95 % confidence; low is 0 if the first point already does
};

/// Where a rate stops growing, as bandwidth does with the bytes in flight.
struct Saturation {
  double plateau = 0, low = 0, high = 0;  ///< median of the points on the plateau, and its 95 % interval
  std::size_t points = 0;                 ///< number of points on the plateau
  bool rising = false;                    ///< still rises at the end of the curve, by certainly more than 1 % per
                                          ///< octave
  std::optional<Reach> at90, at99;        ///< nothing if the curve is not saturated

  [[nodiscard]] bool saturated() const { return points > 1 && !rising; }
};

/// Uses points with positive axis values and values, ascending; nothing if there are fewer than three. The plateau
/// consists of the points within 2 %, or within three standard deviations of the curve's noise, of the highest value
/// that has an equally high neighbour: one bad point makes no plateau. The shares are located on the smallest change of
/// the points that makes them rise up to the plateau (isotonic regression), because under noise an early point of the
/// plateau may pass 99 % and the next one may not. The number of points that this averages determines the uncertainty.
[[nodiscard]] std::optional<Saturation> find_saturation(const Curve& curve);

struct PlateauPoint {
  double x = 0, y = 0;
};

/// The level at which a curve saturates, as throughput does over warps.
struct Plateau {
  double level = 0;        ///< median of the points within 5 % of the highest
  double reached_at = 0;   ///< smallest x with at least 95 % of the level
  std::size_t points = 0;  ///< points on the level; if there is only one, the curve may still be rising

  [[nodiscard]] bool flat() const { return points > 1; }
};

constexpr double plateau_share = 0.95;

/// The points may be in any order; those that are not numbers are ignored. Nothing if none is left or the highest is
/// not positive.
[[nodiscard]] std::optional<Plateau> plateau(const std::vector<PlateauPoint>& curve);

}  // namespace warpclock
