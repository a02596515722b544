#pragma once

#include <string>
#include <vector>

#include "answer/ask/probe_sheet.hpp"
#include "base/error.hpp"

namespace warpclock {

/// A case and its rows on the GPUs; null where a GPU has none.
struct CaseRows {
  Parameters parameters;
  std::string id;
  std::vector<const CaseRecord*> on;
};

/// The cases of a probe with these parameters, in the order of the first GPU's record; along a curve by its axis.
[[nodiscard]] std::vector<CaseRows> case_rows(const std::vector<ProbePlace>& places,
                                              const std::vector<std::pair<std::string, std::string>>& with);

/// The values of a parameter of a probe, in the records' order. Empty if it has no such parameter.
[[nodiscard]] std::vector<Value> values_of(const std::vector<ProbePlace>& places, const std::string& parameter);

/// Of all GPUs' outlines what `of` says, each once.
[[nodiscard]] std::vector<std::string> united(const std::vector<ProbePlace>& places,
                                              std::vector<std::string> ProbeOutline::*of);

/// The most decimals of any GPU's column.
[[nodiscard]] int decimals_of(const std::vector<ProbePlace>& places, const std::string& estimate);

}  // namespace warpclock
