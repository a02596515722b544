#pragma once

#include <string>

#include "report/overview/reported_gpu.hpp"

namespace warpclock {

/// reports/README.md: every GPU that was measured, with links into its folder. index.html compares them.
/// If there are several tables of instructions, instructions.html shows them side by side.
[[nodiscard]] std::string render_gallery(const Reports& reports);

}  // namespace warpclock
