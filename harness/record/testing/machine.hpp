#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "record/json/record_json.hpp"
#include "record/testing/record.hpp"

namespace warpclock::testing {

/// Rows of all kinds with invented numbers; nothing here was measured.
inline Estimate made_up(const std::string& name, double value, double spread = 0, const std::string& note = "") {
  return {name, value, value - spread, value + spread, "cycles", "slope", 12, note};
}

inline DependencyLatency fixed_latency(int source, const std::string& operand, int cycles) {
  DependencyLatency latency;
  latency.source = source;
  latency.operand = operand;
  latency.cycles = made_up("latency", cycles, 0.01);
  latency.least_right = cycles;
  for (int stall = 1; stall < cycles; ++stall) latency.wrong.push_back(stall);
  return latency;
}

/// A cell with a linear curve over the number of instructions.
inline IssueCell line_cell(int warps, int stall, bool yield, double cycles) {
  IssueCell cell{.warps = warps, .stall = stall, .yield = yield, .cycles = cycles, .low = cycles, .high = cycles};
  const int of_a_partition = warps < 4 ? 1 : warps / 4;
  for (const int n : {16, 32, 64, 96}) cell.curve.emplace_back(n, 20 + n * cycles * of_a_partition);
  return cell;
}

inline MachineRow machine_row(const std::string& key, const std::string& text, Word word, double interval) {
  MachineRow row;
  row.key = key;
  row.text = text;
  row.word = word;
  for (const int warps : {1, 4, 8, 16})
    row.cells.push_back(line_cell(warps, 1, false, warps == 1 ? interval + 0.05 : interval));
  row.interval = made_up("interval", interval, 0.002, "8 warps");
  return row;
}

/// A tensor instruction with a surface over its control fields.
inline MachineRow surface_row() {
  MachineRow row = machine_row("@PT HMMA.16816.F32 #, #, #, #", "HMMA.16816.F32 R4, R8, R12, R4",
                               {0x0000000c0804723c, 0x000fe20000001804}, 8);
  row.latencies = {fixed_latency(2, "R4", 11)};
  row.latencies[0].wrong = {4, 5, 6, 7, 8, 9, 10};
  row.latencies[0].busy_least_right = 13;
  row.encoded = 24;
  row.cells.clear();
  for (const int warps : {4, 8, 16}) {
    for (const bool yield : {false, true}) {
      for (const int stall : {1, 2, 4, 8})
        row.cells.push_back(line_cell(warps, stall, yield, 8 + (yield ? 0.5 : stall / 4.0)));
    }
  }
  row.cells[3].note = "from 64 instructions on the curve bends";
  row.cells[3].cycles = row.cells[3].low = row.cells[3].high = 0;
  row.cells[3].curve[3].second = 2304.25;
  return row;
}

inline IssueStudy study(const std::string& id, std::vector<std::string> forms, double interval) {
  IssueStudy one;
  one.id = id;
  one.forms = std::move(forms);
  for (const int warps : {4, 8}) one.cells.push_back(line_cell(warps, 1, false, interval));
  one.interval = made_up("interval", interval, 0.002, "8 warps");
  return one;
}

/// Producers and consumers, pairs, banks, and curves over the length of code.
inline void add_relations(MachineTable& table) {
  const std::string fma = "@PT FFMA #, #, #, #", load = "@PT LDS #, [#]";
  table.dependences = {{"dependences/FFMA->LDS.A", fma, load, fixed_latency(0, "R8", 5)},
                       {"dependences/LDS->FFMA.A", load, fma, {}},
                       {"dependences/LDS->FFMA.C", load, fma, {}}};
  table.dependences[0].latency.busy_least_right = 6;
  table.dependences[0].latency.cycles.reset();
  table.dependences[1].latency.cycles = made_up("latency", 23, 0.1);
  table.dependences[2].latency.source = 2;
  table.dependences[2].latency.note = "<b>a stale read does not show</b>";
  table.pairs = {study("pairs/FFMA+FFMA", {fma, fma}, 2), study("pairs/FFMA+LDS", {fma, load}, 4.25),
                 study("pairs/FFMA+LDS, runs of 4", {fma, load}, 4.5), study("pairs/LDS+LDS", {load, load}, 8)};
  table.pairs[2].run = 4;
  table.banks = {study("banks/FFMA 0 0 0", {fma}, 3), study("banks/FFMA 0 0 0, reuse A", {fma}, 2)};
  for (IssueStudy& one : table.banks) one.banks = {0, 0, 0}, one.reuse = {0, 0, 0};
  table.banks[1].reuse[0] = 1;
  const std::string multiply = "@PT HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#";
  table.with_multiplies = {study("wgmma/HGMMA.64x64x16.F32+16 FFMA", {multiply, fma}, 40)};
  table.with_multiplies[0].of_each = {1, 16};
  table.between_warps = {study("warps/4 FFMA+1 LDS", {fma, load}, 6)};
  table.between_warps[0].of_each = {4, 1};
  table.between_warps[0].apart = true;
  table.fetch = {study("fetch/FFMA", {fma}, 1)};
  table.fetch[0].interval.reset();
  table.fetch[0].cells[0].curve = {{32, 52}, {64, 84}, {96, 116}, {128, 148}, {256, 276}, {512, 1044}, {1024, 2580}};
}

/// Fixed latencies, scoreboards, a chain through another instruction, a surface, reasons, and hostile texts.
inline MachineTable example_machine() {
  MachineTable table;
  const Record record = example_record();
  table.provenance = record.provenance;
  table.device = record.device;
  std::vector<MachineRow>& rows = table.rows;
  rows.push_back(
      machine_row("@PT FFMA #, #, #, #", "FFMA R4, R8, R12, R16", {0x0000000c08047223, 0x004fc80000000010}, 2));
  rows.back().latencies = {fixed_latency(0, "R8", 4), fixed_latency(1, "R12", 4), fixed_latency(2, "R16", 4)};
  rows.back().encoded = 4;
  rows.push_back(surface_row());
  rows.push_back(machine_row("@PT MUFU.RCP #, #", "MUFU.RCP R4, R8", {0x0000000800047308, 0x000fe20000001000}, 8));
  rows.back().scoreboard = true;
  rows.back().latencies = {
      {.source = 0, .operand = "R8", .through_cycles = 0, .cycles = made_up("latency", 22.96, 0.06)}};
  rows.push_back(machine_row("@PT ISETP.LT.AND #, #, #, #", "ISETP.LT.AND P0, PT, R8, R12, PT",
                             {0x0000000c0800720c, 0x000fda0003f01270}, 2));
  rows.back().latencies = {fixed_latency(0, "R8", 8),
                           {.source = 1,
                            .operand = "R12",
                            .through = "SEL",
                            .through_cycles = 5,
                            .note = "the chain computes the same with every stall count"}};
  rows.back().latencies[0].through = "SEL";
  rows.back().latencies[0].through_cycles = 5;
  // The timed latency is longer than the minimum stall count.
  rows.back().latencies[0].cycles->value = rows.back().latencies[0].cycles->high = 9.2;
  MachineRow none;
  none.key = "@PT BRA #";
  none.text = "BRA 0x100";
  none.word = {0x0000000000007947, 0x000fea0003800000};
  none.reason = Error{"control-flow", "it changes where the warp goes on", ""};
  rows.push_back(none);
  none.key = "</script><script>alert(1)</script>";
  none.text = "\"'<&> \xE2\x80\xAE caf\xC3\xA9";
  none.reason = Error{"<b>", "a,b \"q\"\r\nnext | `x` ]]> =1+1", "<img src=x onerror=alert(1)>:7"};
  rows.push_back(none);
  add_relations(table);
  return table;
}

/// Earlier schemas have no relations, and the record inside a page has none.
inline MachineTable without_relations(const MachineTable& table) {
  return {.provenance = table.provenance, .device = table.device, .rows = table.rows};
}

/// A table with `rows` rows, for size and speed.
inline MachineTable many_machine(int rows) {
  MachineTable table = example_machine();
  table.rows.clear();
  const std::vector<std::string> opcodes = {"FFMA", "FADD", "IMAD", "LOP3.LUT", "SHF.R.U32.HI", "PRMT", "HFMA2.MMA"};
  for (int i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string opcode = fmt::format("{}.M{}", opcodes[at % opcodes.size()], i);
    MachineRow row = machine_row("@PT " + opcode + " #, #, #, #", opcode + " R4, R8, R12, R16",
                                 {at * 0x9E3779B97F4A7C15u, at * 0xD1B54A32D192ED03u}, 1 + i % 8);
    for (int source = 0; source < 3; ++source)
      row.latencies.push_back(fixed_latency(source, fmt::format("R{}", 8 + 4 * source), 4 + i % 5));
    if (i % 20 == 7) row.cells = surface_row().cells;
    if (i % 10 == 9) {
      row = {.key = row.key,
             .text = row.text,
             .word = row.word,
             .scoreboard = false,
             .reason = Error{"compose", "it reads a uniform register", ""}};
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpclock::testing
