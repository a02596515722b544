#pragma once

#include <cstdint>
#include <optional>

#include "advise/citations.hpp"
#include "advise/pipeline_advice.hpp"

namespace warpclock {

struct BandwidthQuestion {
  MemoryLevel level = MemoryLevel::Dram;  ///< L2 or DRAM
  std::optional<std::int64_t> bytes;      ///< that a kernel reads in all
  std::optional<std::int64_t> warps;      ///< of an SM
  std::optional<std::int64_t> width;      ///< of a thread's load: 1, 2, 4, 8 or 16 bytes
};

/// Bytes in flight, warps and loads that reach 90 % and 99 % of the rate at which all SMs read a level. Pure.
[[nodiscard]] Advice advise_bandwidth(const AdviceSource& from, const BandwidthQuestion& question);

}  // namespace warpclock
