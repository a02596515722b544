#include "gpu/launch/energy.hpp"

#include <chrono>
#include <stop_token>
#include <utility>

namespace warpclock {
namespace {

/// The counter stepped between two readings.
struct Step {
  double at_ns = 0, within_ns = 0;
  double joules = 0;  ///< after it
};

}  // namespace

std::optional<EnergyWindow> energy_between_steps(std::span<const EnergyReading> readings) {
  constexpr double least_s = 0.2, most_error = 0.03;
  std::optional<Step> first, last;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const EnergyReading &before = readings[i - 1], &now = readings[i];
    if (now.joules == before.joules) continue;
    const auto passed = static_cast<double>(now.host_ns - before.host_ns);
    last = Step{static_cast<double>(before.host_ns - readings[0].host_ns) + passed / 2, passed, now.joules};
    if (!first) first = last;
  }
  if (!last) return std::nullopt;
  const double ns = last->at_ns - first->at_ns, seconds = ns / 1e9;
  const double error = (first->within_ns + last->within_ns) / 2;
  if (seconds < least_s || error > most_error * ns || last->joules <= first->joules) return std::nullopt;
  return EnergyWindow{last->joules - first->joules, seconds};
}

EnergySampler::EnergySampler(Read read) : read_(std::move(read)) {
  take();
  if (readings_.empty()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    constexpr auto pause = std::chrono::milliseconds(1);
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(pause);
      take();
    }
  });
}

std::vector<EnergyReading> EnergySampler::stop() {
  thread_ = {};
  return std::exchange(readings_, {});
}

void EnergySampler::take() {
  if (const auto joules = read_()) readings_.push_back({host_ns(), *joules});
}

}  // namespace warpclock
