#include "gpu/device/watch.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"

namespace warpclock {

std::string in_words(const GpuEvents& events) {
  std::vector<std::string> words;
  for (const auto& [xid, times] : events.xids)
    words.push_back(fmt::format("Xid {}{}", xid, times > 1 ? fmt::format(" ({:.0f} times)", times) : ""));
  for (const auto& [name, more] : events.memory_errors)
    words.push_back(fmt::format("{} +{:.0f}", replace_all(name, "_", " "), more));
  return join(words, ", ");
}

std::string memory_errors_in_words(const DeviceFacts& device) {
  if (device.memory_errors.empty()) return {};
  std::vector<std::string> words;
  for (const auto& [name, count] : device.memory_errors)
    if (count > 0) words.push_back(fmt::format("{} {:.0f}", replace_all(name, "_", " "), count));
  return words.empty() ? "none" : join(words, ", ");
}

Expected<GpuWatch> GpuWatch::start(const std::string& pci_bus_id) {
  return GpuWatch(WARPCLOCK_TRY(Nvml::open(pci_bus_id)));
}

GpuWatch::GpuWatch(Nvml nvml) : nvml_(nvml), before_(nvml_.memory_errors()), xid_events_(nvml_.xid_events()) {}

GpuEvents GpuWatch::seen() {
  while (const auto xid = nvml_.next_xid(xid_events_.get())) ++xids_[std::to_string(*xid)];
  GpuEvents events{xids_, {}};
  for (const auto& [name, count] : nvml_.memory_errors()) {
    const auto before = before_.find(name);
    if (before != before_.end() && count > before->second) events.memory_errors[name] = count - before->second;
  }
  return events;
}

}  // namespace warpclock
