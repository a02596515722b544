#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "record/variation.hpp"

namespace warpclock {

/// Numbers of some cases that may differ in another process.
struct Varying {
  std::string estimate;
  Cause cause;  ///< the one with the furthest reach
  std::size_t cases = 0;
};

struct ProbeOutline {
  ProbeRecord probe;
  std::vector<const CaseRecord*> cases;  ///< in the record's order
  std::vector<std::string> varying;      ///< parameters that distinguish the cases, in the order of the config
  Parameters fixed;                      ///< parameters that all cases share
  std::vector<std::string> estimates;    ///< names published by any measured case, without those of fits
  std::vector<std::string> counters;     ///< metrics that any measured case has
  std::vector<const Feature*> features;  ///< features of its curves
  bool encoded = false;                  ///< any measured case has an encoded distance
  std::vector<Varying> varies;
  int sms = 0;  ///< SMs of the device
};

struct FamilyOutline {
  std::string name;
  std::vector<ProbeOutline> probes;
};

/// "latency of 3 cases may differ in another process: its launches differ, the interval reaches 3.1 %"
[[nodiscard]] std::string describe(const Varying& varying);

/// The record by family and probe, in the order of first mention. Points into `record`. A case whose probe the record
/// does not describe gets its own probe, without a chart.
[[nodiscard]] std::vector<FamilyOutline> outline(const Record& record, const Variations& variations);
[[nodiscard]] std::vector<FamilyOutline> outline(const Record& record);

/// The estimate of that name; nullptr if there is none or the case is not measured.
[[nodiscard]] const Estimate* published(const CaseRecord& row, const std::string& name);

/// "warps=4 ilp=2"; only the named parameters.
[[nodiscard]] std::string describe(const CaseRecord& row, const std::vector<std::string>& names);

}  // namespace warpclock
