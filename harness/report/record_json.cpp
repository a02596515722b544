#include "report/record_json.hpp"

#include <fmt/format.h>

#include <map>

#include "report/json_reader.hpp"
#include "report/json_writer.hpp"

namespace warpclock {

template <class Archive, Like<Record> T>
void describe(Archive& a, T& v) {
  a.required("provenance", v.provenance);
  a.required("device", v.device);
  a.required("probes", v.probes);
  a.optional("metrics", v.metrics);
  a.required("cases", v.cases);
  a.optional("features", v.features);
}

namespace {

/// Replaces the value of `key` by the id of the first case that had the same value.
class Seen {
 public:
  Seen(const char* key, const char* reference) : key_(key), reference_(reference) {}

  void shorten(Json& object, const std::string& id) {
    const auto found = object.find(key_);
    if (found == object.end()) return;
    const auto [first, added] = first_.try_emplace(found->dump(-1, ' ', false, Json::error_handler_t::replace), id);
    if (added) return;
    Json shortened = Json::object();
    for (const auto& item : object.items()) {
      if (item.key() == key_) {
        shortened[reference_] = first->second;
      } else {
        shortened[item.key()] = item.value();
      }
    }
    object = std::move(shortened);
  }

 private:
  const char* key_;
  const char* reference_;
  std::map<std::string, std::string> first_;
};

/// Undoes what Seen did: copies `field` of the earlier case that `reference` names.
template <class Field>
void resolve(JsonReader& reader, const Json& object, const char* reference, const Record& record,
             const std::map<std::string, std::size_t>& earlier, Field field, CaseRecord& into) {
  if (!object.is_object()) return;
  const auto found = object.find(reference);
  if (found == object.end()) return;
  std::string id;
  reader.read_at(reference, *found, id);
  const auto place = earlier.find(id);
  if (place == earlier.end()) return reader.fail(fmt::format("{}: no earlier case '{}'", reference, id));
  field(into) = field(record.cases[place->second]);
}

void resolve_references(JsonReader& reader, const Json& cases, Record& record) {
  std::map<std::string, std::size_t> earlier;
  for (std::size_t i = 0; i < record.cases.size() && !reader.problem(); ++i) {
    CaseRecord& into = record.cases[i];
    const Json& json = cases[i];
    const auto ptx = [](auto& c) -> auto& { return c.ptx; };
    const auto sass = [](auto& c) -> auto& { return c.window.sass; };
    resolve(reader, json, "ptx_of", record, earlier, ptx, into);
    if (const auto window = json.find("window"); window != json.end()) {
      resolve(reader, *window, "sass_of", record, earlier, sass, into);
    }
    earlier.try_emplace(into.id, i);
  }
}

}  // namespace

std::string to_json(const Record& record) {
  Json out = Json::object();
  out["schema"] = to_json_value(schema_version);
  const Json body = JsonWriter::write(record);
  for (const auto& item : body.items()) out[item.key()] = item.value();
  Seen sass("sass", "sass_of"), ptx("ptx", "ptx_of");
  for (std::size_t i = 0; i < record.cases.size(); ++i) {
    Json& one = out["cases"][i];
    ptx.shorten(one, record.cases[i].id);
    if (const auto window = one.find("window"); window != one.end()) sass.shorten(*window, record.cases[i].id);
  }
  return pretty(out);
}

Expected<Record> parse_record(std::string_view text, const std::string& place) {
  const auto json = parse_record_file(text, schema_version, place);
  if (!json) return std::unexpected(json.error());
  JsonReader reader;
  Record record;
  reader.read(*json, record);
  if (!reader.problem()) resolve_references(reader, json->at("cases"), record);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  return record;
}

std::string to_json_line(const CaseRecord& record) { return compact(JsonWriter::write(record)); }

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
