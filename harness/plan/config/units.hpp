#pragma once

#include <string>
#include <vector>

namespace warpclock {

/// Every unit that an estimate or a metric may have. "1" is a plain ratio.
[[nodiscard]] const std::vector<std::string>& units();

}  // namespace warpclock
