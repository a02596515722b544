#pragma once

#include "base/error.hpp"
#include "gpu/device/driver.hpp"

namespace warpclock {

/// The kernel that does nothing, by which a capture knows how long the launch of any kernel is in its times.
inline constexpr const char* empty_kernel = "warpclock_empty";

/// Launches it some times on the first GPU, one after the other. Errors "no-device", "cuda" and "fault".
[[nodiscard]] Expected<void> launch_empty_kernel(const Driver& driver);

}  // namespace warpclock
