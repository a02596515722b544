#include <unistd.h>

#include <algorithm>

#include "gpu/launch/runner_state.hpp"
#include "gpu/launch/sharing.hpp"

namespace warpclock {

// A process that works now and then lets short kernels pass, but a kernel that lasts longer than a time slice is
// stopped for it. Containers hide such a process from NVML.
double Runner::State::longest_pause_us() {
  constexpr int kernels = 5;
  constexpr std::uint64_t several_slices_ns = 10'000'000;
  double longest = 0;
  for (int i = 0; i < kernels && longest < foreign_pause_us; ++i)
    if (const auto seen = meter.measure(several_slices_ns)) longest = std::max(longest, seen->pause_us);
  return longest;
}

void Runner::State::find_others() {
  if (nvml) others = other_processes(nvml->processes(), getpid(), before_us);
  for (const GpuProcess& one : others) others_in_words.push_back(to_string(one));
  if (const auto now = measure_clock()) wait_us = wait_behind(*now).value_or(0);
  pause_us = longest_pause_us();
}

}  // namespace warpclock
