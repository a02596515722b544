#pragma once

#include <optional>

#include "execute/launch.hpp"
#include "inspect/load.hpp"
#include "predict/kernel_path.hpp"

namespace warpclock {

/// A launch whose blocks count themselves, as the last of each count sees it: the one that goes on with what the others
/// have stored. Nothing if no block counts, or if one counts more than once: then the counter hands out work.
[[nodiscard]] std::optional<ExecutedLaunch> launch_of_last(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                                           const KernelPath& path);

}  // namespace warpclock
