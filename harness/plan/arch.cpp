#include "plan/arch.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpclock {

std::string to_string(const Arch& arch) { return fmt::format("sm_{}{}", arch.sm, arch.specific ? "a" : ""); }

Expected<Arch> parse_arch(std::string_view text) {
  constexpr std::string_view prefix = "sm_";
  Arch arch;
  std::string_view digits = text;
  if (digits.starts_with(prefix)) {
    digits.remove_prefix(prefix.size());
    if (digits.ends_with('a')) {
      arch.specific = true;
      digits.remove_suffix(1);
    }
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), arch.sm);
    const bool whole = status == std::errc{} && end == digits.data() + digits.size();
    if (whole && arch.sm >= oldest_sm && arch.sm <= 999 && digits.front() != '0') return arch;
  }
  return fail("config", fmt::format("unknown architecture '{}' (write sm_{} or later, such as sm_80 or sm_90a)", text,
                                    oldest_sm));
}

bool has(const Arch& arch, const Arch& feature) {
  return arch.sm == feature.sm && (arch.specific || !feature.specific);
}

const std::vector<Arch>& verified_archs() {
  static const std::vector<Arch> archs = {{80, false}, {90, true}, {100, true}, {120, true}};
  return archs;
}

}  // namespace warpclock
