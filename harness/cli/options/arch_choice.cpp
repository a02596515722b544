#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "cli/options/options.hpp"
#include "compile/compiler/nvrtc.hpp"

namespace warpclock {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> gpus = {{{"a100", "sm_80"},
                                                                                {"l40s", "sm_89"},
                                                                                {"h100", "sm_90a"},
                                                                                {"h200", "sm_90a"},
                                                                                {"gh200", "sm_90a"},
                                                                                {"b200", "sm_100a"},
                                                                                {"gb200", "sm_100a"}}};

/// "sm_90a" of "90a", "SM90a", "compute_90a" and "H100"; other words as they are.
std::string canonical(std::string_view text) {
  const std::string word = to_lower(trim(text));
  const auto gpu = std::ranges::find(gpus, word, [](const auto& known) { return known.first; });
  if (gpu != gpus.end()) return std::string(gpu->second);
  std::string_view digits = word;
  for (const std::string_view prefix : {"compute", "sm", "_"})
    if (digits.starts_with(prefix)) digits.remove_prefix(prefix.size());
  return !digits.empty() && is_digit(digits.front()) ? fmt::format("sm_{}", digits) : std::string(text);
}

std::string known_ones() {
  std::vector<std::string> names;
  for (const int sm : supported_sms()) {
    names.push_back(fmt::format("sm_{}", sm));
    // Before sm_90 there are no architecture-specific variants.
    if (sm >= 90) names.back() += "[a]";
  }
  std::vector<std::string> of_gpus;
  for (const auto& [name, arch] : gpus) of_gpus.push_back(to_upper(name));
  names.push_back(fmt::format("or a GPU: {}", join(of_gpus, ", ")));
  return join(names, ", ");
}

}  // namespace

CLI::Option* add_arch_option(CLI::App& command, std::string& value, const std::string& text) {
  return add_value(command, "--arch", "ARCH,...", value, text)->check([](const std::string& given) {
    return trim(given).empty() ? "no architecture is named" : "";
  });
}

Expected<Arch> named_arch(std::string_view text) {
  const auto arch = parse_arch(canonical(text));
  if (!arch) return fail("usage", fmt::format("unknown architecture '{}': say {}", text, known_ones()));
  const auto target = target_for(*arch);
  if (target && !target->is_ptx) return arch;
  // Without NVRTC no architecture can be served, so naming others would not help.
  if (supported_sms().empty()) return std::unexpected(target.error());
  return fail("usage",
              fmt::format("CUDA {} does not know {}: say {}", nvrtc_version(), to_string(*arch), known_ones()));
}

Expected<std::vector<Arch>> named_archs(std::string_view text) {
  if (to_lower(trim(text)) == "all") return verified_archs();
  std::vector<Arch> archs;
  for (const std::string& piece : split(text, ',')) {
    const auto arch = WARPCLOCK_TRY(named_arch(piece));
    if (std::ranges::find(archs, arch) == archs.end()) archs.push_back(arch);
  }
  return archs;
}

}  // namespace warpclock
