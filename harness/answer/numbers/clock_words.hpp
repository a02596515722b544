#pragma once

#include <string>

#include "record/record.hpp"

namespace warpclock {

/// "%globaltimer ran at 0.99999 of the host's clock over 43 s"; empty if they were not compared.
[[nodiscard]] std::string timer_in_words(const TimerRatio& timer);

/// What the SM clock of a record is, by which methods, and what NVML's is.
[[nodiscard]] std::string clock_in_words(const Provenance& provenance);

/// Why no number of the record that the SM clock is a factor of is right; empty if the two clocks agree.
[[nodiscard]] std::string timer_warning(const TimerRatio& timer);

/// The lowest and the highest SM clock that was measured around the cases: "1980 MHz", "1965 to 2100 MHz", or empty.
[[nodiscard]] std::string measured_clocks(const Record& record);

}  // namespace warpclock
