#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// A compilation target as NVRTC names it: sm_80, sm_90a, sm_100f. `a` marks features of one architecture, `f` those of
/// a family of them (PTX ISA, "PTX Module Directives: .target").
struct Arch {
  int sm = 0;             ///< compute capability times ten: 90
  bool specific = false;  ///< the `a` variant
  bool family = false;    ///< the `f` variant, which has less than `a`

  auto operator<=>(const Arch&) const = default;
};

/// The oldest architecture with 16-byte instructions. The later stages read no others.
inline constexpr int oldest_sm = 70;

[[nodiscard]] std::string to_string(const Arch& arch);

/// Accepts "sm_90", "sm_90a", "sm_100f"; error "config" otherwise, naming what would have been valid.
[[nodiscard]] Expected<Arch> parse_arch(std::string_view text);

/// Whether code for `feature` compiles for `arch`: sm_100a has what sm_100f has, and that what sm_100 has, but not the
/// reverse. Says nothing about different compute capabilities.
[[nodiscard]] bool has(const Arch& arch, const Arch& feature);

/// The architectures on which every probe is verified before each commit: sm_80, sm_90a, sm_100a, sm_120a.
[[nodiscard]] const std::vector<Arch>& verified_archs();

/// Those on which every probe is verified: of all GPUs from Turing on that CUDA 13 compiles for.
[[nodiscard]] const std::vector<Arch>& all_archs();

}  // namespace warpclock
