#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "base/text.hpp"
#include "cli/options/options.hpp"

namespace warpclock {

bool is_device(const std::string& word) {
  return word.starts_with("GPU-") || word.starts_with("MIG-") || (!word.empty() && std::ranges::all_of(word, is_digit));
}

Expected<std::string> visible_devices(const std::string& word, const std::string& before) {
  if (!is_device(word)) {
    return fail("usage", fmt::format("--gpu: '{}' is neither a number nor a UUID; nvidia-smi -L lists both", word));
  }
  if (before.empty() || !is_digit(word.front())) return word;
  const std::vector<std::string> visible = split(before, ',');
  std::size_t index = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (status == std::errc() && index < visible.size()) return visible[index];
  return fail("usage", fmt::format("--gpu {}: CUDA_VISIBLE_DEVICES={} leaves {} visible, counted from 0", word, before,
                                   visible.size()));
}

Expected<void> use_gpu(const std::string& word) {
  if (word.empty()) return {};
  constexpr const char* variable = "CUDA_VISIBLE_DEVICES";
  const char* before = std::getenv(variable);
  const std::string visible = WARPCLOCK_TRY(visible_devices(word, before == nullptr ? "" : before));
  // Numbers as nvidia-smi has them; by default CUDA puts the fastest GPU first.
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  setenv(variable, visible.c_str(), 1);
  return {};
}

CLI::Option* add_device_option(CLI::App& command, std::string& word) {
  return add_value(command, "--gpu", "N|UUID", word,
                   "The GPU to use: its number or UUID, as nvidia-smi -L lists them; else 0");
}

}  // namespace warpclock
