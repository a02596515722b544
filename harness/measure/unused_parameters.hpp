#pragma once

#include <string>
#include <vector>

#include "measure/compile_cases.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// "family/probe: 'mode' changes neither ...": each parameter over whose values all compiled cases of a probe on one
/// architecture have the same machine code, launch and data.
[[nodiscard]] std::vector<std::string> unused_parameters(const std::vector<Case>& cases,
                                                         const std::vector<CompiledCase>& compiled);

}  // namespace warpclock
