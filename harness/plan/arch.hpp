#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// A compilation target as NVRTC names it: sm_80, sm_90a. `a` marks architecture-specific features
/// (PTX ISA, "PTX Module Directives: .target").
struct Arch {
  int sm = 0;             ///< compute capability times ten: 90
  bool specific = false;  ///< the `a` variant

  auto operator<=>(const Arch&) const = default;
};

/// The oldest architecture with 16-byte instructions. The later stages read no others.
inline constexpr int oldest_sm = 70;

[[nodiscard]] std::string to_string(const Arch& arch);

/// Accepts "sm_90", "sm_90a"; error "config" otherwise, naming what would have been valid.
[[nodiscard]] Expected<Arch> parse_arch(std::string_view text);

/// Whether code for `feature` compiles for `arch`: sm_90a has what sm_90 has, but not the reverse. Says nothing about
/// different compute capabilities.
[[nodiscard]] bool has(const Arch& arch, const Arch& feature);

/// The architectures every probe is verified on: sm_80, sm_90a, sm_100a, sm_120a.
[[nodiscard]] const std::vector<Arch>& verified_archs();

}  // namespace warpclock
