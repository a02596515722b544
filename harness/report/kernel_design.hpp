#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// Where the cycles are that two kinds of instructions take together.
struct PairSource {
  std::string probe;
  std::string first, second;  ///< parameters that hold the kinds
  std::string cycles;         ///< the estimate
};

/// What the pictures for those who write kernels are drawn from.
struct KernelDesign {
  PairSource pairs;
};

/// Foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<KernelDesign> parse_kernel_design(const std::string& file, std::string_view text);

/// The one that the program carries.
[[nodiscard]] const Expected<KernelDesign>& known_kernel_design();

}  // namespace warpclock
