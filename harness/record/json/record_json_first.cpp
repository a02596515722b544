#include "record/json/record_json_first.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>

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

/// Copies `field` of the earlier case that `reference` names.
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

void FirstRecordReader::read(const Json& json, Record& record) {
  reader_.read(json, record);
  if (!reader_.problem()) resolve_references(reader_, json.at("cases"), record);
}

}  // namespace warpclock
