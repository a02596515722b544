#pragma once

#include "base/error.hpp"
#include "base/json/json_writer.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/watch.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

// JSON keys of what both the protocol of workers and records hold.

void describe(auto& a, Like<DeviceFacts> auto& v) {
  WARPCLOCK_REQUIRED(name, slug, arch);
  WARPCLOCK_OPTIONAL(chip, sms, partition, parent_sms, sm_clock_max_mhz, memory_clock_max_mhz, memory_bus_bits,
                     memory_bytes, page_bytes, l2_bytes, shared_per_sm_bytes, shared_per_block_bytes, ecc, uuid, pci,
                     vbios, board, serial, persistence, sm_clock_set_mhz, memory_clock_set_mhz, power_limit_w,
                     memory_errors, peers, driver);
}

void describe(auto& a, Like<GpuEvents> auto& v) { WARPCLOCK_OPTIONAL(xids, memory_errors); }

void describe(auto& a, Like<Series> auto& v) {
  WARPCLOCK_REQUIRED(n, cycles);
  WARPCLOCK_OPTIONAL(longest, watts, window_s, blocks);
}

void describe(auto& a, Like<ClockReading> auto& v) {
  WARPCLOCK_OPTIONAL(sm_mhz, sm_low_mhz, sm_high_mhz, in_window, memory_mhz, throttle, power_w, temperature_c, wait_us,
                     pause_us, others, energy_j, energy_s, timer_ratio);
}

void describe(auto& a, Like<TimerRatio> auto& v) { WARPCLOCK_REQUIRED(ratio, error, seconds); }

void describe(auto& a, Like<Error> auto& v) {
  WARPCLOCK_REQUIRED(code, text);
  WARPCLOCK_OPTIONAL(place);
}

}  // namespace warpclock
