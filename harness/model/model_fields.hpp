#pragma once

#include "model/machine.hpp"
#include "record/json/record_fields.hpp"

namespace warpclock {

template <class Archive, Like<Leaf> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.required("value", v.value);
  a.required("low", v.low);
  a.required("high", v.high);
  a.required("unit", v.unit);
  a.required("record", v.record);
  a.required("rows", v.rows);
  a.optional("note", v.note);
}

template <class Archive, Like<Entry> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.optional("says", v.says);
  a.optional("pipe", v.pipe);
  a.optional("pipe_row", v.pipe_row);
  a.optional("signal", v.signal);
  a.required("leaves", v.leaves);
  a.optional("absent", v.absent);
}

template <class Archive, Like<RecordSource> T>
void describe(Archive& a, T& v) {
  a.required("file", v.file);
  a.required("gpu", v.gpu);
  a.required("date", v.date);
  a.required("commit", v.commit);
  a.optional("dirty", v.dirty);
  a.optional("driver", v.driver);
}

template <class Archive, Like<StatedFacts> T>
void describe(Archive& a, T& v) {
  a.optional("sms", v.sms);
  a.optional("sm_clock_max_mhz", v.sm_clock_max_mhz);
  a.optional("memory_clock_max_mhz", v.memory_clock_max_mhz);
  a.optional("memory_bus_bits", v.memory_bus_bits);
  a.optional("memory_bytes", v.memory_bytes);
  a.optional("l2_bytes", v.l2_bytes);
  a.optional("shared_per_sm_bytes", v.shared_per_sm_bytes);
  a.optional("shared_per_block_bytes", v.shared_per_block_bytes);
}

template <class Archive, Like<Machine> T>
void describe(Archive& a, T& v) {
  a.required("gpu", v.gpu);
  a.required("folder", v.folder);
  a.required("arch", v.arch);
  a.required("records", v.records);
  a.optional("stated", v.stated);
  for (const auto& [name, entries] : machine_sections) a.required(name.data(), v.*entries);
}

}  // namespace warpclock
