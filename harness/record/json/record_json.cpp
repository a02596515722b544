#include "record/json/record_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/json/json_reader.hpp"
#include "base/json/json_schema.hpp"
#include "record/json/record_fields.hpp"

namespace warpclock {

struct SchemaVersion {
  int major = 4, minor = 0, patch = 0;
};

void describe(auto& a, Like<SchemaVersion> auto& v) { WARPCLOCK_REQUIRED(major, minor, patch); }

namespace {

/// How a record begins.
std::string head_of(RecordFile file) {
  return "{\"schema\":" + JsonLine::of(SchemaVersion()) + ",\"record\":" + JsonLine::of(std::string(word(file)));
}

/// The archive that writes a record: a member a line, and of a list an element a line.
class RecordText {
 public:
  [[nodiscard]] static std::string of(const Record& record) {
    RecordText text;
    text.out_ = head_of(record.file);
    describe(text, record);
    return text.out_ + "}\n";
  }

  template <class T>
  void required(const char* key, const T& field) {
    begin(key);
    out_ += JsonLine::of(field);
  }
  template <class T>
  void required(const char* key, const std::vector<T>& elements) {
    begin(key);
    out_ += '[';
    for (std::size_t i = 0; i < elements.size(); ++i) (out_ += i > 0 ? ",\n" : "\n") += JsonLine::of(elements[i]);
    out_ += elements.empty() ? "]" : "\n]";
  }
  template <class T>
  void optional(const char* key, const T& field) {
    if (!(field == T{})) required(key, field);
  }

 private:
  void begin(const char* key) { ((out_ += ",\n\"") += key) += "\":"; }

  std::string out_;
};

/// The archive that reads what RecordText wrote, a line at a time: what is parsed of a line stays in the processor's
/// cache, and all lines use the same memory. That of a whole record is several times the record, and most of the time
/// that reading it takes. Gives up at what RecordText does not write, and at what is wrong.
class RecordLines {
 public:
  [[nodiscard]] static std::optional<Record> read(std::string_view text, RecordFile file,
                                                  std::span<const std::string_view> without) {
    Record record{.file = file};
    RecordLines lines(text, without);
    lines.good_ = lines.takes(head_of(file));
    describe(lines, record);
    if (!lines.good_ || lines.left_ != "}\n") return std::nullopt;
    return record;
  }

  template <class T>
  void required(std::string_view key, T& field) {
    good_ = good_ && begins(key);
    if (good_) read_member(field);
  }
  template <class T>
  void optional(std::string_view key, T& field) {
    if (good_ && begins(key)) read_member(field);
  }

 private:
  RecordLines(std::string_view text, std::span<const std::string_view> without)
      : left_(text), reader_(false, without) {}

  /// Whether `text` comes next; then it is behind.
  bool takes(std::string_view text) {
    const bool next = left_.starts_with(text);
    if (next) left_.remove_prefix(text.size());
    return next;
  }

  bool begins(std::string_view key) { return takes(fmt::format(",\n\"{}\":", key)); }

  template <class T>
  void read_member(T& field) {
    // Its last character is the comma or brace behind the value.
    const std::size_t end = left_.find('\n');
    if (end == 0 || end == std::string_view::npos) return static_cast<void>(good_ = false);
    read_value(end - 1, field);
  }

  template <class T>
  void read_member(std::vector<T>& elements) {
    elements.clear();
    good_ = takes("[");
    if (takes("]")) return;
    for (bool more = takes("\n"); more && good_; more = takes(",\n")) {
      const std::size_t end = left_.find('\n');
      if (end == 0 || end == std::string_view::npos) return static_cast<void>(good_ = false);
      read_value(left_[end - 1] == ',' ? end - 1 : end, elements.emplace_back());
    }
    good_ = good_ && takes("\n]");
  }

  template <class T>
  void read_value(std::size_t size, T& out) {
    const bool padded = left_.size() >= size + simdjson::SIMDJSON_PADDING;
    JsonElement value;
    good_ = parser_.parse(left_.data(), size, !padded).get(value) == simdjson::SUCCESS;
    if (!good_) return;
    reader_.read(value, out);
    good_ = reader_.problem() == nullptr;
    left_.remove_prefix(size);
  }

  std::string_view left_;
  bool good_ = true;
  simdjson::dom::parser parser_;
  JsonReader reader_;
};

Expected<JsonDocument> parse_json(std::string_view text, const std::string& place) {
  auto document = JsonDocument::parse(text);
  if (!document) return fail("record", "not JSON: " + document.error().text, place);
  return document;
}

/// Nothing where the text does not say it.
std::optional<RecordFile> file_in(const simdjson::dom::object& object) {
  std::string_view name;
  if (object.at_key("record").get(name) != simdjson::SUCCESS) return std::nullopt;
  for (const RecordFile file : every_record_file)
    if (name == word(file)) return file;
  return std::nullopt;
}

/// The JSON of a record of one of these files. Errors as parse_record().
Expected<JsonDocument> parse_record_file(std::string_view text, const std::vector<RecordFile>& files,
                                         const std::string& place) {
  auto document = WARPCLOCK_TRY(parse_json(text, place));
  simdjson::dom::object object;
  if (document.root().get(object) != simdjson::SUCCESS) return fail("record", "expected an object", place);
  JsonElement schema;
  if (object.at_key("schema").get(schema) != simdjson::SUCCESS)
    return fail("record", "the key 'schema' is missing: this is not a warpclock record", place);
  const RecordFile found = file_in(object).value_or(files.front());
  if (std::ranges::find(files, found) == files.end())
    return fail(ErrorCode::RecordKind,
                fmt::format("this is {}; {} is wanted", words(found), fmt::join(mapped(files, words), " or ")), place);
  JsonReader reader;
  SchemaVersion version;
  reader.read_at("schema", schema, version);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  constexpr int read = SchemaVersion().major;
  if (version.major == read) return document;
  const bool newer = version.major > read;
  return fail("record-version",
              fmt::format("schema {}.{}.{} is {} than this program reads ({}.x.x); {}", version.major, version.minor,
                          version.patch, newer ? "newer" : "older", read,
                          newer ? "update warpclock"
                                : "`.ci/convert-records FILE` of warpclock's repository converts "
                                  "schema 3"),
              place);
}

template <class T>
Expected<T> read_json(const JsonDocument& document, const std::string& place,
                      std::span<const std::string_view> without = {}) {
  JsonReader reader(false, without);
  T out;
  reader.read(document.root(), out);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  return out;
}

}  // namespace

std::string_view words(RecordFile file) {
  static constexpr std::array<std::string_view, 4> all = {
      "a result (result.json)", "an instruction table (instructions.json)", "a machine table (machine.json)",
      "a table of kernels (cases.json)"};
  return all.at(static_cast<std::size_t>(file));
}

Expected<Record> parse_record(std::string_view text, const std::string& place, const Wanted& wanted) {
  static constexpr std::array<std::string_view, 7> most = {"ptx",      "sass",          "samples",    "curve",
                                                           "measures", "premise_rules", "experiments"};
  const std::span<const std::string_view> without(most.data(), wanted.numbers ? most.size() : 0);
  for (const RecordFile file : wanted.files)
    if (auto record = RecordLines::read(text, file, without)) return *std::move(record);
  const auto document = WARPCLOCK_TRY(parse_record_file(text, wanted.files, place));
  auto record = WARPCLOCK_TRY(read_json<Record>(document, place, without));
  record.file = file_in(document.root().get_object().value_unsafe()).value_or(wanted.files.front());
  return record;
}

std::string record_schema() {
  return record_schema_text("warpclock record", JsonSchema::of<SchemaVersion>(), {{"enum", enum_words<RecordFile>}},
                            JsonSchema::of<Record>());
}

std::string to_json_line(const Row& row) { return JsonLine::of(row); }

Expected<Row> parse_row(std::string_view line, const std::string& place) {
  return read_json<Row>(WARPCLOCK_TRY(parse_json(line, place)), place);
}

namespace {

double rounded_cycles(double cycles) {
  constexpr double widest = 1e13;  // beyond, a hundredth has no bits of its own
  return std::abs(cycles) < widest ? std::round(cycles * 100) / 100 : cycles;
}

void round_estimate(Estimate& estimate) {
  for (double* value : {&estimate.value, &estimate.low, &estimate.high}) round_to(*value, 5);
}

void round_cell(IssueCell& cell) {
  for (double* value : {&cell.cycles, &cell.low, &cell.high}) round_to(*value, 5);
  for (auto& [n, cycles] : cell.curve) cycles = rounded_cycles(cycles);
}

void round_run(InstructionRun& run) {
  constexpr std::size_t hash_characters = 8;  // distinguishes the windows of a table
  if (run.sass_hash.size() > hash_characters) run.sass_hash.resize(hash_characters);
  if (run.encoded_cycles) round_to(*run.encoded_cycles, 5);
  for (auto& [companion, cycles] : run.via) round_to(cycles, 5);
  for (auto& [warps, samples] : run.samples) {
    for (Series& series : samples) {
      for (double& cycles : series.cycles) cycles = rounded_cycles(cycles);
    }
  }
}

void round_row(Row& row) {
  for (Estimate& e : row.estimates) round_estimate(e);
  for (OperandPath& path : row.machine.paths) round_to(path.through_cycles, 5);
  std::ranges::for_each(row.machine.cells, round_cell);
  if (row.kind != RowKind::Ptx) return;
  std::ranges::for_each(row.instruction.runs, round_run);
  for (ThroughputPoint& point : row.instruction.curve) round_to(point.rate, 5);
  for (auto& [metric, value] : row.counters) round_to(value, 6);
  for (double* value : {&row.clock.sm_mhz, &row.clock.sm_low_mhz, &row.clock.sm_high_mhz, &row.clock.memory_mhz,
                        &row.clock.power_w, &row.clock.temperature_c}) {
    round_to(*value, 5);
  }
}

bool is_rounded(RecordFile file) { return file == RecordFile::Instructions || file == RecordFile::Machine; }

}  // namespace

Record rounded(Record record) {
  if (!is_rounded(record.file)) return record;
  std::ranges::for_each(record.rows, round_row);
  for (GuideLine& line : record.guide.lines) {
    for (double* value : {&line.measured, &line.low, &line.high, &line.ratio}) round_to(*value, 6);
  }
  return record;
}

std::string to_json(const Record& record) {
  return is_rounded(record.file) ? RecordText::of(rounded(record)) : RecordText::of(record);
}

namespace {

/// A null pointer is no value.
using Values = std::vector<const Json*>;

bool is_array_of_objects(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& each) { return each.is_object(); });
}

Json column_of(const Values& values) {
  const auto all = [&](const auto& is) {
    return std::ranges::all_of(values, [&](const Json* value) { return value == nullptr || is(*value); });
  };
  const bool one = all([](const Json& value) { return value.is_object(); });
  Json counts = Json::array();
  if (!one && !all(is_array_of_objects)) {
    for (const Json* value : values) counts.push_back(value == nullptr ? Json() : *value);
    return counts;
  }
  std::map<std::string, Values> fields;
  std::size_t objects = 0;
  const auto add = [&](const Json& object) {
    for (const auto& [name, field] : object.items()) {
      if (field.is_null()) continue;
      Values& column = fields[name];
      column.resize(objects, nullptr);
      column.push_back(&field);
    }
    ++objects;
  };
  for (const Json* value : values) {
    counts.push_back(value == nullptr ? Json() : Json(one ? 1 : value->size()));
    if (value == nullptr) continue;
    if (one) {
      add(*value);
    } else {
      for (const Json& object : *value) add(object);
    }
  }
  Json of = Json::object();
  for (auto& [name, column] : fields) {
    column.resize(objects, nullptr);
    of[name] = column_of(column);
  }
  Json out = {{"counts", std::move(counts)}, {"of", std::move(of)}};
  if (one) out["one"] = true;
  return out;
}

}  // namespace

Json columns_of(const Json& objects) { return column_of({&objects}); }

}  // namespace warpclock
