#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/machine.hpp"
#include "record/kernel_record.hpp"

namespace warpclock {

/// The counter whose value is the cycles of a launch: those in which an SM had a warp, of the SM that had most.
inline constexpr const char* cycles_counter = "sm__cycles_active.max";

/// CUPTI's names of what decides the limiter on GPUs from sm_80 on, the cycles among them.
[[nodiscard]] const std::vector<std::string>& limit_counters();

/// How much of each resource was used, highest first. Issue slots, pipes and units: of the peak that CUPTI knows. L2
/// and DRAM: bytes over the rates of the model, which the hardware reaches; without such a row they are left out.
[[nodiscard]] std::vector<ResourceShare> resource_shares(const std::map<std::string, double>& counted,
                                                         const Machine& machine);

/// The first resource; "one warp alone" if none is used enough to limit the kernel, so that its latencies do.
[[nodiscard]] std::string limiter_of(const std::vector<ResourceShare>& shares);

}  // namespace warpclock
