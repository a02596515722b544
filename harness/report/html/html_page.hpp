#pragma once

#include <string>
#include <vector>

namespace warpclock {

/// The head element of a self-contained page: its style, and a policy that allows only that style and those scripts.
[[nodiscard]] std::string html_head(const std::string& title, const std::string& style,
                                    const std::vector<std::string>& scripts);

}  // namespace warpclock
