#include <cstdint>
#include <utility>

#include "report/instruction_json.hpp"
#include "report/json_reader.hpp"

namespace warpclock {
namespace {

/// Repeated lines and samples are written as a count: a hostile one must not fill the memory.
constexpr std::size_t most_expanded = 20'000'000;

using Mix = std::vector<std::pair<std::string, int>>;

class TableReader {
 public:
  void read(const Json& json, InstructionTable& table);
  [[nodiscard]] const std::string* problem() const { return in_.problem(); }

 private:
  template <class T>
  void get(const Json& object, const char* key, T& out, bool must = false) {
    const auto found = object.find(key);
    if (found != object.end()) {
      in_.read_at(key, *found, out);
    } else if (must) {
      in_.fail(std::string("the key '") + key + "' is missing");
    }
  }
  template <class T>
  void item(const Json& array, std::size_t i, T& out) {
    in_.read_at(index(i), array[i], out);
  }
  /// Whether `value` is an array of `least` elements or more.
  bool is_array(const Json& value, std::size_t least) {
    if (!value.is_array() || value.size() < least) {
      in_.expected("an array of " + std::to_string(least) + " or more", value);
      return false;
    }
    return true;
  }
  /// Calls `body(element)` for the elements of an optional array that are arrays of `least` or more themselves.
  template <class Body>
  void each(const Json& object, const char* key, std::size_t least, Body body) {
    each_any(object, key, [&](const Json& element) {
      if (is_array(element, least)) body(element);
    });
  }
  template <class Body>
  void each_any(const Json& object, const char* key, Body body) {
    const auto found = object.find(key);
    if (found == object.end()) return;
    in_.at(key, [&] {
      if (!is_array(*found, 0)) return;
      for (std::size_t i = 0; i < found->size(); ++i) in_.at(index(i), [&] { body((*found)[i]); });
    });
  }
  static std::string index(std::size_t i) { return '[' + std::to_string(i) + ']'; }

  void text(const Json& object, const char* key, std::string& out);
  const std::string* text_at(const Json& value) { return at(value, texts_, "text"); }
  /// What `value` is the index of, or nullptr.
  template <class T>
  const T* at(const Json& value, const std::vector<T>& pool, const char* what) {
    std::int64_t i = -1;
    in_.read(value, i);
    if (i >= 0 && static_cast<std::uint64_t>(i) < pool.size()) return &pool[static_cast<std::size_t>(i)];
    in_.fail(std::string("no such ") + what);
    return nullptr;
  }
  /// A count of copies that there is room for, else 0.
  std::size_t count(const Json& value, std::size_t each);
  void row(const Json& json, const DeviceFacts& device, InstructionRecord& out);
  void results(const Json& json, InstructionRecord& out);
  void clock(const Json& json, ClockReading& out);
  void run(const Json& json, InstructionRun& out);
  void pools(const Json& json);
  void guide(const Json& json, GuideComparison& out);
  void sass(const Json& element, std::vector<std::string>& out);
  void samples(const Json& element, std::map<int, Samples>& out);
  void series(const Json& json, Series& out);

  JsonReader in_;
  std::vector<std::string> texts_;
  std::vector<std::vector<std::string>> kinds_;
  std::vector<Mix> mixes_;
  std::size_t expanded_ = 0;
};

void TableReader::text(const Json& object, const char* key, std::string& out) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  in_.at(key, [&] {
    if (const std::string* known = text_at(*found)) out = *known;
  });
}

std::size_t TableReader::count(const Json& value, std::size_t each) {
  std::int64_t copies = 0;
  in_.read(value, copies);
  if (copies >= 0 && static_cast<std::uint64_t>(copies) <= (most_expanded - expanded_) / each) {
    expanded_ += static_cast<std::size_t>(copies) * each;
    return static_cast<std::size_t>(copies);
  }
  in_.fail("more than a table can hold");
  return 0;
}

void TableReader::sass(const Json& element, std::vector<std::string>& out) {
  std::vector<std::string> body;
  std::size_t copies = 1;
  if (!element.is_array()) {
    if (const std::string* line = text_at(element)) body.push_back(*line);
  } else if (is_array(element, 2)) {
    copies = count(element[0], element.size() - 1);
    for (std::size_t i = 1; i < element.size(); ++i) {
      if (const std::string* line = text_at(element[i])) body.push_back(*line);
    }
  }
  for (std::size_t i = 0; i < copies; ++i) out.insert(out.end(), body.begin(), body.end());
}

void TableReader::series(const Json& json, Series& out) {
  if (!is_array(json, 2)) return;
  double base = 0;
  item(json, 0, out.n);
  item(json, 1, base);
  for (std::size_t i = 2; i < json.size(); ++i) {
    in_.at(index(i), [&] {
      const bool repeated = json[i].is_array();
      if (repeated && !is_array(json[i], 2)) return;
      double over = 0;
      in_.read(repeated ? json[i][0] : json[i], over);
      out.cycles.insert(out.cycles.end(), repeated ? count(json[i][1], 1) : 1, rounded_cycles(base + over));
    });
  }
}

void TableReader::samples(const Json& element, std::map<int, Samples>& out) {
  int warps = 0;
  item(element, 0, warps);
  Samples& into = out[warps];
  for (std::size_t i = 1; i < element.size(); ++i) {
    in_.at(index(i), [&] { series(element[i], into.emplace_back()); });
  }
}

void TableReader::pools(const Json& json) {
  get(json, "texts", texts_);
  get(json, "kinds", kinds_);
  for (std::vector<std::string>& kind : kinds_) kind.resize(3);
  each(json, "mixes", 0, [&](const Json& array) {
    Mix& mix = mixes_.emplace_back();
    for (std::size_t i = 0; i + 1 < array.size(); i += 2) {
      auto& [opcode, times] = mix.emplace_back();
      item(array, i, opcode);
      item(array, i + 1, times);
    }
  });
}

void TableReader::run(const Json& json, InstructionRun& out) {
  if (!json.is_object()) return in_.expected("an object", json);
  out.verdict = "verified";
  if (!json.contains("measure")) in_.fail("the key 'measure' is missing");
  text(json, "measure", out.measure);
  get(json, "verdict", out.verdict);
  text(json, "text", out.text);
  text(json, "note", out.note);
  get(json, "trick", out.trick);
  get(json, "hash", out.sass_hash);
  if (const auto found = json.find("mix"); found != json.end()) {
    in_.at("mix", [&] {
      if (const Mix* mix = at(*found, mixes_, "mix")) out.opcodes = *mix;
    });
  }
  each_any(json, "sass", [&](const Json& element) { sass(element, out.sass); });
  get(json, "encoded", out.encoded_cycles);
  each(json, "via", 2, [&](const Json& pair) {
    auto& [companion, cycles] = out.via.emplace_back();
    item(pair, 0, companion);
    item(pair, 1, cycles);
  });
  each(json, "samples", 1, [&](const Json& element) { samples(element, out.samples); });
}

void TableReader::clock(const Json& json, ClockReading& out) {
  const auto found = json.find("clock");
  if (found == json.end()) return;
  in_.at("clock", [&] {
    if (!is_array(*found, 4)) return;
    double* const numbers[] = {&out.sm_mhz, &out.memory_mhz, &out.power_w, &out.temperature_c};
    for (std::size_t i = 0; i < 4; ++i) item(*found, i, *numbers[i]);
    for (std::size_t i = 4; i < found->size(); ++i) item(*found, i, out.throttle.emplace_back());
  });
}

void TableReader::results(const Json& json, InstructionRecord& out) {
  each(json, "estimates", 5, [&](const Json& array) {
    const auto* const kind = at(array[0], kinds_, "kind");
    if (!kind) return;
    Estimate& e = out.estimates.emplace_back();
    e.name = (*kind)[0], e.unit = (*kind)[1], e.method = (*kind)[2];
    double* const numbers[] = {&e.value, &e.low, &e.high};
    for (std::size_t i = 0; i < 3; ++i) item(array, 1 + i, *numbers[i]);
    item(array, 4, e.n);
    if (array.size() > 5) item(array, 5, e.note);
  });
  each(json, "curve", 5, [&](const Json& array) {
    ThroughputPoint& p = out.curve.emplace_back();
    item(array, 0, p.warps);
    item(array, 1, p.ilp);
    double* const numbers[] = {&p.rate, &p.low, &p.high};
    for (std::size_t i = 0; i < 3; ++i) item(array, 2 + i, *numbers[i]);
  });
  each_any(json, "runs", [&](const Json& element) { run(element, out.runs.emplace_back()); });
}

void TableReader::row(const Json& json, const DeviceFacts& device, InstructionRecord& out) {
  if (!json.is_object()) return in_.expected("an object", json);
  get(json, "id", out.id, true);
  out.family = out.id.substr(0, out.id.find('/'));
  out.arch = device.arch;
  get(json, "family", out.family);
  get(json, "ptx", out.ptx, true);
  text(json, "section", out.section);
  get(json, "types", out.types);
  get(json, "arch", out.arch);
  get(json, "outcome", out.outcome);
  std::vector<std::string> reason;
  get(json, "reason", reason);
  reason.resize(3);
  out.reason = {reason[0], reason[1], reason[2]};
  get(json, "became", out.became);
  get(json, "labels", out.labels);
  get(json, "pipes", out.pipes);
  results(json, out);
  get(json, "findings", out.findings);
  get(json, "counters", out.counters);
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
  const auto json = parse_record_file(text, instruction_schema, place);
  if (!json) return std::unexpected(json.error());
  InstructionTable table;
  TableReader reader;
  reader.read(*json, table);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  return table;
}

}  // namespace warpclock
