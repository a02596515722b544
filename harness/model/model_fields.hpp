#pragma once

#include "model/machine.hpp"
#include "record/json/record_fields.hpp"

namespace warpclock {

void describe(auto& a, Like<Leaf> auto& v) {
  WARPCLOCK_REQUIRED(name, value, low, high, unit, record, rows);
  WARPCLOCK_OPTIONAL(note, sm_mhz);
}

void describe(auto& a, Like<Entry> auto& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(says, pipe, pipe_row, signal);
  WARPCLOCK_REQUIRED(leaves);
  WARPCLOCK_OPTIONAL(absent);
}

void describe(auto& a, Like<RecordSource> auto& v) {
  WARPCLOCK_REQUIRED(file, gpu, date, commit);
  WARPCLOCK_OPTIONAL(dirty, driver);
}

void describe(auto& a, Like<StatedFacts> auto& v) {
  WARPCLOCK_OPTIONAL(sms, sm_clock_max_mhz, memory_clock_max_mhz, memory_bus_bits, memory_bytes, l2_bytes,
                     shared_per_sm_bytes, shared_per_block_bytes);
}

void describe(auto& a, Like<Machine> auto& v) {
  WARPCLOCK_REQUIRED(gpu, folder, arch, records);
  WARPCLOCK_OPTIONAL(stated);
  for (const auto& [name, entries] : machine_sections) a.required(name.data(), v.*entries);
}

}  // namespace warpclock
