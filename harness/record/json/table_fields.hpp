#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/instruction_record.hpp"
#include "record/json/record_fields.hpp"
#include "record/machine_record.hpp"

namespace warpclock {

/// A series of samples of one number of warps.
struct WarpSeries {
  int warps = 0;
  std::int64_t n = 0;
  std::vector<double> cycles;
};

template <class Archive, Like<WarpSeries> T>
void describe(Archive& a, T& v) {
  a.required("warps", v.warps);
  a.required("n", v.n);
  a.required("cycles", v.cycles);
}

template <>
struct WrittenAs<std::map<int, Samples>> {
  static std::vector<WarpSeries> to(const std::map<int, Samples>& by_warps);
  static std::string_view from(std::vector<WarpSeries>& written, std::map<int, Samples>& by_warps);
};

/// 32 hexadecimal digits, the high half first.
template <>
struct WrittenAs<Word> {
  static std::string to(const Word& word);
  static std::string_view from(const std::string& written, Word& word);
};

template <class Archive, Like<std::pair<std::string, double>> T>
void describe(Archive& a, T& v) {
  a.required("instruction", v.first);
  a.required("cycles", v.second);
}

template <class Archive, Like<InstructionRun> T>
void describe(Archive& a, T& v) {
  a.required("name", v.measure);
  a.required("verdict", v.verdict);
  a.optional("reason", v.text);
  a.optional("note", v.note);
  a.optional("safeguard", v.trick);
  a.optional("encoded_cycles", v.encoded_cycles);
  a.optional("via", v.via);
  a.optional("sass_hash", v.sass_hash);
  a.optional("opcodes", v.opcodes);
  a.optional("sass", v.sass);
  a.required("trips", v.trips);
  a.optional("samples", v.samples);
}

template <class Archive, Like<ThroughputPoint> T>
void describe(Archive& a, T& v) {
  a.required("warps", v.warps);
  a.required("ilp", v.ilp);
  a.required("rate", v.rate);
}

template <class Archive, Like<InstructionRecord> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("family", v.family);
  a.required("arch", v.arch);
  a.required("ptx", v.ptx);
  a.optional("section", v.section);
  a.optional("types", v.types);
  a.required("outcome", v.outcome);
  a.optional("reason", v.reason);
  a.optional("estimates", v.estimates);
  a.optional("expansion", v.became);
  a.optional("labels", v.labels);
  a.optional("pipes", v.pipes);
  a.optional("disagreements", v.findings);
  a.optional("curve", v.curve);
  a.optional("counters", v.counters);
  a.optional("counters_missing", v.counters_missing);
  a.optional("clock", v.clock);
  a.optional("experiments", v.runs);
}

template <class Archive, Like<GuideLine> T>
void describe(Archive& a, T& v) {
  a.required("row", v.row);
  a.required("short", v.brief);
  a.required("operation", v.operation);
  a.required("id", v.id);
  a.required("results", v.results);
  a.optional("documented", v.documented);
  a.optional("several", v.several);
  a.optional("measured", v.measured);
  a.optional("low", v.low);
  a.optional("high", v.high);
  a.optional("ratio", v.ratio);
  a.required("verdict", v.verdict);
  a.optional("safeguard", v.trick);
  a.optional("source", v.source);
  a.optional("because", v.because);
  a.optional("unconfirmed", v.unconfirmed);
  a.optional("why", v.why);
}

template <class Archive, Like<GuideComparison> T>
void describe(Archive& a, T& v) {
  a.optional("title", v.title);
  a.optional("missing", v.missing);
  a.optional("lines", v.lines);
}

template <class Archive, Like<InstructionTable> T>
void describe(Archive& a, T& v) {
  a.required("provenance", v.provenance);
  a.required("device", v.device);
  a.optional("guide", v.guide);
  a.required("rows", v.rows);
}

template <class Archive, Like<DependencyLatency> T>
void describe(Archive& a, T& v) {
  a.required("source", v.source);
  a.optional("operand", v.operand);
  a.optional("return_path", v.through);
  a.optional("return_path_cycles", v.through_cycles);
  a.optional("cycles", v.cycles);
  a.optional("minimum_stall", v.least_right);
  a.optional("minimum_stall_among_warps", v.busy_least_right);
  a.optional("wrong_stalls", v.wrong);
  a.optional("note", v.note);
}

template <class Archive, Like<std::pair<int, double>> T>
void describe(Archive& a, T& v) {
  a.required("n", v.first);
  a.required("cycles", v.second);
}

template <class Archive, Like<IssueCell> T>
void describe(Archive& a, T& v) {
  a.required("warps", v.warps);
  a.required("stall", v.stall);
  a.required("yield", v.yield);
  a.optional("cycles", v.cycles);
  a.optional("low", v.low);
  a.optional("high", v.high);
  a.optional("curve", v.curve);
  a.optional("note", v.note);
}

template <class Archive, Like<MachineRow> T>
void describe(Archive& a, T& v) {
  a.required("id", v.key);
  a.required("text", v.text);
  a.required("word", v.word);
  a.optional("scoreboard", v.scoreboard);
  a.optional("encoded_cycles", v.encoded);
  a.optional("issue_interval", v.interval);
  a.optional("latencies", v.latencies);
  a.optional("cells", v.cells);
  a.optional("reason", v.reason);
}

template <class Archive, Like<ProducerConsumer> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("producer", v.producer);
  a.required("consumer", v.consumer);
  a.required("latency", v.latency);
}

template <class Archive, Like<IssueStudy> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("forms", v.forms);
  a.optional("of_each", v.of_each);
  a.optional("run", v.run);
  a.optional("banks", v.banks);
  a.optional("reuse", v.reuse);
  a.optional("first_pass", v.first_pass);
  a.optional("issue_interval", v.interval);
  a.optional("cells", v.cells);
  a.optional("reason", v.reason);
}

template <class Archive, Like<MachineTable> T>
void describe(Archive& a, T& v) {
  a.required("provenance", v.provenance);
  a.required("device", v.device);
  a.required("rows", v.rows);
  a.optional("producer_consumer", v.dependences);
  a.optional("pairs", v.pairs);
  a.optional("banks", v.banks);
  a.optional("fetch", v.fetch);
  a.optional("with_wgmma", v.with_multiplies);
}

}  // namespace warpclock
