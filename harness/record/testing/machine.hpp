#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

/// Before the interval, as what is measured has them.
inline void add_estimate(Row& row, Estimate estimate) {
  const auto interval = std::ranges::find(row.estimates, "interval", &Estimate::name);
  row.estimates.insert(interval, std::move(estimate));
}

/// A source operand with the numbers that are given.
inline void add_operand(Row& row, const OperandPath& path, std::optional<Estimate> cycles,
                        std::optional<double> stall = {}, std::optional<double> busy = {}) {
  row.machine.paths.push_back(path);
  const std::string source = "." + std::to_string(path.source);
  if (cycles) {
    cycles->name = "latency" + source;
    add_estimate(row, *cycles);
  }
  if (stall) add_estimate(row, {"minimum_stall" + source, *stall, *stall, *stall, "cycles", "least right"});
  if (busy) add_estimate(row, {"minimum_stall_among_warps" + source, *busy, *busy, *busy, "cycles", "least right"});
}

/// One of a fixed latency, for which all smaller stall counts are wrong.
inline void add_fixed(Row& row, int source, const std::string& operand, int cycles, const OperandPath& like = {},
                      std::optional<double> busy = {}) {
  OperandPath path = like;
  path.source = source;
  path.operand = operand;
  if (path.wrong.empty())
    for (int stall = 1; stall < cycles; ++stall) path.wrong.push_back(stall);
  add_operand(row, path, made_up("latency", cycles, 0.01), cycles, busy);
}

inline void add_encoded(Row& row, double cycles) {
  add_estimate(row, {"encoded", cycles, cycles, cycles, "cycles", "encoded"});
}

/// A cell with a linear curve over the number of instructions.
inline IssueCell line_cell(int warps, int stall, bool yield, double cycles) {
  IssueCell cell{.warps = warps, .stall = stall, .yield = yield, .cycles = cycles, .low = cycles, .high = cycles};
  const int of_a_partition = warps < 4 ? 1 : warps / 4;
  for (const int n : {16, 32, 64, 96}) cell.curve.emplace_back(n, 20 + n * cycles * of_a_partition);
  return cell;
}

inline Row machine_row(const std::string& key, const std::string& text, Word word, double interval) {
  Row row{.id = key, .kind = RowKind::Form};
  row.machine.text = text;
  row.machine.word = word;
  for (const int warps : {1, 4, 8, 16})
    row.machine.cells.push_back(line_cell(warps, 1, false, warps == 1 ? interval + 0.05 : interval));
  row.estimates = {made_up("interval", interval, 0.002, "8 warps")};
  return row;
}

/// A tensor instruction with a surface over its control fields.
inline Row surface_row() {
  Row row = machine_row("@PT HMMA.16816.F32 #, #, #, #", "HMMA.16816.F32 R4, R8, R12, R4",
                        {0x0000000c0804723c, 0x000fe20000001804}, 8);
  add_fixed(row, 2, "R4", 11, {.wrong = {4, 5, 6, 7, 8, 9, 10}}, 13);
  add_encoded(row, 24);
  std::vector<IssueCell>& cells = row.machine.cells;
  cells.clear();
  for (const int warps : {4, 8, 16}) {
    for (const bool yield : {false, true}) {
      for (const int stall : {1, 2, 4, 8})
        cells.push_back(line_cell(warps, stall, yield, 8 + (yield ? 0.5 : stall / 4.0)));
    }
  }
  cells[3].note = "from 64 instructions on the curve bends";
  cells[3].cycles = cells[3].low = cells[3].high = 0;
  cells[3].curve[3].second = 2304.25;
  return row;
}

inline Row study(RowKind kind, const std::string& id, std::vector<std::string> forms, double interval) {
  Row one{.id = id, .kind = kind};
  one.forms = std::move(forms);
  one.machine.run = 1;
  for (const int warps : {4, 8}) one.machine.cells.push_back(line_cell(warps, 1, false, interval));
  one.estimates = {made_up("interval", interval, 0.002, "8 warps")};
  return one;
}

inline Row without_number(const std::string& id, const Reason& reason) {
  return {.id = id, .kind = RowKind::Form, .outcome = Outcome::Rejected, .reason = reason};
}

/// Producers and consumers, pairs, banks, and curves over the length of code.
inline void add_relations(Record& table) {
  const std::string fma = "@PT FFMA #, #, #, #", load = "@PT LDS #, [#]",
                    multiply = "@PT HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#";
  const auto add = [&](Row row) -> Row& { return table.rows.emplace_back(std::move(row)); };
  const auto dependence = [&](const std::string& id, const std::string& from, const std::string& to) -> Row& {
    Row& row = add({.id = "dependences/" + id, .kind = RowKind::Dependence});
    row.forms = {from, to};
    return row;
  };
  add_operand(dependence("FFMA->LDS.A", fma, load), {.operand = "R8", .wrong = {1, 2, 3, 4}}, {}, 5, 6);
  add_operand(dependence("LDS->FFMA.A", load, fma), {}, made_up("latency", 23, 0.1));
  Row& stale = dependence("LDS->FFMA.C", load, fma);
  add_operand(stale, {.source = 2, .note = "<b>a stale read does not show</b>"}, {});
  stale.outcome = Outcome::Rejected;
  stale.reason = {"analyze", "no-number", stale.machine.paths[0].note};
  add(study(RowKind::Pair, "pairs/FFMA+FFMA", {fma, fma}, 2));
  add(study(RowKind::Pair, "pairs/FFMA+LDS", {fma, load}, 4.25));
  add(study(RowKind::Pair, "pairs/FFMA+LDS, runs of 4", {fma, load}, 4.5)).machine.run = 4;
  add(study(RowKind::Pair, "pairs/LDS+LDS", {load, load}, 8));
  for (const int reuse : {0, 1}) {
    const std::string id = "banks/FFMA 0 0 0";
    MachinePart& part = add(study(RowKind::Bank, reuse == 0 ? id : id + ", reuse A", {fma}, 3 - reuse)).machine;
    part.banks = {0, 0, 0}, part.reuse = {reuse, 0, 0};
  }
  add(study(RowKind::WithMultiply, "wgmma/HGMMA.64x64x16.F32+16 FFMA", {multiply, fma}, 40)).machine.of_each = {1, 16};
  MachinePart& apart = add(study(RowKind::BetweenWarps, "warps/4 FFMA+1 LDS", {fma, load}, 6)).machine;
  apart.of_each = {4, 1};
  apart.apart = true;
  Row& fetch = add(study(RowKind::Fetch, "fetch/FFMA", {fma}, 1));
  fetch.estimates.clear();
  fetch.machine.cells[0].curve = {{32, 52}, {64, 84}, {96, 116}, {128, 148}, {256, 276}, {512, 1044}, {1024, 2580}};
}

/// Fixed latencies, scoreboards, a chain through another instruction, a surface, reasons, and hostile texts.
inline Record example_machine() {
  const Record record = example_record();
  Record table{.file = RecordFile::Machine, .provenance = record.provenance, .device = record.device};
  std::vector<Row>& rows = table.rows;
  rows.push_back(
      machine_row("@PT FFMA #, #, #, #", "FFMA R4, R8, R12, R16", {0x0000000c08047223, 0x004fc80000000010}, 2));
  for (int source = 0; source < 3; ++source) add_fixed(rows.back(), source, fmt::format("R{}", 8 + 4 * source), 4);
  add_encoded(rows.back(), 4);
  rows.push_back(surface_row());
  rows.push_back(machine_row("@PT MUFU.RCP #, #", "MUFU.RCP R4, R8", {0x0000000800047308, 0x000fe20000001000}, 8));
  rows.back().machine.scoreboard = true;
  add_operand(rows.back(), {.operand = "R8"}, made_up("latency", 22.96, 0.06));
  rows.push_back(machine_row("@PT ISETP.LT.AND #, #, #, #", "ISETP.LT.AND P0, PT, R8, R12, PT",
                             {0x0000000c0800720c, 0x000fda0003f01270}, 2));
  add_fixed(rows.back(), 0, "R8", 8, {.through = "SEL", .through_cycles = 5});
  // The timed latency is longer than the minimum stall count.
  rows.back().estimates[0].value = rows.back().estimates[0].high = 9.2;
  add_operand(rows.back(),
              {.source = 1,
               .operand = "R12",
               .through = "SEL",
               .through_cycles = 5,
               .note = "the chain computes the same with every stall count"},
              {});
  rows.push_back(without_number("@PT BRA #", {"compose", "control-flow", "it changes where the warp goes on"}));
  rows.back().machine.text = "BRA 0x100";
  rows.back().machine.word = {0x0000000000007947, 0x000fea0003800000};
  rows.push_back(rows.back());
  rows.back().id = "</script><script>alert(1)</script>";
  rows.back().machine.text = "\"'<&> \xE2\x80\xAE caf\xC3\xA9";
  rows.back().reason = {"compose", "<b>", "<img src=x onerror=alert(1)>:7: a,b \"q\"\r\nnext | `x` ]]> =1+1"};
  add_relations(table);
  return table;
}

/// The record inside a page has none.
inline Record without_relations(Record table) {
  std::erase_if(table.rows, [](const Row& row) { return row.kind != RowKind::Form; });
  return table;
}

/// A table with `rows` rows, for size and speed.
inline Record many_machine(int rows) {
  Record table = example_machine();
  table.rows.clear();
  const std::vector<std::string> opcodes = {"FFMA", "FADD", "IMAD", "LOP3.LUT", "SHF.R.U32.HI", "PRMT", "HFMA2.MMA"};
  for (int i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string opcode = fmt::format("{}.M{}", opcodes[at % opcodes.size()], i);
    Row row = machine_row("@PT " + opcode + " #, #, #, #", opcode + " R4, R8, R12, R16",
                          {at * 0x9E3779B97F4A7C15u, at * 0xD1B54A32D192ED03u}, 1 + i % 8);
    for (int source = 0; source < 3; ++source) add_fixed(row, source, fmt::format("R{}", 8 + 4 * source), 4 + i % 5);
    if (i % 20 == 7) row.machine.cells = surface_row().machine.cells;
    if (i % 10 == 9) {
      MachinePart part{.text = row.machine.text, .word = row.machine.word};
      row = without_number(row.id, {"compose", "compose", "it reads a uniform register"});
      row.machine = std::move(part);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpclock::testing
