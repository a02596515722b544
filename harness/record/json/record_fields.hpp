#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device/fields.hpp"
#include "plan/probe.hpp"
#include "record/record.hpp"

namespace warpclock {

void describe(auto& a, Like<ResumedRows> auto& v) { WARPCLOCK_REQUIRED(rows, first_run); }

void describe(auto& a, Like<Provenance> auto& v) {
  WARPCLOCK_REQUIRED(commit, dirty, version);
  WARPCLOCK_OPTIONAL(toolkit, nvrtc, ptxas, nvdisasm, driver);
  WARPCLOCK_REQUIRED(date);
  WARPCLOCK_OPTIONAL(argv, host, job, host_cores, duration_s, compile_s, measure_s, counters, others, resumed, timer,
                     most_power_w, gpu_events);
}

void describe(auto& a, Like<Chart> auto& v) { WARPCLOCK_OPTIONAL(x, y, series, log_x); }

void describe(auto& a, Like<Headline> auto& v) {
  WARPCLOCK_REQUIRED(name);
  a.required("text", v.value);
  a.optional("value", v.number);
  WARPCLOCK_OPTIONAL(low, high, unit, all_sms, detail, row);
  a.optional("estimate", v.of);
}

void describe(auto& a, Like<ProbeRecord> auto& v) {
  WARPCLOCK_REQUIRED(name, family);
  WARPCLOCK_OPTIONAL(asks, answers, chart, along, finds, varies);
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

void describe(auto& a, Like<Cause> auto& v) {
  a.required("why", v.text);
  WARPCLOCK_REQUIRED(most);
  WARPCLOCK_OPTIONAL(reach);
}

void describe(auto& a, Like<Estimate> auto& v) {
  WARPCLOCK_REQUIRED(name, value, low, high);
  WARPCLOCK_OPTIONAL(unit);
  WARPCLOCK_REQUIRED(method, n);
  WARPCLOCK_OPTIONAL(note, varies);
}

void describe(auto& a, Like<Premise> auto& v) {
  WARPCLOCK_REQUIRED(text, known, held);
  WARPCLOCK_OPTIONAL(value, why_unknown);
}

void describe(auto& a, Like<std::pair<std::string, int>> auto& v) {
  a.required("opcode", v.first);
  a.required("count", v.second);
}

void describe(auto& a, Like<ResourceShare> auto& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(counter);
  WARPCLOCK_REQUIRED(share);
}

void describe(auto& a, Like<KernelPrediction> auto& v) {
  WARPCLOCK_OPTIONAL(refused, clock_part, limiter, bounds, blocks_per_sm, waves, unknown, assumed);
}

void describe(auto& a, Like<LibraryCall> auto& v) {
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(version, call_us, missing);
}

void describe(auto& a, Like<KernelPart> auto& v) {
  WARPCLOCK_OPTIONAL(says, source, entry, hash, grid, block, shared_bytes, cold, held_out, prediction, limiter, shares,
                     library, call_us, empty_us, counted);
}

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

void describe(auto& a, Like<InstructionPart> auto& v) {
  WARPCLOCK_OPTIONAL(section, types);
  a.optional("expansion", v.became);
  WARPCLOCK_OPTIONAL(labels);
  a.optional("disagreements", v.findings);
  WARPCLOCK_OPTIONAL(curve);
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

void describe(auto& a, Like<OperandPath> auto& v) {
  WARPCLOCK_REQUIRED(source);
  WARPCLOCK_OPTIONAL(operand);
  a.optional("return_path", v.through);
  a.optional("return_path_cycles", v.through_cycles);
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

void describe(auto& a, Like<MachinePart> auto& v) {
  WARPCLOCK_OPTIONAL(text, word, scoreboard);
  a.optional("operands", v.paths);
  WARPCLOCK_OPTIONAL(of_each, run, banks, reuse, first_pass, apart, cells);
}

void describe(auto& a, Like<Row> auto& v) {
  WARPCLOCK_REQUIRED(id, kind);
  WARPCLOCK_OPTIONAL(probe, family, arch, parameters);
  WARPCLOCK_REQUIRED(outcome);
  WARPCLOCK_OPTIONAL(reason, estimates, forms, pipes, premises, samples, facts, places, counters, counters_missing,
                     clock, window, ptx, measures, premise_rules, instruction, machine, kernel);
}

void describe(auto& a, Like<Record> auto& v) {
  WARPCLOCK_REQUIRED(provenance, device);
  WARPCLOCK_OPTIONAL(probes, metrics, features, guide, model, model_records);
  WARPCLOCK_REQUIRED(rows);
}

}  // namespace warpclock
