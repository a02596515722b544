#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What tells the machine code of a row apart: the hash of its window; of a PTX instruction its forms and the hashes of
/// all its windows. Empty if that is not known.
[[nodiscard]] std::string code_of(const Row& row);

/// The kind of an estimate. It determines by how much two runs on one GPU may differ: fixed latencies (a slope with
/// encoded cycles) by 0.1 cycle; rates in bytes by 2 %, others by 0.5 %; other cycles, which memory or the scheduler
/// determines, by 0.5 %; percentages from counters by 1 point (shares by 0.01), other counters by 1 %; facts from the
/// kernel or the compiler (facts, encoded cycles) not at all.
enum class EstimateKind { FixedLatency, Rate, Bandwidth, Cycles, Counter, Exact };

template <>
inline constexpr auto enum_words<EstimateKind> =
    std::array<std::string_view, 6>{"fixed latency", "rate", "bandwidth", "cycles", "counter", "exact"};

[[nodiscard]] EstimateKind kind_of(const Row& row, const Estimate& estimate);

/// The larger distance from the estimate to an end of its interval, in its unit.
[[nodiscard]] double reach_of(const Estimate& estimate);

/// In the estimate's unit.
[[nodiscard]] double tolerance_of(EstimateKind kind, const Estimate& estimate);

/// Gives each number of the record the reason why it may not repeat (Estimate::varies), or nothing. The reasons, in
/// order: the probe's config says so (`varies`); the case is a point of a curve that lies on none of its levels; its
/// footprint is one that L2 holds in part; the window has an instruction that takes another time in each process; the
/// interval reaches further than half of the difference that two runs may have. The interval explains a difference of
/// three times its reach. An instruction explains two thirds of the number. The other reasons explain three times the
/// interval's reach, half of the number, or twice the difference that two runs may have (ten times for a counter),
/// whichever is largest: the interval of one process does not show them.
void find_causes(Record& record);

/// Numbers of some cases that may differ in another process.
struct Varying {
  std::string estimate;
  Cause cause;  ///< the one with the furthest reach
  std::size_t cases = 0;
};

struct ProbeOutline {
  ProbeRecord probe;
  std::vector<const Row*> cases;         ///< in the record's order
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
[[nodiscard]] std::vector<FamilyOutline> outline(const Record& record);

/// "warps=4 ilp=2"; only the named parameters.
[[nodiscard]] std::string describe(const Row& row, const std::vector<std::string>& names);

}  // namespace warpclock
