#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "record/json/record_json.hpp"
#include "record/record.hpp"
#include "record/testing/record.hpp"

namespace warpclock::testing {

struct ExampleLatency {
  std::string operand;
  double cycles = 4;
  std::vector<std::pair<std::string, double>> via = {};
};

inline std::string example_opcode_line(const std::string& opcode, int stall, int reg) {
  return fmt::format("B------:R-:W-:-:S{:02}  {} R{}, R{}, R8, R9", stall, opcode, reg, reg);
}

inline InstructionRun example_run(const std::string& measure, const std::string& opcode, int stall, int ilp) {
  InstructionRun run;
  run.measure = measure;
  run.verdict = "verified";
  run.sass_hash = "0123456789abcdef0123456789abcdef";
  run.opcodes = {{"CS2R", 2}, {opcode, 16 * ilp}};
  run.sass = {"B------:R-:W-:-:S02  CS2R R2, SR_CLOCKLO"};
  for (int i = 0; i < 16 * ilp; ++i) run.sass.push_back(example_opcode_line(opcode, stall, 4 + i % ilp));
  run.sass.push_back("B------:R-:W-:-:S05  CS2R R6, SR_CLOCKLO");
  return run;
}

inline void add_latency(Row& row, const ExampleLatency& latency, const std::string& opcode) {
  InstructionRun run = example_run("latency." + latency.operand, opcode, static_cast<int>(latency.cycles), 1);
  run.via = latency.via;
  double step = latency.cycles;
  for (const auto& [companion, cycles] : latency.via) step += cycles;
  run.encoded_cycles = latency.cycles;
  run.samples[1] = line_samples(step, 21, {16, 32, 64}, 0, 9);
  row.estimates.push_back({run.measure, latency.cycles, latency.cycles, latency.cycles, "cycles", "slope", 27, ""});
  row.estimates.push_back(
      {"encoded." + latency.operand, latency.cycles, latency.cycles, latency.cycles, "cycles", "encoded", 1, ""});
  row.instruction.runs.push_back(std::move(run));
}

/// Adds points for ILPs and warp counts that saturate at `plateau`.
inline void add_throughput(Row& row, double plateau, double latency, const std::string& opcode,
                           const std::vector<int>& ilps = {1, 4}, const std::vector<int>& warp_counts = {1, 8, 32}) {
  for (const int ilp : ilps) {
    InstructionRun run = example_run(fmt::format("throughput.ilp{}", ilp), opcode, 1, ilp);
    for (const int warps : warp_counts) {
      const double rate = std::min(plateau, 32.0 * warps * ilp / latency);
      run.samples[warps] = line_samples(32.0 * warps * ilp / rate, 30, {16, 64}, 2, 5);
      row.instruction.curve.push_back({warps, ilp, rate});
    }
    row.instruction.runs.push_back(std::move(run));
  }
  row.estimates.push_back({"throughput", plateau, plateau * 0.998, plateau, "1/clk/SM", "rate", 30, "8 warps x 4"});
  row.estimates.push_back({"interval", 128 / plateau, 128 / plateau, 128 / plateau, "cycles", "rate", 30, ""});
  row.estimates.push_back({"saturation", 8, 8, 8, "", "rate", 6, ""});
}

inline Row example_row(const std::string& family, const std::string& ptx, const std::string& types) {
  Row row{.kind = RowKind::Ptx};
  const std::string mnemonic = ptx.substr(0, ptx.find(' '));
  row.id = family + '/' + mnemonic;
  row.family = family;
  row.ptx = ptx;
  row.instruction.section = "Floating Point Instructions: " + mnemonic.substr(0, mnemonic.find('.'));
  row.instruction.types = types;
  row.arch = "sm_90a";
  row.clock = {1980, 3201, {}, 212.5, 41};
  return row;
}

inline Row measured_row(const std::string& family, const std::string& ptx, const std::string& types,
                        const std::string& opcode, const std::string& pipe,
                        const std::vector<ExampleLatency>& latencies, double plateau,
                        const std::vector<int>& ilps = {1, 4}, const std::vector<int>& warp_counts = {1, 8, 32}) {
  Row row = example_row(family, ptx, types);
  row.instruction.became = {opcode};
  row.pipes = {pipe};
  for (const ExampleLatency& each : latencies) add_latency(row, each, opcode);
  add_throughput(row, plateau, latencies.empty() ? 4 : latencies[0].cycles, opcode, ilps, warp_counts);
  row.counters = {{"sm__inst_executed_pipe_" + pipe + ".sum", 67108864}};
  return row;
}

inline Row refused_row(const std::string& family, const std::string& ptx, const std::string& types, Outcome outcome,
                       const Reason& reason) {
  Row row = example_row(family, ptx, types);
  row.outcome = outcome;
  row.reason = reason;
  row.clock = {};
  return row;
}

/// Rows with every outcome, several operands, companions, labels, findings and hostile texts.
inline Record example_instructions() {
  Record table{.file = RecordFile::Instructions};
  const Record record = example_record();
  table.provenance = record.provenance;
  table.provenance.nvrtc.clear();
  table.provenance.ptxas = "13.0.88";
  table.device = record.device;
  auto& rows = table.rows;
  rows.push_back(
      measured_row("fp32", "fma.rn.f32 {d}, {a}, {b}, {c}", "f32", "FFMA", "fma", {{"a", 4}, {"b", 4}, {"c", 4}}, 128));
  rows.push_back(measured_row("fp32", "add.rn.f32 {d}, {a}, {b}", "f32", "FADD", "fma", {{"a", 4}, {"b", 4}}, 128));
  rows.push_back(measured_row("integer", "shf.l.wrap.b32 {d}, {a}, {b}, {c}", "b32", "SHF.L.W.U32", "alu",
                              {{"a", 4}, {"b", 4}, {"c", 6, {{"MOV", 2}, {"IADD3", 4}}}}, 64));
  rows.back().instruction.runs.back().trick = "composed";
  rows.back().instruction.findings = {"latency.c measured 6.02 cycles, its encoding states 4"};
  rows.back().estimates[4].low = 5.98;
  rows.back().estimates[4].high = 6.044444;
  rows.push_back(measured_row("integer", "mul.lo.u64 {d}, {a}, {b}", "u64", "IMAD", "fma", {{"a", 14.5}}, 16));
  rows.back().instruction.became = {"IMAD", "IMAD", "IMAD.WIDE.U32", "IADD3"};
  rows.back().instruction.labels = {"emulated: 4 instructions", "caf\xC3\xA9 \xE2\x89\xA5 \xF0\x9D\x84\x9E"};
  rows.back().instruction.runs.back().trick = "composed";
  rows.back().clock.throttle = {"sw_power_cap"};
  rows.push_back(measured_row("integer", "setp.lt.s32 {p}, {a}, {b}", "s32", "ISETP.LT.AND", "alu", {}, 64));
  rows.back().counters.clear();
  rows.back().counters_missing = "the driver gives no permission for counters";
  rows.push_back(refused_row("fp64", "rcp.rn.f64 {d}, {a}", "f64", Outcome::Rejected,
                             {"verify", "foreign-opcode", "BRA is not declared: a subroutine is called"}));
  rows.back().instruction.runs = {example_run("latency.a", "DFMA", 4, 1)};
  rows.back().instruction.runs[0].verdict = "foreign-opcode";
  rows.back().instruction.runs[0].text = "BRA at 0x120 is not declared";
  rows.back().instruction.runs[0].trick = "composed";
  rows.push_back(refused_row("fp64", "add.rn.f64x2 {d}, {a}, {b}", "f64x2", Outcome::Skipped,
                             {"plan", "unsupported-arch", "needs sm_100a"}));
  rows.push_back(refused_row("memory", "ld.volatile.global.u32 {d}, [{a}]", "u32", Outcome::Failed,
                             {"run", "watchdog", "no answer within 10 s"}));
  rows.push_back(refused_row("hostile", "</script><script>alert(1)</script>", "\"'<&>", Outcome::Failed,
                             {"run", "<b>", "a,b \"q\"\r\nnext | `x` \xE2\x80\xAE \x01 ]]> =1+1"}));
  rows.back().family = "<img src=x onerror=alert(1)>";
  return table;
}

/// A table with `rows` measured instructions, for size and speed.
inline Record many_instructions(int rows) {
  Record table = example_instructions();
  table.rows.clear();
  const std::vector<std::string> opcodes = {"FFMA", "FADD", "IMAD", "LOP3.LUT", "SHF.R.U32.HI", "PRMT", "HFMA2.MMA"};
  const std::vector<std::string> pipes = {"fma", "alu", "fp16", "xu", "fp64"};
  const std::vector<std::string> types = {"f32", "s32", "u32", "b64", "f16x2", "bf16", "u64 s32"};
  for (int i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string& opcode = opcodes[at % opcodes.size()];
    const std::string ptx = fmt::format("op{}.mode{}.{} {{d}}, {{a}}, {{b}}, {{c}}", i, i % 13, types[at % 7]);
    const double latency = 4 + i % 30;
    table.rows.push_back(measured_row(
        fmt::format("family{}", i / 200), ptx, types[at % types.size()], opcode, pipes[at % pipes.size()],
        {{"a", latency}, {"b", latency}, {"c", latency + i % 3}}, 128 >> i % 6, {1, 2, 4, 8}, {1, 4, 8, 16, 32}));
    for (InstructionRun& run : table.rows.back().instruction.runs) {
      run.sass_hash = fmt::format("{:016x}{:016x}", at * 0x9E3779B97F4A7C15u, run.sass.size() * 0xD1B54A32D192ED03u);
      if (!run.measure.starts_with("latency")) run.sass.clear();  // as in what is measured
    }
    if (i % 10 == 9)
      table.rows.back() = refused_row(table.rows.back().family, ptx, types[at % types.size()],
                                      outcomes[2 + at / 10 % 3], {"verify", "count", "folded away"});
  }
  return table;
}

}  // namespace warpclock::testing
