#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpclock {

/// CUtensorMap, which the driver encodes and the hardware reads.
struct alignas(64) TensorMap {
  std::array<std::uint64_t, 16> words{};

  bool operator==(const TensorMap&) const = default;
};

/// The only argument of every probe kernel. Its layout must match probes/probe.cuh byte for byte.
struct DeviceArgs {
  std::uint64_t clocks, data, data_bytes, facts, sink;
  std::uint32_t passes, zero;
  std::uint64_t at, texture, places;
  TensorMap tensor;
};
static_assert(sizeof(DeviceArgs) == 256 && offsetof(DeviceArgs, tensor) == 128);

constexpr int fact_slots = 16;

/// The fact that is the SM clock of the row: what a kernel measured while its window ran. Tensor cores lower the clock
/// as long as they run, so that readings before and after the launches do not show it.
constexpr const char* sm_mhz_fact = "sm_mhz";

}  // namespace warpclock
