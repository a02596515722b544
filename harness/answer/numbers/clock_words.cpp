#include "answer/numbers/clock_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpclock {

std::string timer_in_words(const TimerRatio& timer) {
  if (!(timer.seconds > 0)) return {};
  return fmt::format("%globaltimer ran at {:.5f} of the host's clock over {:.3g} s", timer.ratio, timer.seconds);
}

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
