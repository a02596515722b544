#pragma once

#include "gpu/worker/worker.hpp"

namespace warpclock {

/// Reports on standard error what else runs on the GPU, before anything is measured. True if there is anything.
bool warn_of_others(const Worker& worker);

/// Implements --exclusive: prints the refusal and returns exit status 2.
int refuse_to_share(const char* what);

}  // namespace warpclock
