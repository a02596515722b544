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
  Pool texts, lists, opcodes, mixes, controls, lines, asks, kinds, metrics, grids;
};

Json number(double value) { return JsonWriter::write(value); }

Json list(const std::vector<std::string>& words) { return JsonWriter::write(words); }

void put(Json& object, const char* key, Json value) {
  const bool empty = value.is_string() ? value.get_ref<const std::string&>().empty() : value.empty();
  if (!empty) object[key] = std::move(value);
}

class RowWriter {
 public:
  explicit RowWriter(Pools& pools) : pools_(pools) {}

  Json row(const InstructionRecord& row, const DeviceFacts& device);

 private:
  void put_text(Json& object, const char* key, const std::string& text) {
    if (!text.empty()) object[key] = pools_.texts.index(text);
  }
  void put_list(Json& object, const char* key, const std::vector<std::string>& words) {
    if (!words.empty()) object[key] = pools_.lists.index(list(words));
  }

  Json mix(const std::vector<std::pair<std::string, int>>& opcodes);
  Json became(const std::vector<std::string>& opcodes);
  std::size_t line(const std::string& text);
  Json sass(const std::vector<std::string>& lines);
  Json samples(const std::map<int, Samples>& by_warps);
  Json run(const InstructionRun& run);
  Json estimate(const Estimate& e);
  Json curve(const std::vector<ThroughputPoint>& points);
  Json counters(const std::map<std::string, double>& counters);

  Pools& pools_;
};

Json RowWriter::mix(const std::vector<std::pair<std::string, int>>& opcodes) {
  Json out = Json::array();
  for (const auto& [opcode, count] : opcodes) {
    out.push_back(pools_.opcodes.index(opcode));
    out.push_back(count);
  }
  return pools_.mixes.index(out);
}

Json RowWriter::became(const std::vector<std::string>& opcodes) {
  std::vector<std::pair<std::string, int>> counted;
  for (const std::string& each : opcodes) {
    if (counted.empty() || counted.back().first != each) counted.emplace_back(each, 0);
    ++counted.back().second;
  }
  return mix(counted);
}

std::size_t RowWriter::line(const std::string& text) {
  const std::size_t gap = text.starts_with('B') ? text.find("  ") : std::string::npos;
  const bool split = gap != std::string::npos;
  return pools_.lines.index(Json::array(
      {pools_.controls.index(split ? text.substr(0, gap) : std::string()), split ? text.substr(gap + 2) : text}));
}

Json RowWriter::sass(const std::vector<std::string>& lines) {
  std::vector<std::size_t> indexes;
  for (const std::string& each : lines) indexes.push_back(line(each));
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

Json series_json(const std::vector<double>& cycles) {
  const auto same = [&](double each) { return each == cycles.front(); };
  if (!cycles.empty() && std::ranges::all_of(cycles, same)) return number(cycles.front());
  const double base = base_of(cycles);
  Json out = Json::array({number(base)});
  for (const double each : cycles) out.push_back(number(rounded_cycles(each - base)));
  return out;
}

Json RowWriter::samples(const std::map<int, Samples>& by_warps) {
  Json grid = Json::array(), all = Json::array();
  for (const auto& [warps, samples] : by_warps) {
    for (const Series& series : samples) {
      grid.push_back(Json::array({warps, series.n, series.cycles.size()}));
      all.push_back(series_json(series.cycles));
    }
  }
  if (!all.empty()) all.insert(all.begin(), pools_.grids.index(grid));
  return all;
}

Json RowWriter::run(const InstructionRun& run) {
  Json out = Json::array(
      {pools_.asks.index(Json::array({run.measure, run.verdict, run.trick})), run.sass_hash, mix(run.opcodes)});
  Json rest = Json::object();
  put_text(rest, "text", run.text);
  put_text(rest, "note", run.note);
  if (run.trips > 1) rest["trips"] = run.trips;
  put(rest, "sass", sass(run.sass));
  if (run.encoded_cycles) rest["encoded"] = number(*run.encoded_cycles);
  Json via = Json::array();
  for (const auto& [companion, cycles] : run.via) via.push_back(Json::array({companion, number(cycles)}));
  put(rest, "via", std::move(via));
  put(rest, "samples", samples(run.samples));
  if (!rest.empty()) out.push_back(std::move(rest));
  return out;
}

Json RowWriter::estimate(const Estimate& e) {
  Json out = Json::array({pools_.kinds.index(Json::array({e.name, e.unit, e.method, e.n})), number(e.value)});
  if (e.low == e.value && e.high == e.value && e.note.empty()) return out;
  out.push_back(number(e.low));
  out.push_back(number(e.high));
  if (!e.note.empty()) out.push_back(pools_.texts.index(e.note));
  return out;
}

Json RowWriter::curve(const std::vector<ThroughputPoint>& points) {
  if (points.empty()) return Json::array();
  Json grid = Json::array(), out = Json::array({0});
  for (const ThroughputPoint& p : points) {
    grid.push_back(Json::array({p.warps, p.ilp}));
    out.push_back(number(p.rate));
  }
  out[0] = pools_.grids.index(grid);
  return out;
}

Json RowWriter::counters(const std::map<std::string, double>& counters) {
  Json out = Json::array();
  for (const auto& [metric, value] : counters) {
    out.push_back(pools_.metrics.index(metric));
    out.push_back(number(value));
  }
  return out;
}

Json clock_json(const ClockReading& clock) {
  if (clock == ClockReading{}) return Json::array();
  Json out =
      Json::array({number(clock.sm_mhz), number(clock.memory_mhz), number(clock.power_w), number(clock.temperature_c)});
  for (const std::string& reason : clock.throttle) out.push_back(reason);
  return out;
}

/// A ptx that goes on from the name in `id`, "fp32/fma.rn.f32", or the whole of it.
std::string ptx_after(const std::string& id, const std::string& ptx) {
  const std::size_t space = ptx.find(' '), slash = id.find('/');
  const bool follows = space != std::string::npos && space > 0 && slash != std::string::npos &&
                       id.substr(slash + 1) == ptx.substr(0, space);
  return follows ? ptx.substr(space) : ptx;
}

Json RowWriter::row(const InstructionRecord& row, const DeviceFacts& device) {
  Json out = Json::object();
  out["id"] = row.id;
  if (row.family != row.id.substr(0, row.id.find('/'))) out["family"] = row.family;
  out["ptx"] = ptx_after(row.id, row.ptx);
  put_text(out, "section", row.section);
  put_text(out, "types", row.types);
  if (row.arch != device.arch) out["arch"] = row.arch;
  if (row.outcome != Outcome::Measured) out["outcome"] = word(row.outcome);
  if (!(row.reason == Reason{})) put_list(out, "reason", {row.reason.stage, row.reason.code, row.reason.text});
  if (!row.became.empty()) out["became"] = became(row.became);
  put_list(out, "labels", row.labels);
  put_list(out, "pipes", row.pipes);
  Json estimates = Json::array(), runs = Json::array();
  for (const Estimate& e : row.estimates) estimates.push_back(estimate(e));
  for (const InstructionRun& each : row.runs) runs.push_back(run(each));
  put(out, "estimates", std::move(estimates));
  put(out, "curve", curve(row.curve));
  put(out, "findings", list(row.findings));
  put(out, "runs", std::move(runs));
  put(out, "counters", counters(row.counters));
  put_text(out, "counters_missing", row.counters_missing);
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
  std::string shared;
  const std::pair<const char*, const Pool*> named[] = {
      {"texts", &pools.texts},       {"lists", &pools.lists}, {"opcodes", &pools.opcodes}, {"mixes", &pools.mixes},
      {"controls", &pools.controls}, {"lines", &pools.lines}, {"asks", &pools.asks},       {"kinds", &pools.kinds},
      {"metrics", &pools.metrics},   {"grids", &pools.grids}};
  for (const auto& [name, pool] : named) shared += ",\n\"" + std::string(name) + "\":" + tall(pool->json());
  return "{\"schema\":" + line(to_json_value(instruction_schema)) +
         ",\n\"provenance\":" + line(JsonWriter::write(table.provenance)) +
         ",\n\"device\":" + line(JsonWriter::write(table.device)) + shared + ",\n\"rows\":" + tall(rows) +
         guide_json(table.guide) + "}\n";
}

}  // namespace warpclock
