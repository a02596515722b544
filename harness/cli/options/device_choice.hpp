#pragma once

#include <string>

#include "base/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpclock {

/// Whether `--gpu WORD` means a GPU of this machine: its number, or its UUID.
[[nodiscard]] bool is_device(const std::string& word);

/// The value of CUDA_VISIBLE_DEVICES that leaves this GPU alone. Numbers count what `before`, the present value, leaves
/// visible: a scheduler or container sets it. Error "usage".
[[nodiscard]] Expected<std::string> visible_devices(const std::string& word, const std::string& before);

/// Hides all other GPUs from the worker, and with them from probes that need a second one. Nothing for an empty word.
[[nodiscard]] Expected<void> use_gpu(const std::string& word);

/// `--gpu` of commands that measure.
CLI::Option* add_device_option(CLI::App& command, std::string& word);

}  // namespace warpclock
