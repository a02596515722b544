#pragma once

#include <string>
#include <vector>

namespace warpclock {

/// The value at one point of the axis, with its 95 % interval.
struct CurvePoint {
  double at = 0;
  double value = 0;
  double low = 0, high = 0;  ///< both 0 if unknown
};

/// The results of one verified kernel at many values of a run-time axis.
struct Curve {
  std::string axis, axis_unit;
  std::string name, unit;
  std::vector<CurvePoint> points;  ///< with ascending `at`
};

}  // namespace warpclock
