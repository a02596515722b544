#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/sweep.hpp"
#include "record/assemble.hpp"

namespace warpclock {

/// A case at one position of a curve, measured as `cycles` per repeat, or as `rate`.
inline Row at_place(const std::string& probe, Parameters parameters, double cycles) {
  Row row;
  row.probe = probe;
  row.family = probe.substr(0, probe.find('/'));
  row.id = probe + "[" + to_string(parameters) + "]";
  row.parameters = std::move(parameters);
  row.window.verdict = "verified";
  row.measures = {{"latency", Method::Slope, "cycles", 1, "", ""}};
  for (const std::int64_t n : {32, 64, 128}) {
    row.samples.push_back({n, std::vector<double>(7, 20 + cycles * static_cast<double>(n))});
  }
  return reanalyze(std::move(row));
}

}  // namespace warpclock
