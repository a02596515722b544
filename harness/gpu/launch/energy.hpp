#pragma once

#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "gpu/launch/clock.hpp"

namespace warpclock {

/// The energy counter at a time of the host.
struct EnergyReading {
  std::int64_t host_ns = 0;
  double joules = 0;
};

/// Energy and the time in which it was used.
struct EnergyWindow {
  double joules = 0, seconds = 0;

  bool operator==(const EnergyWindow&) const = default;
};

/// From the counter's first step among the readings to its last one: it steps every 20 to 100 ms, so that its value at
/// another time belongs to an earlier one. Nothing if that is shorter than 0.2 s, or if the readings are too far apart
/// to tell the time of the steps to 3 % of it.
[[nodiscard]] std::optional<EnergyWindow> energy_between_steps(std::span<const EnergyReading> readings);

/// Reads the energy counter every millisecond or so, in a thread of its own, because the host waits for launches.
class EnergySampler {
 public:
  /// Joules since some time; nothing if the device does not count them.
  using Read = std::function<std::optional<double>()>;

  explicit EnergySampler(Read read);
  EnergySampler(const EnergySampler&) = delete;
  EnergySampler& operator=(const EnergySampler&) = delete;
  ~EnergySampler() = default;

  /// Ends the thread. The readings in the order of their times.
  [[nodiscard]] std::vector<EnergyReading> stop();

 private:
  void take();

  Read read_;
  std::vector<EnergyReading> readings_;
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace warpclock
