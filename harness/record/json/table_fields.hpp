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

void describe(auto& a, Like<WarpSeries> auto& v) { WARPCLOCK_REQUIRED(warps, n, cycles); }

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

void describe(auto& a, Like<std::pair<std::string, double>> auto& v) {
  a.required("instruction", v.first);
  a.required("cycles", v.second);
}

void describe(auto& a, Like<InstructionRun> auto& v) {
  a.required("name", v.measure);
  WARPCLOCK_REQUIRED(verdict);
  a.optional("reason", v.text);
  WARPCLOCK_OPTIONAL(note);
  a.optional("safeguard", v.trick);
  WARPCLOCK_OPTIONAL(encoded_cycles, via, sass_hash, opcodes, sass);
  WARPCLOCK_REQUIRED(trips);
  WARPCLOCK_OPTIONAL(samples);
}

void describe(auto& a, Like<ThroughputPoint> auto& v) { WARPCLOCK_REQUIRED(warps, ilp, rate); }

void describe(auto& a, Like<InstructionRecord> auto& v) {
  WARPCLOCK_REQUIRED(id, family, arch, ptx);
  WARPCLOCK_OPTIONAL(section, types);
  WARPCLOCK_REQUIRED(outcome);
  WARPCLOCK_OPTIONAL(reason, estimates);
  a.optional("expansion", v.became);
  WARPCLOCK_OPTIONAL(forms, labels, pipes);
  a.optional("disagreements", v.findings);
  WARPCLOCK_OPTIONAL(curve, counters, counters_missing, clock);
  a.optional("experiments", v.runs);
}

void describe(auto& a, Like<GuideLine> auto& v) {
  WARPCLOCK_REQUIRED(row);
  a.required("short", v.brief);
  WARPCLOCK_REQUIRED(operation, id, results);
  WARPCLOCK_OPTIONAL(documented, several, measured, low, high, ratio);
  WARPCLOCK_REQUIRED(verdict);
  a.optional("safeguard", v.trick);
  WARPCLOCK_OPTIONAL(source, because, unconfirmed, why);
}

void describe(auto& a, Like<GuideComparison> auto& v) { WARPCLOCK_OPTIONAL(title, missing, lines); }

void describe(auto& a, Like<InstructionTable> auto& v) {
  WARPCLOCK_REQUIRED(provenance, device);
  WARPCLOCK_OPTIONAL(guide);
  WARPCLOCK_REQUIRED(rows);
}

void describe(auto& a, Like<DependencyLatency> auto& v) {
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

void describe(auto& a, Like<std::pair<int, double>> auto& v) {
  a.required("n", v.first);
  a.required("cycles", v.second);
}

void describe(auto& a, Like<IssueCell> auto& v) {
  WARPCLOCK_REQUIRED(warps, stall, yield);
  WARPCLOCK_OPTIONAL(cycles, low, high, curve, note);
}

void describe(auto& a, Like<MachineRow> auto& v) {
  a.required("id", v.key);
  WARPCLOCK_REQUIRED(text, word);
  WARPCLOCK_OPTIONAL(scoreboard);
  a.optional("encoded_cycles", v.encoded);
  a.optional("issue_interval", v.interval);
  WARPCLOCK_OPTIONAL(latencies, cells, pipes, counters, reason);
}

void describe(auto& a, Like<ProducerConsumer> auto& v) { WARPCLOCK_REQUIRED(id, producer, consumer, latency); }

void describe(auto& a, Like<IssueStudy> auto& v) {
  WARPCLOCK_REQUIRED(id, forms);
  WARPCLOCK_OPTIONAL(of_each, run, banks, reuse, first_pass, apart);
  a.optional("issue_interval", v.interval);
  WARPCLOCK_OPTIONAL(counters, cells, reason);
}

void describe(auto& a, Like<MachineTable> auto& v) {
  WARPCLOCK_REQUIRED(provenance, device, rows);
  a.optional("producer_consumer", v.dependences);
  WARPCLOCK_OPTIONAL(pairs, banks, fetch);
  a.optional("with_wgmma", v.with_multiplies);
  WARPCLOCK_OPTIONAL(between_warps);
}

}  // namespace warpclock
