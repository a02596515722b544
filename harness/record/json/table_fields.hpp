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
  WARPCLOCK_REQUIRED(warps, n, cycles);
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
  WARPCLOCK_REQUIRED(verdict);
  a.optional("reason", v.text);
  WARPCLOCK_OPTIONAL(note);
  a.optional("safeguard", v.trick);
  WARPCLOCK_OPTIONAL(encoded_cycles, via, sass_hash, opcodes, sass);
  WARPCLOCK_REQUIRED(trips);
  WARPCLOCK_OPTIONAL(samples);
}

template <class Archive, Like<ThroughputPoint> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(warps, ilp, rate);
}

template <class Archive, Like<InstructionRecord> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id, family, arch, ptx);
  WARPCLOCK_OPTIONAL(section, types);
  WARPCLOCK_REQUIRED(outcome);
  WARPCLOCK_OPTIONAL(reason, estimates);
  a.optional("expansion", v.became);
  WARPCLOCK_OPTIONAL(labels, pipes);
  a.optional("disagreements", v.findings);
  WARPCLOCK_OPTIONAL(curve, counters, counters_missing, clock);
  a.optional("experiments", v.runs);
}

template <class Archive, Like<GuideLine> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(row);
  a.required("short", v.brief);
  WARPCLOCK_REQUIRED(operation, id, results);
  WARPCLOCK_OPTIONAL(documented, several, measured, low, high, ratio);
  WARPCLOCK_REQUIRED(verdict);
  a.optional("safeguard", v.trick);
  WARPCLOCK_OPTIONAL(source, because, unconfirmed, why);
}

template <class Archive, Like<GuideComparison> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_OPTIONAL(title, missing, lines);
}

template <class Archive, Like<InstructionTable> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(provenance, device);
  WARPCLOCK_OPTIONAL(guide);
  WARPCLOCK_REQUIRED(rows);
}

template <class Archive, Like<DependencyLatency> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(source);
  WARPCLOCK_OPTIONAL(operand);
  a.optional("return_path", v.through);
  a.optional("return_path_cycles", v.through_cycles);
  WARPCLOCK_OPTIONAL(cycles);
  a.optional("minimum_stall", v.least_right);
  a.optional("minimum_stall_among_warps", v.busy_least_right);
  a.optional("wrong_stalls", v.wrong);
  WARPCLOCK_OPTIONAL(note);
}

template <class Archive, Like<std::pair<int, double>> T>
void describe(Archive& a, T& v) {
  a.required("n", v.first);
  a.required("cycles", v.second);
}

template <class Archive, Like<IssueCell> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(warps, stall, yield);
  WARPCLOCK_OPTIONAL(cycles, low, high, curve, note);
}

template <class Archive, Like<MachineRow> T>
void describe(Archive& a, T& v) {
  a.required("id", v.key);
  WARPCLOCK_REQUIRED(text, word);
  WARPCLOCK_OPTIONAL(scoreboard);
  a.optional("encoded_cycles", v.encoded);
  a.optional("issue_interval", v.interval);
  WARPCLOCK_OPTIONAL(latencies, cells, reason);
}

template <class Archive, Like<ProducerConsumer> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id, producer, consumer, latency);
}

template <class Archive, Like<IssueStudy> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id, forms);
  WARPCLOCK_OPTIONAL(of_each, run, banks, reuse, first_pass, apart);
  a.optional("issue_interval", v.interval);
  WARPCLOCK_OPTIONAL(counters, cells, reason);
}

template <class Archive, Like<MachineTable> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(provenance, device, rows);
  a.optional("producer_consumer", v.dependences);
  WARPCLOCK_OPTIONAL(pairs, banks, fetch);
  a.optional("with_wgmma", v.with_multiplies);
  WARPCLOCK_OPTIONAL(between_warps);
}

}  // namespace warpclock
