#pragma once

#include <string>
#include <string_view>

#include "gpu/device/device.hpp"
#include "record/record.hpp"

namespace warpclock {

inline constexpr std::string_view same_gpu_words = "the same GPU";

/// "the same GPU", "another GPU", or "GPU not recorded" if a record has no UUID.
[[nodiscard]] std::string_view same_gpu(const DeviceFacts& a, const DeviceFacts& b);

/// "NVIDIA H200", or "unknown GPU".
[[nodiscard]] std::string name_of(const DeviceFacts& device);

/// The name of a page in links: "full" or "memory" for results, else "predictions", "blocks predictions".
[[nodiscard]] std::string page_name(const std::string& folder, const std::string& what = "");

/// The name of the board, and the settings of its clocks: "persistence on, power limit 700 W". Empty if nothing is
/// known.
[[nodiscard]] std::string board_in_words(const DeviceFacts& device);
[[nodiscard]] std::string clocks_in_words(const DeviceFacts& device);

/// What the SM clock of a record is, by which methods, and what NVML's is.
[[nodiscard]] std::string clock_in_words(const Provenance& provenance);

/// Why no number of the record that the SM clock is a factor of is right; empty if the two clocks agree.
[[nodiscard]] std::string timer_warning(const TimerRatio& timer);

/// The lowest and the highest SM clock that was measured around the cases: "1980 MHz", "1965 to 2100 MHz", or empty.
[[nodiscard]] std::string measured_clocks(const Record& record);

}  // namespace warpclock
