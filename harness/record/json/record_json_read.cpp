#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/sweep.hpp"
#include "record/json/record_json.hpp"
#include "record/json/record_json_first.hpp"
#include "record/json/row_json.hpp"

namespace warpclock {
namespace {

/// What cases of a probe share.
struct Group {
  std::string probe, family, arch;
  std::vector<std::string> names;

  [[nodiscard]] std::size_t size() const { return names.size(); }
};

struct TimedKernel {
  WindowRecord window;
  std::string ptx;

  /// In pieces of the size of a line: what a case that mentions it costs.
  [[nodiscard]] std::size_t size() const {
    std::size_t bytes = ptx.size();
    for (const std::string& line : window.sass) bytes += line.size();
    return bytes / 64;
  }
};

class RecordReader : RowReader {
 public:
  void read(const Json& json, Record& record);
  using ElementReader::problem;

 private:
  void pools(const Json& json);
  void kernel(const Json& json, TimedKernel& out);
  void row(const Json& json, CaseRecord& out);
  void place(const Json& json, CaseRecord& out);
  void results(const Json& json, CaseRecord& out);
  void named(const Json& json, const char* key, std::map<std::string, double>& out);
  template <class T>
  void indexes(const Json& json, const char* key, const std::vector<T>& pool, const char* what, std::vector<T>& out) {
    each_any(json, key, [&](const Json& index) {
      if (const T* known = at(index, pool, what)) out.push_back(*known);
    });
  }

  std::vector<std::string> texts_, ptx_, names_;
  std::vector<Group> groups_;
  std::vector<Reason> reasons_;
  std::vector<TimedKernel> kernels_;
  std::vector<Measure> measures_;
  std::vector<PremiseRule> rules_;
  std::vector<Estimate> kinds_;
  std::vector<Premise> judgements_;
};

void RecordReader::kernel(const Json& json, TimedKernel& out) {
  if (!json.is_object()) return in_.expected("an object", json);
  get(json, "verdict", out.window.verdict);
  get(json, "label", out.window.label);
  mix(json, "mix", out.window.opcodes);
  get(json, "hash", out.window.sass_hash);
  get(json, "encoded", out.window.encoded_cycles);
  sass(json, out.window.sass);
  std::vector<std::string> lines;
  repeated(json, "ptx", ptx_, lines);
  for (std::size_t i = 0; i < lines.size(); ++i) out.ptx += (i == 0 ? "" : "\n") + lines[i];
}

void RecordReader::pools(const Json& json) {
  get(json, "texts", texts_);
  each(json, "groups", 4, [&](const Json& array) {
    Group& group = groups_.emplace_back();
    item(array, 0, group.probe);
    item(array, 1, group.family);
    item(array, 2, group.arch);
    item(array, 3, group.names);
  });
  each(json, "reasons", 3, [&](const Json& array) {
    Reason& reason = reasons_.emplace_back();
    item(array, 0, reason.stage);
    item(array, 1, reason.code);
    item(array, 2, reason.text);
  });
  read_code(json);
  get(json, "ptx", ptx_);
  each_any(json, "kernels", [&](const Json& element) { kernel(element, kernels_.emplace_back()); });
  get(json, "measures", measures_);
  get(json, "rules", rules_);
  each(json, "kinds", 5, [&](const Json& array) {
    Estimate& kind = kinds_.emplace_back();
    item(array, 0, kind.name);
    item(array, 1, kind.unit);
    item(array, 2, kind.method);
    item(array, 3, kind.n);
    item(array, 4, kind.note);
  });
  each(json, "judgements", 4, [&](const Json& array) {
    Premise& premise = judgements_.emplace_back();
    item(array, 0, premise.text);
    item(array, 1, premise.known);
    item(array, 2, premise.held);
    item(array, 3, premise.why_unknown);
  });
  get(json, "names", names_);
}

/// Where the case is: its probe and parameters.
void RecordReader::place(const Json& json, CaseRecord& out) {
  Group group;
  if (!json.contains("group")) return in_.fail("the key 'group' is missing");
  shared(json, "group", groups_, "group", group);
  out.probe = group.probe;
  out.family = group.family;
  out.arch = group.arch;
  std::size_t values = 0;
  each_any(json, "at", [&](const Json& value) {
    if (values == group.names.size()) return in_.fail("the group has fewer parameters");
    Value parameter;
    if (value.is_string()) {
      in_.read(value, parameter.emplace<std::string>());
    } else {
      in_.read(value, parameter.emplace<std::int64_t>());
    }
    out.parameters.emplace_back(group.names[values++], std::move(parameter));
  });
  if (values != group.names.size()) in_.fail("a parameter of the group has no value");
  out.id = id_of(out.probe, out.parameters);
  get(json, "id", out.id);
}

void RecordReader::named(const Json& json, const char* key, std::map<std::string, double>& out) {
  const auto found = json.find(key);
  if (found == json.end()) return;
  in_.at(key, [&] {
    if (!is_array(*found, 0)) return;
    if (found->size() % 2 != 0) return in_.fail("a name has no value");
    for (std::size_t i = 0; i < found->size(); i += 2) {
      if (const std::string* name = at((*found)[i], names_, "name")) item(*found, i + 1, out[*name]);
    }
  });
}

void RecordReader::results(const Json& json, CaseRecord& out) {
  each(json, "estimates", 2, [&](const Json& array) {
    Estimate& estimate = out.estimates.emplace_back();
    if (const Estimate* kind = at(array[0], kinds_, "kind")) estimate = *kind;
    item(array, 1, estimate.value);
    estimate.low = estimate.high = estimate.value;
    if (array.size() < 4) return;
    item(array, 2, estimate.low);
    item(array, 3, estimate.high);
  });
  each(json, "premises", 2, [&](const Json& array) {
    Premise& premise = out.premises.emplace_back();
    if (const Premise* judged = at(array[0], judgements_, "judgement")) premise = *judged;
    item(array, 1, premise.value);
  });
  each(json, "samples", 1, [&](const Json& array) {
    Series& series = out.samples.emplace_back();
    item(array, 0, series.n);
    series.cycles.resize(array.size() - 1);
    for (std::size_t i = 1; i < array.size(); ++i) item(array, i, series.cycles[i - 1]);
  });
  named(json, "facts", out.facts);
  get(json, "places", out.places);
  named(json, "counters", out.counters);
}

void RecordReader::row(const Json& json, CaseRecord& out) {
  if (!json.is_object()) return in_.expected("an object", json);
  place(json, out);
  get(json, "outcome", out.outcome);
  shared(json, "reason", reasons_, "reason", out.reason);
  results(json, out);
  if (const auto found = json.find("kernel"); found != json.end()) {
    in_.at("kernel", [&] {
      const TimedKernel* known = at(*found, kernels_, "kernel");
      if (known == nullptr) return;
      out.window = known->window;
      out.ptx = known->ptx;
    });
  }
  indexes(json, "measures", measures_, "measure", out.measures);
  indexes(json, "rules", rules_, "rule", out.premise_rules);
  shared(json, "counters_missing", texts_, "text", out.counters_missing);
  clock(json, out.clock);
}

void RecordReader::read(const Json& json, Record& record) {
  get(json, "provenance", record.provenance, true);
  get(json, "device", record.device, true);
  get(json, "probes", record.probes, true);
  get(json, "metrics", record.metrics);
  get(json, "features", record.features);
  pools(json);
  if (!json.contains("cases")) in_.fail("the key 'cases' is missing");
  each_any(json, "cases", [&](const Json& element) { row(element, record.cases.emplace_back()); });
}

template <class Reader>
Expected<Record> read_with(Reader reader, const Json& json, const std::string& place) {
  Record record;
  reader.read(json, record);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  return record;
}

}  // namespace

Expected<Record> parse_record(std::string_view text, const std::string& place) {
  constexpr int oldest = 1;
  const auto json = parse_record_file(text, RecordFile::Result, schema_version, place, oldest);
  if (!json) return std::unexpected(json.error());
  if (json->at("schema").at("major") == oldest) return read_with(FirstRecordReader(), *json, place);
  return read_with(RecordReader(), *json, place);
}

Expected<CaseRecord> parse_case_record(std::string_view line, const std::string& place) {
  const auto json = parse_json(line, place);
  if (!json) return std::unexpected(json.error());
  JsonReader reader;
  CaseRecord record;
  reader.read(*json, record);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  return record;
}

}  // namespace warpclock
