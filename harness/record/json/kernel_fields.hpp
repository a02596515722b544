#pragma once

#include "record/json/record_fields.hpp"
#include "record/kernel_record.hpp"

namespace warpclock {

// The JSON keys of cases.json.

template <class Archive, Like<ResourceShare> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(counter);
  WARPCLOCK_REQUIRED(share);
}

template <class Archive, Like<KernelPrediction> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_OPTIONAL(refused, low, high, limiter, bounds, blocks_per_sm, waves, unknown, assumed);
}

template <class Archive, Like<KernelMeasurement> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(by, cycles, cycles_low, cycles_high, us, us_low, us_high, empty_us);
  WARPCLOCK_OPTIONAL(limiter, shares);
}

template <class Archive, Like<LibraryMeasurement> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(version, us, us_low, us_high, share, call_us, missing);
}

template <class Archive, Like<KernelRow> T>
void describe(Archive& a, T& v) {
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

template <class Archive, Like<KernelTable> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(provenance, device, model);
  WARPCLOCK_OPTIONAL(model_records);
  WARPCLOCK_REQUIRED(rows);
}

}  // namespace warpclock
