#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// Executions of each instruction by all warps, by its address from the kernel's begin: the source page that Nsight
/// Compute exports (`ncu --page source --csv`), with a line for each instruction in the order of the machine code. The
/// text is foreign input: error "counts" with the line.
[[nodiscard]] Expected<std::map<std::int64_t, std::int64_t>> parse_counts(std::string_view csv);

}  // namespace warpclock
