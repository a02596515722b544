#pragma once

#include <map>
#include <string>

#include "report/record.hpp"

namespace warpclock {

/// reports/README.md: every GPU that was measured, with links into its folder, and the headline numbers side by side.
/// `records` by the name of their folder.
[[nodiscard]] std::string render_gallery(const std::map<std::string, Record>& records);

}  // namespace warpclock
