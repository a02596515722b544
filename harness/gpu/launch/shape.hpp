#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// The launch limits of a device and of one kernel on it.
struct ShapeLimits {
  std::int64_t sms = 0;
  std::int64_t threads_per_block = 0;  ///< for this kernel: its registers may allow fewer than the device does
  std::int64_t shared_per_block = 0;   ///< the device's opt-in maximum
  std::int64_t static_shared = 0;      ///< static shared memory of this kernel, in bytes
  std::int64_t blocks = 2147483647;    ///< grid dimension x (CUDA Programming Guide, "Technical Specifications")
  std::int64_t cluster = 1;            ///< 16 if the device has clusters, else 1
};

struct Shape {
  unsigned blocks = 1, threads = 32, cluster = 1, shared_bytes = 0;

  [[nodiscard]] std::int64_t warps() const { return threads / 32; }
  /// Each warp stores both of its clock readings.
  [[nodiscard]] std::int64_t clock_words() const { return blocks * warps() * 2; }
  [[nodiscard]] std::int64_t clock_bytes() const { return clock_words() * 8; }
};

/// The launch with the device's SM count filled in. Error "launch" names the limit that it exceeds.
[[nodiscard]] Expected<Shape> resolve_shape(const Launch& launch, const ShapeLimits& limits);

/// "132 blocks of 256 threads, clusters of 2, 49152 B of dynamic shared memory".
[[nodiscard]] std::string to_string(const Shape& shape);

}  // namespace warpclock
