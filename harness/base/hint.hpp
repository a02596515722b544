#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// " (did you mean 'cg'?)", or the list of the candidates, or nothing. It is appended to "unknown value 'cgg'".
[[nodiscard]] std::string hint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace warpclock
