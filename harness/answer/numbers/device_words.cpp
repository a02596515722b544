#include "answer/numbers/device_words.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"

namespace warpclock {

std::string page_name(const std::string& folder, const std::string& what) {
  if (what.empty()) return folder.empty() ? "full" : folder;
  return folder.empty() ? what : folder + " " + what;
}

std::string name_of(const DeviceFacts& device) { return device.name.empty() ? "unknown GPU" : device.name; }

std::string_view same_gpu(const DeviceFacts& a, const DeviceFacts& b) {
  if (a.uuid.empty() || b.uuid.empty()) return "GPU not recorded";
  return a.uuid == b.uuid ? same_gpu_words : "another GPU";
}

std::string board_in_words(const DeviceFacts& device) {
  std::vector<std::string> words;
  if (!device.uuid.empty()) words.push_back(device.uuid);
  if (!device.pci.empty()) words.push_back("PCI " + device.pci);
  if (!device.board.empty()) words.push_back("part " + device.board);
  if (!device.vbios.empty()) words.push_back("VBIOS " + device.vbios);
  return join(words, ", ");
}

std::string clocks_in_words(const DeviceFacts& device) {
  std::vector<std::string> words;
  if (!device.persistence.empty()) words.push_back("persistence " + device.persistence);
  if (device.sm_clock_set_mhz > 0) words.push_back(fmt::format("SM clock set to {:.0f} MHz", device.sm_clock_set_mhz));
  if (device.memory_clock_set_mhz > 0)
    words.push_back(fmt::format("memory clock set to {:.0f} MHz", device.memory_clock_set_mhz));
  if (device.power_limit_w > 0) words.push_back(fmt::format("power limit {:.0f} W", device.power_limit_w));
  return join(words, ", ");
}

}  // namespace warpclock
