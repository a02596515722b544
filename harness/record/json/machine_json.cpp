#include "record/json/machine_json.hpp"

#include <fmt/format.h>

#include <utility>

#include "record/json/instruction_json.hpp"
#include "record/json/json_writer.hpp"
#include "record/json/row_json.hpp"

namespace warpclock {
namespace {

void round_estimate(std::optional<Estimate>& estimate) {
  if (!estimate) return;
  for (double* value : {&estimate->value, &estimate->low, &estimate->high}) round_to(*value, 5);
}

class MachineWriter {
 public:
  Json row(const MachineRow& row);
  /// The arrays that rows share.
  [[nodiscard]] std::string members() const {
    return member("texts", texts_.json()) + member("reasons", reasons_.json()) + member("kinds", kinds_.json()) +
           member("machine", places_.json());
  }

 private:
  void put_text(Json& object, const char* key, const std::string& text) {
    if (!text.empty()) object[key] = texts_.index(text);
  }
  Json latency(const DependencyLatency& latency);
  Json cell(const IssueCell& cell);

  JsonPool texts_, reasons_, kinds_, places_;
};

Json MachineWriter::latency(const DependencyLatency& latency) {
  Json out = Json::object();
  out["from"] = latency.source;
  put(out, "operand", latency.operand);
  put(out, "through", latency.through);
  if (latency.through_cycles != 0) out["through_cycles"] = JsonWriter::write(latency.through_cycles);
  if (latency.cycles) out["cycles"] = estimate_json(*latency.cycles, kinds_, texts_);
  if (latency.least_right) out["least"] = *latency.least_right;
  if (latency.busy_least_right) out["busy"] = *latency.busy_least_right;
  put(out, "wrong", JsonWriter::write(latency.wrong));
  put_text(out, "note", latency.note);
  return out;
}

Json MachineWriter::cell(const IssueCell& cell) {
  Json place = Json::array({cell.warps, cell.stall, cell.yield ? 1 : 0}), curve = Json::array();
  for (const auto& [n, cycles] : cell.curve) {
    place.push_back(n);
    curve.push_back(JsonWriter::write(cycles));
  }
  Json out = Json::array({places_.index(place), std::move(curve)});
  const bool spread = cell.low != cell.cycles || cell.high != cell.cycles || !cell.note.empty();
  if (cell.cycles != 0 || spread) out.push_back(JsonWriter::write(cell.cycles));
  if (!spread) return out;
  out.push_back(JsonWriter::write(cell.low));
  out.push_back(JsonWriter::write(cell.high));
  if (!cell.note.empty()) out.push_back(texts_.index(cell.note));
  return out;
}

Json MachineWriter::row(const MachineRow& row) {
  Json out = Json::object(), latencies = Json::array(), cells = Json::array();
  for (const DependencyLatency& each : row.latencies) latencies.push_back(latency(each));
  for (const IssueCell& each : row.cells) cells.push_back(cell(each));
  out["key"] = row.key;
  put(out, "text", row.text);
  out["word"] = hex_word(row.word);
  if (row.scoreboard) out["scoreboard"] = true;
  if (row.encoded) out["encoded"] = *row.encoded;
  put(out, "latencies", std::move(latencies));
  put(out, "cells", std::move(cells));
  if (row.interval) out["interval"] = estimate_json(*row.interval, kinds_, texts_);
  if (row.reason) out["reason"] = reasons_.index(Json::array({row.reason->code, row.reason->text, row.reason->place}));
  return out;
}

}  // namespace

std::string hex_word(const Word& word) { return fmt::format("{:016x}{:016x}", word.high, word.low); }

MachineTable rounded(MachineTable table) {
  for (MachineRow& row : table.rows) {
    round_estimate(row.interval);
    for (DependencyLatency& latency : row.latencies) {
      round_estimate(latency.cycles);
      round_to(latency.through_cycles, 5);
    }
    for (IssueCell& cell : row.cells) {
      for (double* value : {&cell.cycles, &cell.low, &cell.high}) round_to(*value, 5);
      for (auto& [n, cycles] : cell.curve) cycles = rounded_cycles(cycles);
    }
  }
  return table;
}

std::string to_json(const MachineTable& measured) {
  const MachineTable table = rounded(measured);
  MachineWriter writer;
  Json rows = Json::array();
  for (const MachineRow& each : table.rows) rows.push_back(writer.row(each));
  return "{\"schema\":" + compact(to_json_value(machine_schema)) +
         ",\n\"provenance\":" + compact(JsonWriter::write(table.provenance)) +
         ",\n\"device\":" + compact(JsonWriter::write(table.device)) + writer.members() + member("rows", rows) + "}\n";
}

}  // namespace warpclock
