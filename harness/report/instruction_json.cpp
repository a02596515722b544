#include "report/instruction_json.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "report/json_writer.hpp"
#include "report/repeats.hpp"

namespace warpclock {
namespace {

std::string line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Texts that rows share, by index, in the order of first mention.
class Texts {
 public:
  std::size_t index(const std::string& text) {
    // By what is written: texts that differ only in bytes that are not UTF-8 are one when they are read back.
    const auto [at, added] = known_.try_emplace(line(text), known_.size());
    if (added) json_.push_back(text);
    return at->second;
  }
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  std::map<std::string, std::size_t> known_;
  Json json_ = Json::array();
};

Json number(double value) { return JsonWriter::write(value); }

Json list(const std::vector<std::string>& words) { return JsonWriter::write(words); }

class RowWriter {
 public:
  explicit RowWriter(Texts& texts) : texts_(texts) {}

  Json row(const InstructionRecord& row, const DeviceFacts& device);

 private:
  Json run(const InstructionRun& run);
  Json sass(const std::vector<std::string>& lines);

  Texts& texts_;
};

void put(Json& object, const char* key, Json value) {
  const bool empty = value.is_string() ? value.get_ref<const std::string&>().empty() : value.empty();
  if (!empty) object[key] = std::move(value);
}

void put_text(Json& object, const char* key, const std::string& text, Texts& texts) {
  if (!text.empty()) object[key] = texts.index(text);
}

Json RowWriter::sass(const std::vector<std::string>& lines) {
  std::vector<std::size_t> indexes;
  for (const std::string& each : lines) indexes.push_back(texts_.index(each));
  Json out = Json::array();
  for (const Repeat& block : find_repeats(std::span<const std::size_t>(indexes))) {
    const auto from = indexes.begin() + static_cast<std::ptrdiff_t>(block.first);
    const std::vector<std::size_t> body(from, from + static_cast<std::ptrdiff_t>(block.length));
    if (block.count == 1) {
      for (const std::size_t index : body) out.push_back(index);
    } else {
      Json repeated = Json::array({block.count});
      for (const std::size_t index : body) repeated.push_back(index);
      out.push_back(std::move(repeated));
    }
  }
  return out;
}

Json series_json(const Series& series) {
  constexpr std::size_t worth = 3;  // copies, from which [cycles, copies] is the shorter way
  Json out = Json::array({series.n});
  const std::vector<double>& all = series.cycles;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = at + 1;
    while (end < all.size() && all[end] == all[at]) ++end;
    if (end - at >= worth) {
      out.push_back(Json::array({number(all[at]), end - at}));
    } else {
      for (std::size_t i = at; i < end; ++i) out.push_back(number(all[i]));
    }
    at = end;
  }
  return out;
}

Json samples_json(const std::map<int, Samples>& by_warps) {
  Json out = Json::array();
  for (const auto& [warps, samples] : by_warps) {
    Json one = Json::array({warps});
    for (const Series& series : samples) one.push_back(series_json(series));
    out.push_back(std::move(one));
  }
  return out;
}

Json RowWriter::run(const InstructionRun& run) {
  Json out = Json::object();
  out["measure"] = run.measure;
  if (run.verdict != "verified") out["verdict"] = run.verdict;
  put_text(out, "text", run.text, texts_);
  put(out, "trick", run.trick);
  put(out, "hash", run.sass_hash);
  Json opcodes = Json::array();
  for (const auto& [opcode, count] : run.opcodes) {
    opcodes.push_back(opcode);
    opcodes.push_back(count);
  }
  put(out, "opcodes", std::move(opcodes));
  put(out, "sass", sass(run.sass));
  if (run.encoded_cycles) out["encoded"] = number(*run.encoded_cycles);
  Json via = Json::array();
  for (const auto& [companion, cycles] : run.via) via.push_back(Json::array({companion, number(cycles)}));
  put(out, "via", std::move(via));
  put(out, "samples", samples_json(run.samples));
  return out;
}

Json estimate_json(const Estimate& e) {
  Json out = Json::array({e.name, number(e.value), number(e.low), number(e.high), e.unit, e.method, e.n});
  if (!e.note.empty()) out.push_back(e.note);
  return out;
}

Json clock_json(const ClockReading& clock) {
  if (clock == ClockReading{}) return Json::array();
  Json out =
      Json::array({number(clock.sm_mhz), number(clock.memory_mhz), number(clock.power_w), number(clock.temperature_c)});
  for (const std::string& reason : clock.throttle) out.push_back(reason);
  return out;
}

Json RowWriter::row(const InstructionRecord& row, const DeviceFacts& device) {
  Json out = Json::object();
  out["id"] = row.id;
  if (row.family != row.id.substr(0, row.id.find('/'))) out["family"] = row.family;
  out["ptx"] = row.ptx;
  put_text(out, "section", row.section, texts_);
  put(out, "types", row.types);
  if (row.arch != device.arch) out["arch"] = row.arch;
  if (row.outcome != Outcome::Measured) out["outcome"] = word(row.outcome);
  if (!(row.reason == Reason{})) out["reason"] = Json::array({row.reason.stage, row.reason.code, row.reason.text});
  put(out, "became", list(row.became));
  put(out, "labels", list(row.labels));
  put(out, "pipes", list(row.pipes));
  Json estimates = Json::array(), curve = Json::array(), runs = Json::array();
  for (const Estimate& e : row.estimates) estimates.push_back(estimate_json(e));
  for (const ThroughputPoint& p : row.curve) {
    curve.push_back(Json::array({p.warps, p.ilp, number(p.rate), number(p.low), number(p.high)}));
  }
  for (const InstructionRun& each : row.runs) runs.push_back(run(each));
  put(out, "estimates", std::move(estimates));
  put(out, "curve", std::move(curve));
  put(out, "findings", list(row.findings));
  put(out, "runs", std::move(runs));
  put(out, "counters", JsonWriter::write(row.counters));
  put_text(out, "counters_missing", row.counters_missing, texts_);
  put(out, "clock", clock_json(row.clock));
  return out;
}

/// An array with an element a line.
std::string tall(const Json& array) {
  std::string out = "[";
  for (const Json& each : array) out += (out.size() > 1 ? ",\n" : "\n") + line(each);
  return out + (array.empty() ? "]" : "\n]");
}

}  // namespace

std::string to_json(const InstructionTable& measured) {
  const InstructionTable table = rounded(measured);
  Texts texts;
  Json rows = Json::array();
  for (const InstructionRecord& each : table.rows) rows.push_back(RowWriter(texts).row(each, table.device));
  return "{\"schema\":" + line(to_json_value(instruction_schema)) +
         ",\n\"provenance\":" + line(JsonWriter::write(table.provenance)) +
         ",\n\"device\":" + line(JsonWriter::write(table.device)) + ",\n\"texts\":" + tall(texts.json()) +
         ",\n\"rows\":" + tall(rows) + "}\n";
}

}  // namespace warpclock
