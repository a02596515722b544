#include <charconv>
#include <string_view>
#include <system_error>

#include "record/json/machine_json.hpp"
#include "record/json/row_json.hpp"

namespace warpclock {
namespace {

class MachineReader : RowReader {
 public:
  void read(const Json& json, MachineTable& table);
  using ElementReader::problem;

 private:
  void word(const Json& object, Word& out);
  void latency(const Json& json, DependencyLatency& out);
  void cell(const Json& array, IssueCell& out);
  void row(const Json& json, MachineRow& out);
  void optional_estimate(const Json& object, const char* key, std::optional<Estimate>& out);

  std::vector<std::vector<std::string>> reasons_;
  std::vector<std::vector<int>> places_;
};

/// Sixteen digits.
bool read_half(std::string_view digits, std::uint64_t& out) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
  return error == std::errc() && end == digits.data() + digits.size();
}

void MachineReader::word(const Json& object, Word& out) {
  constexpr std::size_t half = 16;
  std::string text;
  get(object, "word", text, true);
  const std::string_view digits = text;
  if (text.size() == 2 * half && read_half(digits.substr(0, half), out.high) && read_half(digits.substr(half), out.low))
    return;
  in_.at("word", [&] { in_.fail("32 hexadecimal digits are wanted"); });
}

void MachineReader::optional_estimate(const Json& object, const char* key, std::optional<Estimate>& out) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  in_.at(key, [&] {
    if (is_array(*found, 2)) estimate(*found, out.emplace());
  });
}

void MachineReader::latency(const Json& json, DependencyLatency& out) {
  if (!json.is_object()) return in_.expected("an object", json);
  get(json, "from", out.source, true);
  get(json, "operand", out.operand);
  get(json, "through", out.through);
  get(json, "through_cycles", out.through_cycles);
  optional_estimate(json, "cycles", out.cycles);
  if (json.contains("least")) get(json, "least", out.least_right.emplace());
  if (json.contains("busy")) get(json, "busy", out.busy_least_right.emplace());
  get(json, "wrong", out.wrong);
  text(json, "note", out.note);
}

void MachineReader::cell(const Json& array, IssueCell& out) {
  std::vector<double> curve;
  item(array, 1, curve);
  if (const std::vector<int>* place = at(array[0], places_, "place")) {
    if (place->size() != curve.size() + 3) return in_.fail("the place has another number of points");
    out.warps = (*place)[0], out.stall = (*place)[1], out.yield = (*place)[2] != 0;
    for (std::size_t i = 0; i < curve.size(); ++i) out.curve.emplace_back((*place)[i + 3], curve[i]);
  }
  if (array.size() < 3) return;
  item(array, 2, out.cycles);
  out.low = out.high = out.cycles;
  if (array.size() < 5) return;
  item(array, 3, out.low);
  item(array, 4, out.high);
  if (array.size() < 6) return;
  if (const std::string* note = at(array[5], texts_, "text")) out.note = *note;
}

void MachineReader::row(const Json& json, MachineRow& out) {
  if (!json.is_object()) return in_.expected("an object", json);
  get(json, "key", out.key, true);
  get(json, "text", out.text);
  word(json, out.word);
  get(json, "scoreboard", out.scoreboard);
  if (json.contains("encoded")) get(json, "encoded", out.encoded.emplace());
  each_any(json, "latencies", [&](const Json& element) { latency(element, out.latencies.emplace_back()); });
  each(json, "cells", 2, [&](const Json& array) { cell(array, out.cells.emplace_back()); });
  optional_estimate(json, "interval", out.interval);
  if (!json.contains("reason")) return;
  std::vector<std::string> reason;
  shared(json, "reason", reasons_, "reason", reason);
  reason.resize(3);
  out.reason = Error{reason[0], reason[1], reason[2]};
}

void MachineReader::read(const Json& json, MachineTable& table) {
  get(json, "provenance", table.provenance, true);
  get(json, "device", table.device, true);
  read_estimates(json);
  get(json, "reasons", reasons_);
  get(json, "machine", places_, true);
  if (!json.contains("rows")) in_.fail("the key 'rows' is missing");
  each_any(json, "rows", [&](const Json& element) { row(element, table.rows.emplace_back()); });
}

}  // namespace

Expected<MachineTable> read_machine_table(std::string_view text, const std::string& place) {
  const auto json = parse_record_file(text, RecordFile::Machine, machine_schema, place);
  if (!json) return std::unexpected(json.error());
  MachineTable table;
  MachineReader reader;
  reader.read(*json, table);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  return table;
}

}  // namespace warpclock
