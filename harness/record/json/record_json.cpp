#include "record/json/record_json.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plan/sweep.hpp"
#include "record/json/json_writer.hpp"
#include "record/json/row_json.hpp"

namespace warpclock {
namespace {

class CaseWriter {
 public:
  Json row(const CaseRecord& row);
  /// What the rows written so far share, as members of the file's object.
  [[nodiscard]] std::string members() const;

 private:
  std::size_t group(const CaseRecord& row);
  std::size_t kernel(const CaseRecord& row);
  Json ptx(const std::string& text);
  Json estimates(const std::vector<Estimate>& all);
  Json premises(const std::vector<Premise>& all);
  Json named(const std::map<std::string, double>& values);
  template <class T>
  Json indexes(JsonPool& pool, const std::vector<T>& all) {
    Json out = Json::array();
    for (const T& each : all) out.push_back(pool.index(JsonWriter::write(each)));
    return out;
  }

  JsonPool texts_, groups_, reasons_, ptx_, kernels_, measures_, rules_, kinds_, judgements_, names_;
  CodeWriter code_;
};

std::size_t CaseWriter::group(const CaseRecord& row) {
  Json names = Json::array();
  for (const auto& parameter : row.parameters) names.push_back(parameter.first);
  return groups_.index(Json::array({row.probe, row.family, row.arch, std::move(names)}));
}

Json CaseWriter::ptx(const std::string& text) {
  std::vector<std::size_t> lines;
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(ptx_.index(text.substr(at, end == std::string::npos ? end : end - at)));
    at = end == std::string::npos ? end : end + 1;
  }
  return repeats_json(lines);
}

std::size_t CaseWriter::kernel(const CaseRecord& row) {
  const WindowRecord& window = row.window;
  Json out = Json::object();
  if (!window.verdict.empty()) out["verdict"] = window.verdict;
  if (!window.label.empty()) out["label"] = window.label;
  if (!window.opcodes.empty()) out["mix"] = code_.mix(window.opcodes);
  if (!window.sass_hash.empty()) out["hash"] = window.sass_hash;
  if (window.encoded_cycles) out["encoded"] = JsonWriter::write(*window.encoded_cycles);
  put(out, "sass", code_.sass(window.sass));
  if (!row.ptx.empty()) out["ptx"] = ptx(row.ptx);
  return kernels_.index(out);
}

Json CaseWriter::estimates(const std::vector<Estimate>& all) {
  Json out = Json::array();
  for (const Estimate& e : all) {
    Json& one = out.emplace_back(
        Json::array({kinds_.index(Json::array({e.name, e.unit, e.method, e.n, e.note})), JsonWriter::write(e.value)}));
    if (e.low == e.value && e.high == e.value) continue;
    one.push_back(JsonWriter::write(e.low));
    one.push_back(JsonWriter::write(e.high));
  }
  return out;
}

Json CaseWriter::premises(const std::vector<Premise>& all) {
  Json out = Json::array();
  for (const Premise& p : all) {
    out.push_back(Json::array(
        {judgements_.index(Json::array({p.text, p.known, p.held, p.why_unknown})), JsonWriter::write(p.value)}));
  }
  return out;
}

Json CaseWriter::named(const std::map<std::string, double>& values) {
  Json out = Json::array();
  for (const auto& [name, value] : values) {
    out.push_back(names_.index(name));
    out.push_back(JsonWriter::write(value));
  }
  return out;
}

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(JsonWriter::write(value));
  return out;
}

Json samples_json(const Samples& samples) {
  Json out = Json::array();
  for (const Series& series : samples) {
    Json& one = out.emplace_back(Json::array({series.n}));
    for (const double cycles : series.cycles) one.push_back(JsonWriter::write(cycles));
  }
  return out;
}

Json CaseWriter::row(const CaseRecord& row) {
  Json out = Json::object();
  if (row.id != id_of(row.probe, row.parameters)) out["id"] = row.id;
  out["group"] = group(row);
  Json values = Json::array();
  for (const auto& parameter : row.parameters) {
    values.push_back(std::visit([](const auto& v) { return JsonWriter::write(v); }, parameter.second));
  }
  put(out, "at", std::move(values));
  if (row.outcome != Outcome::Measured) out["outcome"] = JsonWriter::write(row.outcome);
  if (!(row.reason == Reason{})) {
    out["reason"] = reasons_.index(Json::array({row.reason.stage, row.reason.code, row.reason.text}));
  }
  put(out, "estimates", estimates(row.estimates));
  put(out, "premises", premises(row.premises));
  if (!(row.window == WindowRecord{}) || !row.ptx.empty()) out["kernel"] = kernel(row);
  put(out, "measures", indexes(measures_, row.measures));
  put(out, "rules", indexes(rules_, row.premise_rules));
  put(out, "samples", samples_json(row.samples));
  put(out, "facts", named(row.facts));
  put(out, "places", numbers(row.places));
  put(out, "counters", named(row.counters));
  if (!row.counters_missing.empty()) out["counters_missing"] = texts_.index(row.counters_missing);
  put(out, "clock", clock_json(row.clock));
  put(out, "sharing", sharing_json(row.clock));
  return out;
}

std::string CaseWriter::members() const {
  return member("texts", texts_.json()) + member("groups", groups_.json()) + member("reasons", reasons_.json()) +
         code_.members() + member("ptx", ptx_.json()) + member("kernels", kernels_.json()) +
         member("measures", measures_.json()) + member("rules", rules_.json()) + member("kinds", kinds_.json()) +
         member("judgements", judgements_.json()) + member("names", names_.json());
}

}  // namespace

std::string to_json(const Record& record) {
  CaseWriter writer;
  Json cases = Json::array();
  for (const CaseRecord& row : record.cases) cases.push_back(writer.row(row));
  return "{\"schema\":" + compact(to_json_value(schema_version)) +
         ",\n\"provenance\":" + compact(JsonWriter::write(record.provenance)) +
         ",\n\"device\":" + compact(JsonWriter::write(record.device)) +
         member("probes", JsonWriter::write(record.probes)) + member("metrics", JsonWriter::write(record.metrics)) +
         member("features", JsonWriter::write(record.features)) + writer.members() + member("cases", cases) + "}\n";
}

std::string to_json_line(const CaseRecord& record) { return compact(JsonWriter::write(record)); }

}  // namespace warpclock
