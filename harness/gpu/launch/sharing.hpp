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

/// A kernel on an idle stream begins some 20 microseconds after its launch, and at most 60 in 4,000 measurements
/// (H200). If another process keeps the GPU busy, it waits for the end of that process's time slice, 2,000 to 2,600
/// microseconds.
constexpr double foreign_wait_us = 250;
/// Within a kernel %globaltimer advances by at most 2 microseconds at once (H200); if another context used the SMs, by
/// 2,400.
constexpr double foreign_pause_us = 100;

/// The shortest wait among several measurements of an idle stream, so that a host that was busy once is not taken for a
/// shared GPU. Stops after the first measurement without a wait.
[[nodiscard]] Expected<double> shortest_wait_us(double first_us,
                                                const std::function<Expected<ClockMeasurement>()>& measure);

/// The processes on the device other than this one. A container may know this process by another number. It is then the
/// first one that is not in `before`, the list from before this process opened the device.
[[nodiscard]] std::vector<GpuProcess> other_processes(std::vector<GpuProcess> now, std::int64_t own_pid,
                                                      const std::vector<GpuProcess>& before);

/// "python3 (process 915, compute, 874 MiB)".
[[nodiscard]] std::string to_string(const GpuProcess& process);

/// A sign that a case was not alone on the GPU, "a kernel waited for the GPU", and its duration.
struct SharedSign {
  std::string text;
  double us = 0;
};

/// Nothing if there is no sign. A launch that exceeds the others by as much as a kernel waits counts only if another
/// process is known, because the host may also be late.
[[nodiscard]] std::optional<SharedSign> shared_sign(const ClockReading& clock, const Samples& samples);

}  // namespace warpclock
