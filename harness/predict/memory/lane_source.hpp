#pragma once

#include <cstdint>
#include <string_view>

#include "predict/memory/lane_state.hpp"

namespace warpclock {

/// What the constant bank holds. The sizes of a block and of the grid are known from the launch. Buffers begin at
/// multiples of 256 bytes (CUDA C++ Programming Guide, "Device Memory Accesses"). If the launch does not say which
/// arguments are their addresses, those are taken for it that are read as 64 bits: `wide`.
[[nodiscard]] LaneRef bank_value(const LaneLaunch& launch, std::uint32_t offset, bool wide);

/// What S2R gives: "SR_TID.X".
[[nodiscard]] LaneRef special_value(const LaneLaunch& launch, std::string_view name);

}  // namespace warpclock
