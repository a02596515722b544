#pragma once

#include <cstdint>

namespace warpclock {

/// The one argument of every probe kernel; must stay byte for byte what probes/probe.cuh says.
struct DeviceArgs {
  std::uint64_t clocks, data, data_bytes, facts, sink;
  std::uint32_t passes, zero;
  std::uint64_t at;
};
static_assert(sizeof(DeviceArgs) == 56);

constexpr int fact_slots = 16;

}  // namespace warpclock
