#pragma once

#include <string>
#include <utility>

#include "analyze/words.hpp"
#include "gpu/device/fields.hpp"
#include "record/outcome.hpp"
#include "record/record.hpp"

namespace warpclock {

/// How a type is written that is no described struct and no list: `to(value)` is what is written of it, and
/// `from(written, value)` reads that back and says what is wanted where it is none.
template <class T>
struct WrittenAs;

template <class Archive, Like<Provenance> T>
void describe(Archive& a, T& v) {
  a.required("commit", v.commit);
  a.required("dirty", v.dirty);
  a.required("version", v.version);
  a.optional("toolkit", v.toolkit);
  a.optional("nvrtc", v.nvrtc);
  a.optional("ptxas", v.ptxas);
  a.optional("nvdisasm", v.nvdisasm);
  a.optional("driver", v.driver);
  a.required("date", v.date);
  a.optional("argv", v.argv);
  a.optional("host", v.host);
  a.optional("job", v.job);
  a.optional("host_cores", v.host_cores);
  a.optional("duration_s", v.duration_s);
  a.optional("compile_s", v.compile_s);
  a.optional("measure_s", v.measure_s);
  a.optional("counters", v.counters);
  a.optional("others", v.others);
}

template <class Archive, Like<Chart> T>
void describe(Archive& a, T& v) {
  a.optional("x", v.x);
  a.optional("y", v.y);
  a.optional("series", v.series);
  a.optional("log_x", v.log_x);
}

template <class Archive, Like<ProbeRecord> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.required("family", v.family);
  a.optional("asks", v.asks);
  a.optional("chart", v.chart);
  a.optional("along", v.along);
  a.optional("finds", v.finds);
  a.optional("varies", v.varies);
}

template <class Archive, Like<FeatureQuery> T>
void describe(Archive& a, T& v) {
  a.required("what", v.what);
  a.required("of", v.of);
  a.optional("over", v.over);
  a.optional("in_flight", v.in_flight);
  a.optional("within", v.within);
}

template <class Archive, Like<Feature> T>
void describe(Archive& a, T& v) {
  a.required("probe", v.probe);
  a.optional("parameters", v.parameters);
  a.required("name", v.name);
  a.required("value", v.value);
  a.required("low", v.low);
  a.required("high", v.high);
  a.optional("unit", v.unit);
  a.optional("confidence", v.confidence);
  a.optional("residual", v.residual);
  a.optional("from", v.from);
  a.optional("to", v.to);
  a.optional("where", v.where);
  a.optional("note", v.note);
}

template <class Archive, Like<MetricRecord> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.optional("unit", v.unit);
  a.optional("text", v.text);
}

template <class Archive, Like<Reason> T>
void describe(Archive& a, T& v) {
  a.required("stage", v.stage);
  a.required("code", v.code);
  a.optional("text", v.text);
}

template <class Archive, Like<WindowRecord> T>
void describe(Archive& a, T& v) {
  a.required("verdict", v.verdict);
  a.optional("label", v.label);
  a.optional("opcodes", v.opcodes);
  a.optional("sass_hash", v.sass_hash);
  a.optional("encoded_cycles", v.encoded_cycles);
  a.optional("sass", v.sass);
}

template <class Archive, Like<Limit> T>
void describe(Archive& a, T& v) {
  a.required("value", v.value);
  a.optional("per_us", v.per_us);
  a.optional("source", v.source);
}

template <class Archive, Like<Measure> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.required("method", v.method);
  a.optional("unit", v.unit);
  a.required("work", v.work);
  a.optional("source", v.source);
  a.optional("note", v.note);
  a.optional("unsteady", v.unsteady);
  a.optional("warps", v.warps);
  a.optional("limit", v.limit);
}

template <class Archive, Like<PremiseRule> T>
void describe(Archive& a, T& v) {
  a.required("text", v.text);
  a.required("value", v.value);
  a.required("relation", v.relation);
  a.required("bound", v.bound);
}

template <class Archive, Like<Estimate> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.required("value", v.value);
  a.required("low", v.low);
  a.required("high", v.high);
  a.optional("unit", v.unit);
  a.required("method", v.method);
  a.required("n", v.n);
  a.optional("note", v.note);
}

template <class Archive, Like<Premise> T>
void describe(Archive& a, T& v) {
  a.required("text", v.text);
  a.required("known", v.known);
  a.required("held", v.held);
  a.optional("value", v.value);
  a.optional("why_unknown", v.why_unknown);
}

template <class Archive, Like<std::pair<std::string, int>> T>
void describe(Archive& a, T& v) {
  a.required("opcode", v.first);
  a.required("count", v.second);
}

template <class Archive, Like<CaseRecord> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("probe", v.probe);
  a.required("family", v.family);
  a.required("arch", v.arch);
  a.optional("parameters", v.parameters);
  a.required("outcome", v.outcome);
  a.optional("reason", v.reason);
  a.optional("estimates", v.estimates);
  a.optional("premises", v.premises);
  a.optional("samples", v.samples);
  a.optional("facts", v.facts);
  a.optional("places", v.places);
  a.optional("counters", v.counters);
  a.optional("counters_missing", v.counters_missing);
  a.optional("clock", v.clock);
  a.optional("window", v.window);
  a.optional("ptx", v.ptx);
  a.optional("measures", v.measures);
  a.optional("premise_rules", v.premise_rules);
}

template <class Archive, Like<Record> T>
void describe(Archive& a, T& v) {
  a.required("provenance", v.provenance);
  a.required("device", v.device);
  a.required("probes", v.probes);
  a.optional("metrics", v.metrics);
  a.optional("features", v.features);
  a.required("rows", v.cases);
}

}  // namespace warpclock
