#pragma once

#include <string>
#include <utility>

#include "analyze/words.hpp"
#include "gpu/device/fields.hpp"
#include "record/outcome.hpp"
#include "record/record.hpp"

namespace warpclock {

template <class Archive, Like<Provenance> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(commit, dirty, version);
  WARPCLOCK_OPTIONAL(toolkit, nvrtc, ptxas, nvdisasm, driver);
  WARPCLOCK_REQUIRED(date);
  WARPCLOCK_OPTIONAL(argv, host, job, host_cores, duration_s, compile_s, measure_s, counters, others);
}

template <class Archive, Like<Chart> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_OPTIONAL(x, y, series, log_x);
}

template <class Archive, Like<ProbeRecord> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name, family);
  WARPCLOCK_OPTIONAL(asks, chart, along, finds, varies);
}

template <class Archive, Like<FeatureQuery> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(what, of);
  WARPCLOCK_OPTIONAL(over, in_flight, within, apart);
}

template <class Archive, Like<Feature> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(probe);
  WARPCLOCK_OPTIONAL(parameters);
  WARPCLOCK_REQUIRED(name, value, low, high);
  WARPCLOCK_OPTIONAL(unit, confidence, residual, from, to, where, note);
}

template <class Archive, Like<MetricRecord> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(unit, text);
}

template <class Archive, Like<Reason> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(stage, code);
  WARPCLOCK_OPTIONAL(text);
}

template <class Archive, Like<WindowRecord> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(verdict);
  WARPCLOCK_OPTIONAL(label, opcodes, sass_hash, encoded_cycles, sass);
}

template <class Archive, Like<Limit> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(value);
  WARPCLOCK_OPTIONAL(per_us, source);
}

template <class Archive, Like<Measure> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name, method);
  WARPCLOCK_OPTIONAL(unit);
  WARPCLOCK_REQUIRED(work);
  WARPCLOCK_OPTIONAL(source, note, unsteady, warps, limit);
}

template <class Archive, Like<PremiseRule> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(text, value, relation, bound);
}

template <class Archive, Like<Estimate> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name, value, low, high);
  WARPCLOCK_OPTIONAL(unit);
  WARPCLOCK_REQUIRED(method, n);
  WARPCLOCK_OPTIONAL(note);
}

template <class Archive, Like<Premise> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(text, known, held);
  WARPCLOCK_OPTIONAL(value, why_unknown);
}

template <class Archive, Like<std::pair<std::string, int>> T>
void describe(Archive& a, T& v) {
  a.required("opcode", v.first);
  a.required("count", v.second);
}

template <class Archive, Like<CaseRecord> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id, probe, family, arch);
  WARPCLOCK_OPTIONAL(parameters);
  WARPCLOCK_REQUIRED(outcome);
  WARPCLOCK_OPTIONAL(reason, estimates, premises, samples, facts, places, counters, counters_missing, clock, window,
                     ptx, measures, premise_rules);
}

template <class Archive, Like<Record> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(provenance, device, probes);
  WARPCLOCK_OPTIONAL(metrics, features);
  a.required("rows", v.cases);
}

}  // namespace warpclock
