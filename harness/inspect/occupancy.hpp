#pragma once

#include <cstdint>
#include <optional>

#include "inspect/inspection.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// What an SM has for blocks.
struct SmLimits {
  int sm = 0;
  int threads = 0, blocks = 0;  ///< of an SM
  int shared_kib = 0;           ///< of an SM
  int shared_block_kib = 0;     ///< of a block, by opt-in
  int barriers = 0;             ///< of an SM; 0: no limit before sm_90

  int registers = 65536;  ///< of an SM, and of a block
  int block_threads = 1024;

  bool operator==(const SmLimits&) const = default;
};

/// Nothing for an architecture that the table lacks.
[[nodiscard]] std::optional<SmLimits> sm_limits(const Arch& arch);

/// What a block of the kernel takes.
struct BlockNeeds {
  int threads = 0, registers = 0, barriers = 0;
  std::int64_t static_bytes = 0, dynamic_bytes = 0;
};

[[nodiscard]] Occupancy occupancy(const SmLimits& limits, const BlockNeeds& needs);

/// Bytes that an SM has to set aside for shared memory: for all blocks that fit, however many a grid has (docs/
/// findings.md, "Shared memory is set aside for all blocks that fit").
[[nodiscard]] std::int64_t shared_set_aside(const SmLimits& limits, const BlockNeeds& needs);

}  // namespace warpclock
