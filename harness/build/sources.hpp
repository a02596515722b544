#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/case.hpp"

namespace warpclock {

/// Device code by path below probes/: "probe.cuh", "shuffle/latency.cu".
using Sources = std::map<std::string, std::string>;

/// One translation unit that holds every repeat count of every given case, each kernel in a namespace of its own, with
/// N, KERNEL and the sweep's macros defined around an include of the probe. Kernel symbols are
/// `kernel_symbol(case index, n)`.
[[nodiscard]] std::string translation_unit(const std::vector<const Case*>& cases);
[[nodiscard]] std::string kernel_symbol(std::size_t index, std::int64_t n);

}  // namespace warpclock
