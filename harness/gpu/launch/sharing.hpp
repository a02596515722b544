#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/nvml.hpp"
#include "gpu/job/samples.hpp"
#include "gpu/launch/clock.hpp"

namespace warpclock {

/// A kernel on an idle stream begins some 20 microseconds after it was asked for, and at most 60 in 4,000 looks (H200);
/// beside a process that keeps the GPU busy it waits for the end of that one's time slice, 2,000 to 2,600.
constexpr double foreign_wait_us = 250;
/// Within a kernel %globaltimer goes on by 2 microseconds at most (H200); where another context had the SMs, by 2,400.
constexpr double foreign_pause_us = 100;

/// Of several looks at an idle stream the shortest wait, so that a host that was busy once is not taken for a GPU that
/// is; no further look once one did not wait.
[[nodiscard]] Expected<double> shortest_wait_us(double first_us, const std::function<Expected<ClockLook>()>& look);

/// What is on the device beside this process, which a container may know by another number: then it is the one that
/// `before` this process opened the device was not there.
[[nodiscard]] std::vector<GpuProcess> other_processes(std::vector<GpuProcess> now, std::int64_t own_pid,
                                                      const std::vector<GpuProcess>& before);

/// "python3 (process 915, compute, 874 MiB)".
[[nodiscard]] std::string to_string(const GpuProcess& process);

/// What says that a case was not alone on the GPU, "a kernel waited for the GPU", and for how long.
struct SharedSign {
  std::string text;
  double us = 0;
};

/// Nothing where nothing says so. A launch that took longer by as much as a kernel waits says so only where another
/// process is known: the host may be late too.
[[nodiscard]] std::optional<SharedSign> shared_sign(const ClockReading& clock, const Samples& samples);

}  // namespace warpclock
