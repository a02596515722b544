#include "record/json/instruction_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "record/json/json_writer.hpp"
#include "record/json/row_json.hpp"

namespace warpclock {
namespace {

struct Pools {
  JsonPool texts, lists;
  CodeWriter code;
  JsonPool asks, kinds, metrics, grids;
};

Json list(const std::vector<std::string>& words) { return JsonWriter::write(words); }

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

  Json became(const std::vector<std::string>& opcodes);
  Json samples(const std::map<int, Samples>& by_warps);
  Json run(const InstructionRun& run);
  Json curve(const std::vector<ThroughputPoint>& points);
  Json counters(const std::map<std::string, double>& counters);

  Pools& pools_;
};

Json RowWriter::became(const std::vector<std::string>& opcodes) {
  OpcodeMix counted;
  for (const std::string& each : opcodes) {
    if (counted.empty() || counted.back().first != each) counted.emplace_back(each, 0);
    ++counted.back().second;
  }
  return pools_.code.mix(counted);
}

/// The least sample, or 0 where differences to it would not bring back the same samples.
double base_of(const std::vector<double>& cycles) {
  constexpr double widest = 1e12;
  const auto fits = [](double each) { return std::abs(each) < widest; };
  return cycles.empty() || !std::ranges::all_of(cycles, fits) ? 0 : *std::ranges::min_element(cycles);
}

Json series_json(const std::vector<double>& cycles) {
  const auto same = [&](double each) { return each == cycles.front(); };
  if (!cycles.empty() && std::ranges::all_of(cycles, same)) return JsonWriter::write(cycles.front());
  const double base = base_of(cycles);
  Json out = Json::array({JsonWriter::write(base)});
  for (const double each : cycles) out.push_back(JsonWriter::write(rounded_cycles(each - base)));
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
  Json out = Json::array({pools_.asks.index(Json::array({run.measure, run.verdict, run.trick})), run.sass_hash,
                          pools_.code.mix(run.opcodes)});
  Json rest = Json::object();
  put_text(rest, "text", run.text);
  put_text(rest, "note", run.note);
  if (run.trips > 1) rest["trips"] = run.trips;
  put(rest, "sass", pools_.code.sass(run.sass));
  if (run.encoded_cycles) rest["encoded"] = JsonWriter::write(*run.encoded_cycles);
  Json via = Json::array();
  for (const auto& [companion, cycles] : run.via) via.push_back(Json::array({companion, JsonWriter::write(cycles)}));
  put(rest, "via", std::move(via));
  put(rest, "samples", samples(run.samples));
  if (!rest.empty()) out.push_back(std::move(rest));
  return out;
}

Json RowWriter::curve(const std::vector<ThroughputPoint>& points) {
  if (points.empty()) return Json::array();
  Json grid = Json::array(), out = Json::array({0});
  for (const ThroughputPoint& p : points) {
    grid.push_back(Json::array({p.warps, p.ilp}));
    out.push_back(JsonWriter::write(p.rate));
  }
  out[0] = pools_.grids.index(grid);
  return out;
}

Json RowWriter::counters(const std::map<std::string, double>& counters) {
  Json out = Json::array();
  for (const auto& [metric, value] : counters) {
    out.push_back(pools_.metrics.index(metric));
    out.push_back(JsonWriter::write(value));
  }
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
  for (const Estimate& e : row.estimates) estimates.push_back(estimate_json(e, pools_.kinds, pools_.texts));
  for (const InstructionRun& each : row.runs) runs.push_back(run(each));
  put(out, "estimates", std::move(estimates));
  put(out, "curve", curve(row.curve));
  put(out, "findings", list(row.findings));
  put(out, "runs", std::move(runs));
  put(out, "counters", counters(row.counters));
  put_text(out, "counters_missing", row.counters_missing);
  put(out, "clock", clock_json(row.clock));
  put(out, "sharing", sharing_json(row.clock));
  return out;
}

Json guide_line(const GuideLine& line) {
  Json out = Json::object();
  out["row"] = line.row;
  out["short"] = line.brief;
  out["operation"] = line.operation;
  out["id"] = line.id;
  if (line.results != 1) out["results"] = line.results;
  if (line.documented > 0) out["documented"] = JsonWriter::write(line.documented);
  if (line.several) out["several"] = true;
  if (line.measured > 0)
    out["measured"] =
        Json::array({JsonWriter::write(line.measured), JsonWriter::write(line.low), JsonWriter::write(line.high)});
  if (line.ratio > 0) out["ratio"] = JsonWriter::write(line.ratio);
  out["verdict"] = line.verdict;
  put(out, "trick", line.trick);
  put(out, "source", line.source);
  put(out, "because", line.because);
  put(out, "unconfirmed", line.unconfirmed);
  put(out, "why", line.why);
  return out;
}

std::string guide_json(const GuideComparison& guide) {
  std::string out;
  if (!guide.title.empty()) out += ",\n\"guide_title\":" + compact(guide.title);
  if (!guide.missing.empty()) out += ",\n\"guide_missing\":" + compact(guide.missing);
  Json lines = Json::array();
  for (const GuideLine& each : guide.lines) lines.push_back(guide_line(each));
  return lines.empty() ? out : out + member("guide", lines);
}

}  // namespace

std::string to_json(const InstructionTable& measured) {
  const InstructionTable table = rounded(measured);
  Pools pools;
  Json rows = Json::array();
  for (const InstructionRecord& each : table.rows) rows.push_back(RowWriter(pools).row(each, table.device));
  const std::string shared = member("texts", pools.texts.json()) + member("lists", pools.lists.json()) +
                             pools.code.members() + member("asks", pools.asks.json()) +
                             member("kinds", pools.kinds.json()) + member("metrics", pools.metrics.json()) +
                             member("grids", pools.grids.json());
  return "{\"schema\":" + compact(to_json_value(instruction_schema)) +
         ",\n\"provenance\":" + compact(JsonWriter::write(table.provenance)) +
         ",\n\"device\":" + compact(JsonWriter::write(table.device)) + shared + member("rows", rows) +
         guide_json(table.guide) + "}\n";
}

}  // namespace warpclock
