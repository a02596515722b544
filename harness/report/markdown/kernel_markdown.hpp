#pragma once

#include <string>

#include "record/kernel_record.hpp"

namespace warpclock {

/// cases.md: kernels with what was predicted, what was measured, and the signed error.
[[nodiscard]] std::string render_kernel_markdown(const KernelTable& table);

}  // namespace warpclock
