#pragma once

#include <string>

#include "inspect/image/kernel_facts.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/memory/lane_state.hpp"

namespace warpclock {

/// What the first threads of a block begin with, on an architecture like "sm_90a".
[[nodiscard]] LaneLaunch lane_launch(const std::string& target, const KernelFacts& facts, const LaunchShape& shape);

}  // namespace warpclock
