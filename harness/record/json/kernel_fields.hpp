#pragma once

#include "record/json/record_fields.hpp"
#include "record/kernel_record.hpp"

namespace warpclock {

// The JSON keys of cases.json, described as in gpu/device/fields.hpp.

template <class Archive, Like<ResourceShare> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.optional("counter", v.counter);
  a.required("share", v.share);
}

template <class Archive, Like<KernelPrediction> T>
void describe(Archive& a, T& v) {
  a.optional("refused", v.refused);
  a.optional("low", v.low);
  a.optional("high", v.high);
  a.optional("limiter", v.limiter);
  a.optional("bounds", v.bounds);
  a.optional("blocks_per_sm", v.blocks_per_sm);
  a.optional("waves", v.waves);
  a.optional("unknown", v.unknown);
  a.optional("assumed", v.assumed);
}

template <class Archive, Like<KernelMeasurement> T>
void describe(Archive& a, T& v) {
  a.required("by", v.by);
  a.required("cycles", v.cycles);
  a.required("cycles_low", v.cycles_low);
  a.required("cycles_high", v.cycles_high);
  a.required("us", v.us);
  a.required("us_low", v.us_low);
  a.required("us_high", v.us_high);
  a.required("empty_us", v.empty_us);
  a.optional("limiter", v.limiter);
  a.optional("shares", v.shares);
}

template <class Archive, Like<KernelRow> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("study", v.study);
  a.optional("says", v.says);
  a.optional("parameters", v.parameters);
  a.required("source", v.source);
  a.required("kernel", v.kernel);
  a.optional("hash", v.hash);
  a.required("grid", v.grid);
  a.required("block", v.block);
  a.optional("shared_bytes", v.shared_bytes);
  a.optional("cold", v.cold);
  a.optional("held_out", v.held_out);
  a.required("outcome", v.outcome);
  a.optional("reason", v.reason);
  a.required("prediction", v.prediction);
  a.optional("measurement", v.measurement);
  a.optional("call_us", v.call_us);
  a.optional("empty_us", v.empty_us);
  a.optional("counted", v.counted);
  a.optional("counters_missing", v.counters_missing);
  a.optional("clock", v.clock);
}

template <class Archive, Like<KernelTable> T>
void describe(Archive& a, T& v) {
  a.required("provenance", v.provenance);
  a.required("device", v.device);
  a.required("model", v.model);
  a.optional("model_records", v.model_records);
  a.required("rows", v.rows);
}

}  // namespace warpclock
