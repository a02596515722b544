#pragma once

#include <set>

#include "record/instruction_record.hpp"

namespace warpclock {

/// The numbers of warps at which a throughput should be measured again with more launches: it is not known to half a
/// percent, or another number of warps has a higher rate, and launches differ there by more than a thousandth. More
/// launches of the same time would leave what is not known: how far apart the warps begin. Another process would get
/// another rate, or take it at another of these numbers.
[[nodiscard]] std::set<int> scattering_warps(const InstructionRecord& row);

}  // namespace warpclock
