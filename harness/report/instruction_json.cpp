#include "report/instruction_json.hpp"

#include <algorithm>
#include <cmath>
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

/// What rows share, by index, in the order of first mention.
class Pool {
 public:
  std::size_t index(const Json& value) {
    // By what is written: texts that differ only in bytes that are not UTF-8 are one when they are read back.
    const auto [at, added] = known_.try_emplace(line(value), known_.size());
    if (added) json_.push_back(value);
    return at->second;
  }
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  std::map<std::string, std::size_t> known_;
  Json json_ = Json::array();
};

struct Pools {
  Pool texts, mixes, kinds;
};

Json number(double value) { return JsonWriter::write(value); }

Json list(const std::vector<std::string>& words) { return JsonWriter::write(words); }

class RowWriter {
 public:
  explicit RowWriter(Pools& pools) : pools_(pools) {}

  Json row(const InstructionRecord& row, const DeviceFacts& device);

 private:
  Json run(const InstructionRun& run);
  Json sass(const std::vector<std::string>& lines);

  Json estimate(const Estimate& e);

  Pools& pools_;
};

void put(Json& object, const char* key, Json value) {
  const bool empty = value.is_string() ? value.get_ref<const std::string&>().empty() : value.empty();
  if (!empty) object[key] = std::move(value);
}

void put_text(Json& object, const char* key, const std::string& text, Pool& texts) {
  if (!text.empty()) object[key] = texts.index(text);
}

Json RowWriter::sass(const std::vector<std::string>& lines) {
  std::vector<std::size_t> indexes;
  for (const std::string& each : lines) indexes.push_back(pools_.texts.index(each));
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

/// The least sample, or 0 where differences to it would not bring back the same samples.
double base_of(const std::vector<double>& cycles) {
  constexpr double widest = 1e12;
  const auto fits = [](double each) { return std::abs(each) < widest; };
  return cycles.empty() || !std::ranges::all_of(cycles, fits) ? 0 : *std::ranges::min_element(cycles);
}

Json series_json(const Series& series) {
  constexpr std::size_t worth = 3;  // copies, from which [over, copies] is the shorter way
  const double base = base_of(series.cycles);
  Json out = Json::array({series.n, number(base)});
  std::vector<double> all = series.cycles;
  for (double& each : all) each = rounded_cycles(each - base);
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
  out["measure"] = pools_.texts.index(run.measure);
  if (run.verdict != "verified") out["verdict"] = run.verdict;
  put_text(out, "text", run.text, pools_.texts);
  put_text(out, "note", run.note, pools_.texts);
  put(out, "trick", run.trick);
  put(out, "hash", run.sass_hash);
  if (!run.opcodes.empty()) {
    Json mix = Json::array();
    for (const auto& [opcode, count] : run.opcodes) {
      mix.push_back(opcode);
      mix.push_back(count);
    }
    out["mix"] = pools_.mixes.index(mix);
  }
  put(out, "sass", sass(run.sass));
  if (run.encoded_cycles) out["encoded"] = number(*run.encoded_cycles);
  Json via = Json::array();
  for (const auto& [companion, cycles] : run.via) via.push_back(Json::array({companion, number(cycles)}));
  put(out, "via", std::move(via));
  put(out, "samples", samples_json(run.samples));
  return out;
}

Json RowWriter::estimate(const Estimate& e) {
  const std::size_t kind = pools_.kinds.index(Json::array({e.name, e.unit, e.method}));
  Json out = Json::array({kind, number(e.value), number(e.low), number(e.high), e.n});
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
  put_text(out, "section", row.section, pools_.texts);
  put(out, "types", row.types);
  if (row.arch != device.arch) out["arch"] = row.arch;
  if (row.outcome != Outcome::Measured) out["outcome"] = word(row.outcome);
  if (!(row.reason == Reason{})) out["reason"] = Json::array({row.reason.stage, row.reason.code, row.reason.text});
  put(out, "became", list(row.became));
  put(out, "labels", list(row.labels));
  put(out, "pipes", list(row.pipes));
  Json estimates = Json::array(), curve = Json::array(), runs = Json::array();
  for (const Estimate& e : row.estimates) estimates.push_back(estimate(e));
  for (const ThroughputPoint& p : row.curve) {
    curve.push_back(Json::array({p.warps, p.ilp, number(p.rate), number(p.low), number(p.high)}));
  }
  for (const InstructionRun& each : row.runs) runs.push_back(run(each));
  put(out, "estimates", std::move(estimates));
  put(out, "curve", std::move(curve));
  put(out, "findings", list(row.findings));
  put(out, "runs", std::move(runs));
  put(out, "counters", JsonWriter::write(row.counters));
  put_text(out, "counters_missing", row.counters_missing, pools_.texts);
  put(out, "clock", clock_json(row.clock));
  return out;
}

Json guide_line(const GuideLine& line) {
  Json out = Json::object();
  out["row"] = line.row;
  out["short"] = line.brief;
  out["operation"] = line.operation;
  out["id"] = line.id;
  if (line.results != 1) out["results"] = line.results;
  if (line.documented > 0) out["documented"] = number(line.documented);
  if (line.several) out["several"] = true;
  if (line.measured > 0) out["measured"] = Json::array({number(line.measured), number(line.low), number(line.high)});
  if (line.ratio > 0) out["ratio"] = number(line.ratio);
  out["verdict"] = line.verdict;
  put(out, "trick", line.trick);
  put(out, "source", line.source);
  put(out, "because", line.because);
  put(out, "unconfirmed", line.unconfirmed);
  put(out, "why", line.why);
  return out;
}

/// An array with an element a line.
std::string tall(const Json& array) {
  std::string out = "[";
  for (const Json& each : array) out += (out.size() > 1 ? ",\n" : "\n") + line(each);
  return out + (array.empty() ? "]" : "\n]");
}

std::string guide_json(const GuideComparison& guide) {
  std::string out;
  if (!guide.title.empty()) out += ",\n\"guide_title\":" + line(guide.title);
  if (!guide.missing.empty()) out += ",\n\"guide_missing\":" + line(guide.missing);
  Json lines = Json::array();
  for (const GuideLine& each : guide.lines) lines.push_back(guide_line(each));
  return lines.empty() ? out : out + ",\n\"guide\":" + tall(lines);
}

}  // namespace

std::string to_json(const InstructionTable& measured) {
  const InstructionTable table = rounded(measured);
  Pools pools;
  Json rows = Json::array();
  for (const InstructionRecord& each : table.rows) rows.push_back(RowWriter(pools).row(each, table.device));
  return "{\"schema\":" + line(to_json_value(instruction_schema)) +
         ",\n\"provenance\":" + line(JsonWriter::write(table.provenance)) +
         ",\n\"device\":" + line(JsonWriter::write(table.device)) + ",\n\"texts\":" + tall(pools.texts.json()) +
         ",\n\"mixes\":" + tall(pools.mixes.json()) + ",\n\"kinds\":" + tall(pools.kinds.json()) +
         ",\n\"rows\":" + tall(rows) + guide_json(table.guide) + "}\n";
}

}  // namespace warpclock
