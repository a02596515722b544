#pragma once

#include <concepts>
#include <type_traits>

#include "base/error.hpp"
#include "gpu/device/device.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// T is U or const U: one mapping serves the writer and the reader.
template <class T, class U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

/// A struct's JSON keys, in the order in which they are written. An archive has `required(key, field)` and
/// `optional(key, field)`; an optional field that equals its default is not written.
template <class Archive, Like<DeviceFacts> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.required("slug", v.slug);
  a.required("arch", v.arch);
  a.optional("chip", v.chip);
  a.optional("sms", v.sms);
  a.optional("sm_clock_max_mhz", v.sm_clock_max_mhz);
  a.optional("memory_clock_max_mhz", v.memory_clock_max_mhz);
  a.optional("memory_bus_bits", v.memory_bus_bits);
  a.optional("memory_bytes", v.memory_bytes);
  a.optional("page_bytes", v.page_bytes);
  a.optional("l2_bytes", v.l2_bytes);
  a.optional("shared_per_sm_bytes", v.shared_per_sm_bytes);
  a.optional("shared_per_block_bytes", v.shared_per_block_bytes);
  a.optional("ecc", v.ecc);
  a.optional("uuid", v.uuid);
  a.optional("pci", v.pci);
  a.optional("vbios", v.vbios);
  a.optional("board", v.board);
  a.optional("serial", v.serial);
  a.optional("persistence", v.persistence);
  a.optional("sm_clock_set_mhz", v.sm_clock_set_mhz);
  a.optional("memory_clock_set_mhz", v.memory_clock_set_mhz);
  a.optional("power_limit_w", v.power_limit_w);
  a.optional("memory_errors", v.memory_errors);
  a.optional("peers", v.peers);
  a.optional("driver", v.driver);
}

template <class Archive, Like<Series> T>
void describe(Archive& a, T& v) {
  a.required("n", v.n);
  a.required("cycles", v.cycles);
}

template <class Archive, Like<ClockReading> T>
void describe(Archive& a, T& v) {
  a.optional("sm_mhz", v.sm_mhz);
  a.optional("memory_mhz", v.memory_mhz);
  a.optional("throttle", v.throttle);
  a.optional("power_w", v.power_w);
  a.optional("temperature_c", v.temperature_c);
  a.optional("wait_us", v.wait_us);
  a.optional("pause_us", v.pause_us);
  a.optional("others", v.others);
}

template <class Archive, Like<Error> T>
void describe(Archive& a, T& v) {
  a.required("code", v.code);
  a.required("text", v.text);
  a.optional("place", v.place);
}

}  // namespace warpclock
