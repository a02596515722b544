#pragma once

#include "record/json/record_fields.hpp"
#include "record/kernel_record.hpp"

namespace warpclock {

// The JSON keys of cases.json.

void describe(auto& a, Like<ResourceShare> auto& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(counter);
  WARPCLOCK_REQUIRED(share);
}

void describe(auto& a, Like<KernelPrediction> auto& v) {
  WARPCLOCK_OPTIONAL(refused, low, high, limiter, bounds, blocks_per_sm, waves, unknown, assumed);
}

void describe(auto& a, Like<KernelMeasurement> auto& v) {
  WARPCLOCK_REQUIRED(by, cycles, cycles_low, cycles_high, us, us_low, us_high, empty_us);
  WARPCLOCK_OPTIONAL(limiter, shares);
}

void describe(auto& a, Like<LibraryMeasurement> auto& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(version, us, us_low, us_high, share, call_us, missing);
}

void describe(auto& a, Like<KernelRow> auto& v) {
  WARPCLOCK_REQUIRED(id, study);
  WARPCLOCK_OPTIONAL(says, parameters);
  WARPCLOCK_REQUIRED(source, kernel);
  WARPCLOCK_OPTIONAL(hash);
  WARPCLOCK_REQUIRED(grid, block);
  WARPCLOCK_OPTIONAL(shared_bytes, cold, held_out);
  WARPCLOCK_REQUIRED(outcome);
  WARPCLOCK_OPTIONAL(reason);
  WARPCLOCK_REQUIRED(prediction);
  WARPCLOCK_OPTIONAL(measurement, call_us, empty_us, counted, counters_missing, clock, library);
}

void describe(auto& a, Like<KernelTable> auto& v) {
  WARPCLOCK_REQUIRED(provenance, device, model);
  WARPCLOCK_OPTIONAL(model_records);
  WARPCLOCK_REQUIRED(rows);
}

}  // namespace warpclock
