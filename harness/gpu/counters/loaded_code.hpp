#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"

namespace warpclock {

/// The cubin of the module that `load` loads: the machine code that the GPU gets, also of PTX. CUPTI shows it. (The
/// cubin of the driver's linker can differ from it: the linker treats PTX as relocatable, and ptxas 13.0 gives
/// relocatable code other scoreboards in some kernels.) No permission for counters is needed. Errors: those of `load`;
/// "counters-absent" without CUPTI or where another profiler holds the process; "counters" if CUPTI fails or shows no
/// module.
[[nodiscard]] Expected<std::string> loaded_code(const std::function<Expected<void>()>& load);

}  // namespace warpclock
