#pragma once

#include <string>
#include <utility>

#include "analyze/words.hpp"
#include "gpu/device/fields.hpp"
#include "record/outcome.hpp"
#include "record/record.hpp"

namespace warpclock {

void describe(auto& a, Like<ResumedRows> auto& v) { WARPCLOCK_REQUIRED(rows, first_run); }

void describe(auto& a, Like<Provenance> auto& v) {
  WARPCLOCK_REQUIRED(commit, dirty, version);
  WARPCLOCK_OPTIONAL(toolkit, nvrtc, ptxas, nvdisasm, driver);
  WARPCLOCK_REQUIRED(date);
  WARPCLOCK_OPTIONAL(argv, host, job, host_cores, duration_s, compile_s, measure_s, counters, others, resumed, timer,
                     most_power_w);
}

void describe(auto& a, Like<Chart> auto& v) { WARPCLOCK_OPTIONAL(x, y, series, log_x); }

void describe(auto& a, Like<ProbeRecord> auto& v) {
  WARPCLOCK_REQUIRED(name, family);
  WARPCLOCK_OPTIONAL(asks, chart, along, finds, varies);
}

void describe(auto& a, Like<FeatureQuery> auto& v) {
  WARPCLOCK_REQUIRED(what, of);
  WARPCLOCK_OPTIONAL(over, in_flight, within, apart);
}

void describe(auto& a, Like<Feature> auto& v) {
  WARPCLOCK_REQUIRED(probe);
  WARPCLOCK_OPTIONAL(parameters);
  WARPCLOCK_REQUIRED(name, value, low, high);
  WARPCLOCK_OPTIONAL(unit, confidence, residual, from, to, where, note);
}

void describe(auto& a, Like<MetricRecord> auto& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(unit, text);
}

void describe(auto& a, Like<Reason> auto& v) {
  WARPCLOCK_REQUIRED(stage, code);
  WARPCLOCK_OPTIONAL(text);
}

void describe(auto& a, Like<WindowRecord> auto& v) {
  WARPCLOCK_REQUIRED(verdict);
  WARPCLOCK_OPTIONAL(label, opcodes, sass_hash, encoded_cycles, sass);
}

void describe(auto& a, Like<Limit> auto& v) {
  WARPCLOCK_REQUIRED(value);
  WARPCLOCK_OPTIONAL(per_us, source, cuts);
}

void describe(auto& a, Like<Measure> auto& v) {
  WARPCLOCK_REQUIRED(name, method);
  WARPCLOCK_OPTIONAL(unit);
  WARPCLOCK_REQUIRED(work);
  WARPCLOCK_OPTIONAL(source, note, unsteady, warps, limit);
}

void describe(auto& a, Like<PremiseRule> auto& v) { WARPCLOCK_REQUIRED(text, value, relation, bound); }

void describe(auto& a, Like<Estimate> auto& v) {
  WARPCLOCK_REQUIRED(name, value, low, high);
  WARPCLOCK_OPTIONAL(unit);
  WARPCLOCK_REQUIRED(method, n);
  WARPCLOCK_OPTIONAL(note);
}

void describe(auto& a, Like<Premise> auto& v) {
  WARPCLOCK_REQUIRED(text, known, held);
  WARPCLOCK_OPTIONAL(value, why_unknown);
}

void describe(auto& a, Like<std::pair<std::string, int>> auto& v) {
  a.required("opcode", v.first);
  a.required("count", v.second);
}

void describe(auto& a, Like<CaseRecord> auto& v) {
  WARPCLOCK_REQUIRED(id, probe, family, arch);
  WARPCLOCK_OPTIONAL(parameters);
  WARPCLOCK_REQUIRED(outcome);
  WARPCLOCK_OPTIONAL(reason, estimates, premises, samples, facts, places, counters, counters_missing, clock, window,
                     ptx, measures, premise_rules);
}

void describe(auto& a, Like<Record> auto& v) {
  WARPCLOCK_REQUIRED(provenance, device, probes);
  WARPCLOCK_OPTIONAL(metrics, features);
  a.required("rows", v.cases);
}

}  // namespace warpclock
