#include "plan/arch.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace warpclock {

std::string to_string(const Arch& arch) {
  return fmt::format("sm_{}{}", arch.sm, arch.specific ? "a" : arch.family ? "f" : "");
}

Expected<Arch> parse_arch(std::string_view text) {
  constexpr std::string_view prefix = "sm_";
  Arch arch;
  std::string_view digits = text;
  if (digits.starts_with(prefix)) {
    digits.remove_prefix(prefix.size());
    arch.specific = digits.ends_with('a');
    arch.family = digits.ends_with('f');
    if (arch.specific || arch.family) digits.remove_suffix(1);
    arch.sm = whole_number<int>(digits).value_or(0);
    const int least = arch.family ? 100 : oldest_sm;  // before, no architecture has a family
    if (arch.sm >= least && arch.sm <= 999 && digits.front() != '0') return arch;
  }
  return fail("config", fmt::format("unknown architecture '{}' (write sm_{} or later, such as sm_80 or sm_90a)", text,
                                    oldest_sm));
}

bool has(const Arch& arch, const Arch& feature) {
  const auto rank = [](const Arch& one) { return one.specific ? 2 : one.family ? 1 : 0; };
  return arch.sm == feature.sm && rank(arch) >= rank(feature);
}

const std::vector<Arch>& verified_archs() {
  static const std::vector<Arch> archs = {{80, false}, {90, true}, {100, true}, {120, true}};
  return archs;
}

const std::vector<Arch>& all_archs() {
  static const std::vector<Arch> archs = {{75, false}, {80, false}, {86, false}, {87, false}, {89, false}, {90, true},
                                          {100, true}, {103, true}, {110, true}, {120, true}, {121, true}};
  return archs;
}

}  // namespace warpclock
