#pragma once

#include "base/error.hpp"
#include "gpu/worker/worker.hpp"

namespace warpclock {

/// Reports on standard error what else runs on the GPU, before anything is measured. True if there is anything.
bool warn_of_others(const Worker& worker);

/// The error of --exclusive.
[[nodiscard]] std::unexpected<Error> refuse_to_share(const char* what);

}  // namespace warpclock
