#pragma once

#include <string>
#include <vector>

#include "compile/sources.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// "family/probe: 'mode' changes nothing ...": each parameter whose macro neither the kernel nor what it includes
/// names, and over whose values all cases of a probe have the same launch and data.
[[nodiscard]] std::vector<std::string> unused_parameters(const std::vector<Case>& cases, const Sources& sources);

}  // namespace warpclock
