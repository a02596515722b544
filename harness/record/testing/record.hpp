#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "record/assemble.hpp"
#include "record/record.hpp"

namespace warpclock::testing {

/// `launches` noisy but repeatable samples for each repeat count around overhead + slope * n.
inline Samples line_samples(double slope, double overhead, const std::vector<std::int64_t>& repeats, double noise = 0,
                            int launches = 15) {
  Samples samples;
  std::uint32_t state = 12345;
  for (const std::int64_t n : repeats) {
    Series series{n, {}};
    for (int i = 0; i < launches; ++i) {
      state = state * 1664525u + 1013904223u;
      const double jitter = noise * (static_cast<double>(state >> 8) / 8388608.0 - 1.0);
      series.cycles.push_back(std::round(overhead + slope * static_cast<double>(n) + jitter));
    }
    samples.push_back(std::move(series));
  }
  return samples;
}

inline std::string example_id(const std::string& probe, const Parameters& parameters) {
  std::string id = probe;
  for (const auto& [name, value] : parameters) {
    const auto* word = std::get_if<std::string>(&value);
    id += (id == probe ? "[" : ",") + name + '=' + (word ? *word : std::to_string(std::get<std::int64_t>(value)));
  }
  return parameters.empty() ? id : id + ']';
}

/// A case with a verified window of 16 `opcode`, without samples and estimates.
inline Row example_case(const std::string& probe, Parameters parameters, const std::string& opcode) {
  Row record;
  record.id = example_id(probe, parameters);
  record.probe = probe;
  record.family = probe.substr(0, probe.find('/'));
  record.arch = "sm_90a";
  record.parameters = std::move(parameters);
  record.window.verdict = "verified";
  record.window.opcodes = {{"CS2R", 2}, {"LOP3.LUT", 1}, {opcode, 16}};
  record.window.sass_hash = "0123456789abcdef0123456789abcdef";
  record.window.sass = {
      "B------:R-:W-:-:S01  CS2R R2, SR_CLOCKLO", "B0-----:R-:W1:Y:S04  " + opcode + " R4, R4, R5, 0x1f",
      "B-1----:R-:W-:-:S05  LOP3.LUT R0, R0, R4, RZ, 0x3c, !PT", "B------:R-:W-:-:S01  CS2R R6, SR_CLOCKLO"};
  record.ptx = "mov.u64 %rd1, %clock64;\nmov.u64 %rd2, %clock64;";
  record.clock = {1980, 3201, {}, 212.5, 41};
  return record;
}

inline void refuse(Row& record, Outcome outcome, const Reason& reason) {
  record.outcome = outcome;
  record.reason = reason;
}

/// A small run on an H200 with every kind of row: measured (with and without chart, encoded cycles, counters, premises,
/// labels), rejected at each stage, skipped, failed, throttled, and texts that need escaping.
inline Record example_record() {
  Record record;
  record.provenance.commit = "0f1e2d3c4b5a69788796a5b4c3d2e1f001234567";
  record.provenance.version = "0.1.0";
  record.provenance.toolkit = "13.0.88";
  record.provenance.nvrtc = "13.0";
  record.provenance.nvdisasm = "13.0.85";
  record.provenance.driver = "580.159.04";
  record.provenance.date = "2026-01-15T10:20:30Z";
  record.provenance.argv = {"warpclock", "run", "--suite", "full"};
  record.provenance.host_cores = 16;
  record.provenance.duration_s = 41.25;
  record.provenance.compile_s = 9.5;
  record.provenance.measure_s = 30.75;
  record.provenance.counters = "available";
  record.device = {"NVIDIA H200", "nvidia-h200", "sm_90a", "GH100", 132,  62914560, 150754820096, 233472,
                   232448,        2097152,       6016,     1980,    3201, "on",     "580.159.04"};
  record.probes = {
      {"baseline/empty", "baseline", "How many cycles lie between two clock reads with nothing between them?", {}},
      {"shuffle/latency", "shuffle", "How many cycles from a warp shuffle's issue to the use of its result?", {}},
      {"shuffle/throughput",
       "shuffle",
       "How many lanes does an SM shuffle per clock, over ILP and warps?",
       {"warps", "throughput", "ilp", true}},
      {"matrix/mma", "matrix", "How many cycles from each operand of an mma to its result, for D = A*B + C?", {}},
      {"async_copy/latency", "async_copy", "How long until a cp.async of <bytes> bytes is visible & usable?", {}},
      {"cache/hint",
       "cache",
       "Which share of a hot set stays in L1 while a stream passes?",
       {"stream", "l1_hit_rate", "hint", true}},
      {"matrix/tcgen05", "matrix", "What does a fifth-generation tensor core instruction cost?", {}},
  };
  record.metrics = {{"l1_hit_rate", "%", "Sectors that hit in L1, of all sectors that L1 was asked for."},
                    {"dram_read", "B", "Bytes read from DRAM."}};

  auto& cases = record.rows;
  {
    Row one = example_case("baseline/empty", {}, "CS2R");
    one.measures = {{"cycles", Method::Elapsed, "cycles", 1, "", "two clock reads"}};
    one.samples = {{1, std::vector<double>(15, 17.0)}};
    cases.push_back(one);
  }
  for (const auto& [mode, slope] : {std::pair{"idx", 24.0}, {"up", 23.0}, {"down", 23.0}, {"bfly", 23.0}}) {
    Row one = example_case("shuffle/latency", {{"mode", std::string(mode)}, {"clamp", std::string("0x1f")}},
                           "SHFL." + std::string(mode));
    one.measures = {{"latency", Method::Slope, "cycles", 1, "", ""}};
    one.samples = line_samples(slope, 30, {16, 64, 128}, 1.2);
    if (std::string(mode) == "up") one.clock.throttle = {"sw_power_cap"};
    cases.push_back(one);
  }
  for (const std::int64_t ilp : {1, 2, 4, 8}) {
    for (const std::int64_t warps : {1, 2, 4, 8, 16, 32}) {
      Row one = example_case("shuffle/throughput", {{"ilp", ilp}, {"warps", warps}}, "SHFL.BFLY");
      const double lanes = 32.0 * static_cast<double>(ilp * warps);
      const double rate = std::min(32.0, lanes / 23.0);
      one.measures = {{"throughput", Method::Rate, "1/clk/SM", 32 * ilp * warps, "", ""}};
      one.samples = line_samples(lanes / rate, 40, {16, 64, 128}, 2.0);
      cases.push_back(one);
    }
  }
  refuse(cases.back(), Outcome::Failed,
         {"run", "launch", "the launch needs 300000 bytes of shared memory; the device has 232448"});
  cases.back().samples.clear();

  for (const auto& [type, slope, encoded] : {std::tuple{"f16", 24.0, 24.0},
                                             {"bf16", 24.0, 24.0},
                                             {"tf32", 26.0, 24.0},
                                             {"e4m3", 56.0, 0.0},
                                             {"s4", 64.0, 0.0}}) {
    Row one = example_case("matrix/mma", {{"type", std::string(type)}}, "HMMA.16816.F32");
    one.measures = {{"latency", Method::Slope, "cycles", 1, "", ""}};
    one.samples = line_samples(slope, 34, {16, 64, 128});
    one.facts = {{"mismatches", 0}};
    one.premise_rules = {{"the fragment layout is the documented one", "mismatches", Relation::Equal, 0}};
    if (encoded > 0) {
      one.window.encoded_cycles = encoded;
    } else {
      one.window.label = "emulated: F2FP + HMMA";
    }
    if (slope == 64) one.samples.back().cycles.assign(15, 30000);
    cases.push_back(one);
  }
  {
    Row one = example_case("matrix/tcgen05", {{"shape", std::string("m64n8k16")}}, "UTCHMMA");
    one.window = {};
    one.ptx.clear();
    one.clock = {};
    refuse(one, Outcome::Skipped, {"plan", "unsupported-arch", "tcgen05 is sm_100a and later"});
    cases.push_back(one);
  }
  for (const std::int64_t bytes : {4, 8, 16}) {
    Row one = example_case("async_copy/latency", {{"bytes", bytes}, {"cache", std::string("ca")}}, "LDGSTS.E");
    one.measures = {{"latency", Method::Elapsed, "cycles", 1, "", ""}};
    one.samples = line_samples(0, 600 + static_cast<double>(bytes), {1}, 9);
    if (bytes == 4) {
      one.window.verdict = "open-window";
      one.samples.clear();
      refuse(
          one, Outcome::Rejected,
          {"verify", "open-window", "at n=1: nothing waits for LDGSTS.E [R4], desc[UR4][R2.64] <- before the & read"});
    } else if (bytes == 8) {
      one.samples.clear();
      refuse(one, Outcome::Failed, {"run", "watchdog", "no answer for 10 s; the worker was ended"});
    }
    cases.push_back(one);
  }
  for (const std::string hint : {"ca", "cg", "L1::evict_last"}) {
    for (const std::int64_t stream : {65536, 262144, 1048576, 4194304, 16777216}) {
      Row one = example_case("cache/hint", {{"hint", hint}, {"stream", stream}}, "LDG.E");
      const double megabytes = static_cast<double>(stream) / 1048576.0;
      const double rate = hint == "cg" ? 0.5 : 100.0 / (1.0 + megabytes / (hint == "ca" ? 1.0 : 8.0));
      one.measures = {{"l1_hit_rate", Method::Counter, "%", 1, "l1_hit_rate", ""}};
      one.counters = {{"l1_hit_rate", rate}, {"dram_read", static_cast<double>(stream)}};
      one.premise_rules = {{"the stream is read from DRAM", "dram_read", Relation::AtLeast, 65536}};
      cases.push_back(one);
    }
  }
  {
    Row& one = cases.back();
    one.counters.clear();
    one.counters_missing = "no permission for counters: see `warpclock doctor`";
  }
  {
    Row& one = cases[cases.size() - 6];
    one.counters["dram_read"] = 1024;
  }
  for (Row& one : cases) one = reanalyze(std::move(one));
  return record;
}

}  // namespace warpclock::testing
