#pragma once

#include <string>

namespace warpclock {

/// The head element of a page that stands on its own: its style, and a policy that lets nothing else in than that style
/// and that script.
[[nodiscard]] std::string html_head(const std::string& title, const std::string& style, const std::string& script);

}  // namespace warpclock
