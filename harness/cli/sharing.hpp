#pragma once

#include "gpu/worker/worker.hpp"

namespace warpclock {

/// Says on standard error what else is on the GPU, before anything is measured; whether there is something.
bool warn_of_others(const Worker& worker);

/// What --exclusive does then: says so, and gives exit status 2.
int refuse_to_share(const char* what);

}  // namespace warpclock
