#include "answer/numbers/device_words.hpp"

#include <fmt/format.h>

#include <algorithm>
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

namespace {

/// "%globaltimer ran at 0.99999 of the host's clock over 43 s"; empty if they were not compared.
std::string timer_in_words(const TimerRatio& timer) {
  if (!(timer.seconds > 0)) return {};
  return fmt::format("%globaltimer ran at {:.5f} of the host's clock over {:.3g} s", timer.ratio, timer.seconds);
}

}  // namespace

std::string clock_in_words(const Provenance& provenance) {
  std::string text =
      "The SM clock is measured: cycles of %clock64 in a nanosecond of %globaltimer, before and after the launches of "
      "each case.";
  if (const std::string timer = timer_in_words(provenance.timer); !timer.empty()) text += " " + timer + ".";
  return text + " NVML states the clock that is requested; the SMs may run faster.";
}

std::string timer_warning(const TimerRatio& timer) {
  if (!timer.differs()) return {};
  return timer_in_words(timer) +
         ": every SM clock is wrong by as much, and so are GB/s, TFLOP/s and ns; numbers in cycles are not";
}

std::string measured_clocks(const Record& record) {
  SmClock all;
  for (const CaseRecord& row : record.cases) {
    const SmClock one = sm_clock(row.clock);
    if (!(one.mhz > 0)) continue;
    all.low = all.low > 0 ? std::min(all.low, one.low) : one.low;
    all.high = std::max(all.high, one.high);
  }
  if (!(all.high > 0)) return {};
  const std::string least = fmt::format("{:.0f}", all.low), most = fmt::format("{:.0f}", all.high);
  return (least == most ? most : least + " to " + most) + " MHz";
}

}  // namespace warpclock
