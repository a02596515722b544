#include "gpu/sharing_trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace warpclock {

using nlohmann::json;

SharingTrace::SharingTrace() {
  if (const char* path = std::getenv("WARPCLOCK_SHARING_TRACE")) file_.open(path, std::ios::app);
}

double SharingTrace::ms() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
}

void SharingTrace::job(const std::string& id) {
  if (on()) file_ << json{{"ms", ms()}, {"job", id}} << std::endl;
}

void SharingTrace::look(const char* when, const ClockLook& look) {
  if (!on()) return;
  file_ << json{{"ms", ms()},
                {"look", when},
                {"mhz", look.sm_mhz},
                {"pause_us", look.pause_us},
                {"wait_us", look.wait_us}}
        << std::endl;
}

void SharingTrace::nvml(const char* when, const Nvml& nvml) {
  if (!on()) return;
  const double before = ms();
  const auto busy = nvml.busy_percent();
  const double middle = ms();
  json processes = json::array();
  for (const GpuProcess& one : nvml.processes())
    processes.push_back({one.pid, one.kind, one.name, one.memory_bytes.value_or(-1)});
  const double after = ms();
  const NvmlReading reading = nvml.read();
  file_ << json{{"ms", before},
                {"nvml", when},
                {"own_pid", getpid()},
                {"busy", busy.value_or(-1)},
                {"processes", processes},
                {"took_ms", {middle - before, after - middle}},
                {"sm_mhz", reading.sm_mhz.value_or(-1)},
                {"power_w", reading.power_w.value_or(-1)},
                {"throttle", reading.throttle}}
        << std::endl;
}

void SharingTrace::samples(const Samples& samples) {
  if (!on()) return;
  json all = json::array();
  for (const Series& series : samples) {
    if (series.cycles.empty()) continue;
    const auto [low, high] = std::ranges::minmax(series.cycles);
    all.push_back({series.n, series.cycles.size(), low, median_cycles(series.cycles), high});
  }
  file_ << json{{"ms", ms()}, {"n, launches, low, median, high", all}} << std::endl;
}

}  // namespace warpclock
