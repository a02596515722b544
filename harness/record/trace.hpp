#pragma once

#include <string>
#include <vector>

#include "analyze/curve/curve.hpp"
#include "analyze/curve/levels.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The measured cases of a probe that differ only in what a find runs over, as a curve of one measure.
struct Trace {
  std::string id;                       ///< id of the probe
  Parameters parameters;                ///< those of its cases, without the axis
  std::vector<const CaseRecord*> rows;  ///< the cases of the curve's points
  Curve curve;                          ///< ascending
};

/// In the order of their first cases.
[[nodiscard]] std::vector<Trace> traces_of(const Record& record, const ProbeRecord& probe, FeatureQuery find);

/// The levels of a curve, as the query asks for them.
[[nodiscard]] Levels levels_of(const Trace& trace, const FeatureQuery& find);

/// The parameters of the curve to which a case belongs: its own without the axis.
[[nodiscard]] Parameters curve_of(const CaseRecord& row, const std::string& axis);

}  // namespace warpclock
