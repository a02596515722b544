#include <cstdint>
#include <utility>

#include "record/json/instruction_json.hpp"
#include "record/json/row_json.hpp"

namespace warpclock {
namespace {

class TableReader : RowReader {
 public:
  void read(const Json& json, InstructionTable& table);
  using ElementReader::problem;

 private:
  void row(const Json& json, const DeviceFacts& device, InstructionRecord& out);
  void lists(const Json& json, InstructionRecord& out);
  void became(const Json& json, std::vector<std::string>& out);
  void results(const Json& json, InstructionRecord& out);
  void run(const Json& json, InstructionRun& out);
  void evidence(const Json& json, InstructionRun& out);
  void pools(const Json& json);
  void guide(const Json& json, GuideComparison& out);
  void samples(const Json& json, std::map<int, Samples>& out);
  void series(const Json& json, std::int64_t launches, Series& out);

  std::vector<std::string> metrics_;
  std::vector<std::vector<std::string>> lists_, asks_;
  std::vector<std::vector<std::vector<std::int64_t>>> grids_;
};

void TableReader::series(const Json& json, std::int64_t launches, Series& out) {
  double base = 0;
  if (!json.is_array()) {
    in_.read(json, base);
    out.cycles.assign(count(launches, 1), rounded_cycles(base));
  } else if (is_array(json, 1)) {
    item(json, 0, base);
    for (std::size_t i = 1; i < json.size(); ++i) {
      double over = 0;
      item(json, i, over);
      out.cycles.push_back(rounded_cycles(base + over));
    }
  }
}

void TableReader::samples(const Json& json, std::map<int, Samples>& out) {
  const auto found = json.find("samples");
  if (found == json.end()) return;
  in_.at("samples", [&] {
    if (!is_array(*found, 1)) return;
    const auto* const grid = at((*found)[0], grids_, "grid");
    if (!grid) return;
    if (grid->size() + 1 != found->size()) return in_.fail("the grid has another number of series");
    for (std::size_t i = 0; i < grid->size(); ++i) {
      const std::vector<std::int64_t>& place = (*grid)[i];
      if (place.size() < 3) return in_.fail("the grid is none of samples");
      Series& one = out[static_cast<int>(place[0])].emplace_back();
      one.n = place[1];
      in_.at(index(i + 1), [&] { series((*found)[i + 1], place[2], one); });
    }
  });
}

void TableReader::pools(const Json& json) {
  read_estimates(json);
  get(json, "lists", lists_);
  read_code(json);
  get(json, "metrics", metrics_);
  get(json, "grids", grids_);
  get(json, "asks", asks_);
  for (std::vector<std::string>& ask : asks_) ask.resize(3);
}

void TableReader::run(const Json& json, InstructionRun& out) {
  if (!is_array(json, 3)) return;
  if (const auto* ask = at(json[0], asks_, "ask")) {
    out.measure = (*ask)[0], out.verdict = (*ask)[1], out.trick = (*ask)[2];
  }
  item(json, 1, out.sass_hash);
  mix(json[2], out.opcodes);
  if (json.size() > 3) in_.at(index(3), [&] { evidence(json[3], out); });
}

void TableReader::evidence(const Json& json, InstructionRun& out) {
  if (!json.is_object()) return in_.expected("an object", json);
  text(json, "text", out.text);
  text(json, "note", out.note);
  get(json, "trips", out.trips);
  sass(json, out.sass);
  get(json, "encoded", out.encoded_cycles);
  each(json, "via", 2, [&](const Json& pair) {
    auto& [companion, cycles] = out.via.emplace_back();
    item(pair, 0, companion);
    item(pair, 1, cycles);
  });
  samples(json, out.samples);
}

void TableReader::results(const Json& json, InstructionRecord& out) {
  each(json, "estimates", 2, [&](const Json& array) { estimate(array, out.estimates.emplace_back()); });
  if (const auto found = json.find("curve"); found != json.end()) {
    in_.at("curve", [&] {
      if (!is_array(*found, 1)) return;
      const auto* const grid = at((*found)[0], grids_, "grid");
      if (!grid) return;
      if (grid->size() + 1 != found->size()) return in_.fail("the grid has another number of points");
      for (std::size_t i = 0; i < grid->size(); ++i) {
        if ((*grid)[i].size() < 2) return in_.fail("the grid is none of points");
        ThroughputPoint& p = out.curve.emplace_back();
        p.warps = static_cast<int>((*grid)[i][0]), p.ilp = static_cast<int>((*grid)[i][1]);
        item(*found, i + 1, p.rate);
      }
    });
  }
  if (const auto found = json.find("counters"); found != json.end()) {
    in_.at("counters", [&] {
      if (!is_array(*found, 0)) return;
      for (std::size_t i = 0; i + 1 < found->size(); i += 2) {
        if (const std::string* metric = at((*found)[i], metrics_, "metric")) item(*found, i + 1, out.counters[*metric]);
      }
    });
  }
  each_any(json, "runs", [&](const Json& element) { run(element, out.runs.emplace_back()); });
}

void TableReader::became(const Json& json, std::vector<std::string>& out) {
  OpcodeMix counted;
  mix(json, "became", counted);
  for (const auto& one : counted) {
    in_.at("became", [&] { out.insert(out.end(), count(one.second, 1), one.first); });
  }
}

void TableReader::lists(const Json& json, InstructionRecord& out) {
  std::vector<std::string> reason;
  shared(json, "reason", lists_, "list", reason);
  reason.resize(3);
  out.reason = {reason[0], reason[1], reason[2]};
  became(json, out.became);
  shared(json, "labels", lists_, "list", out.labels);
  shared(json, "pipes", lists_, "list", out.pipes);
}

void TableReader::row(const Json& json, const DeviceFacts& device, InstructionRecord& out) {
  if (!json.is_object()) return in_.expected("an object", json);
  get(json, "id", out.id, true);
  const std::size_t slash = out.id.find('/');
  out.family = out.id.substr(0, slash);
  out.arch = device.arch;
  get(json, "family", out.family);
  get(json, "ptx", out.ptx, true);
  if (out.ptx.starts_with(' ') && slash != std::string::npos) out.ptx = out.id.substr(slash + 1) + out.ptx;
  text(json, "section", out.section);
  text(json, "types", out.types);
  get(json, "arch", out.arch);
  get(json, "outcome", out.outcome);
  lists(json, out);
  results(json, out);
  get(json, "findings", out.findings);
  text(json, "counters_missing", out.counters_missing);
  clock(json, out.clock);
}

void TableReader::guide(const Json& json, GuideComparison& out) {
  get(json, "guide_title", out.title);
  get(json, "guide_missing", out.missing);
  each_any(json, "guide", [&](const Json& element) {
    if (!element.is_object()) return in_.expected("an object", element);
    GuideLine& line = out.lines.emplace_back();
    get(element, "row", line.row, true);
    get(element, "short", line.brief, true);
    get(element, "operation", line.operation, true);
    get(element, "id", line.id, true);
    get(element, "results", line.results);
    get(element, "documented", line.documented);
    get(element, "several", line.several);
    std::vector<double> measured;
    get(element, "measured", measured);
    measured.resize(3);
    line.measured = measured[0], line.low = measured[1], line.high = measured[2];
    get(element, "ratio", line.ratio);
    get(element, "verdict", line.verdict, true);
    get(element, "trick", line.trick);
    get(element, "source", line.source);
    get(element, "because", line.because);
    get(element, "unconfirmed", line.unconfirmed);
    get(element, "why", line.why);
  });
}

void TableReader::read(const Json& json, InstructionTable& table) {
  get(json, "provenance", table.provenance, true);
  get(json, "device", table.device, true);
  pools(json);
  if (!json.contains("rows")) in_.fail("the key 'rows' is missing");
  each_any(json, "rows", [&](const Json& element) { row(element, table.device, table.rows.emplace_back()); });
  guide(json, table.guide);
}

}  // namespace

Expected<InstructionTable> read_instruction_table(std::string_view text, const std::string& place) {
  const auto json = parse_record_file(text, RecordFile::Instructions, instruction_schema, place);
  if (!json) return std::unexpected(json.error());
  InstructionTable table;
  TableReader reader;
  reader.read(*json, table);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  return table;
}

}  // namespace warpclock
