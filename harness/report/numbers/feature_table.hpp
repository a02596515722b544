#pragma once

#include <string>
#include <vector>

#include "record/outline.hpp"

namespace warpclock {

/// A feature as a row of a table; the text is not yet escaped.
struct FeatureLine {
  std::string curve;       ///< "path=ca"; empty if the probe has only one curve
  std::string name;        ///< "latency.1"
  std::string where;       ///< "L1", or "–"
  std::string value;       ///< "33.01 cycles", "224 KiB (229,376)"
  std::string interval;    ///< "33.00 to 33.02"
  std::string confidence;  ///< "97 %", "residual 0.2 %"
  std::string note;
};

[[nodiscard]] std::vector<FeatureLine> feature_lines(const ProbeOutline& probe);

}  // namespace warpclock
