#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// " (did you mean 'cg'?)", or what there is to choose from, or nothing: made to follow "unknown value 'cgg'".
[[nodiscard]] std::string hint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace warpclock
