#include "model/model_json.hpp"

#include "base/json/json_reader.hpp"
#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "model/model_fields.hpp"

namespace warpclock {
namespace {

/// "schema" and "record" of each JSON text that follows from a model.
Json model_version() { return {{"major", 1}, {"minor", 0}, {"patch", 0}}; }

}  // namespace

std::string model_text(std::string_view record, const Json& members) {
  std::string out = "{\"schema\":" + compact(model_version()) + ",\"record\":" + compact(Json(record));
  for (const auto& [key, value] : members.items())
    out += ",\n" + compact(key) + ":" + (value.is_array() ? tall(value) : compact(value));
  return out + "}\n";
}

std::string to_json(const Machine& machine) { return model_text("model", JsonWriter::write(machine)); }

Expected<Machine> parse_machine(std::string_view text, const std::string& place) {
  const auto document = JsonDocument::parse(text);
  simdjson::dom::object object;
  if (!document || document->root().get(object) != simdjson::SUCCESS)
    return fail("record", "this is not a model: expected a JSON object", place);
  const auto is = [&](std::string_view key, const Json& wanted) {
    JsonElement found;
    return object.at_key(key).get(found) == simdjson::SUCCESS && Json::parse(simdjson::to_string(found)) == wanted;
  };
  if (!is("schema", model_version()) || !is("record", "model"))
    return fail("record", "this is not a model of schema 1.0.0; `warpclock export json` writes one", place);
  JsonReader reader;
  Machine machine;
  reader.read(document->root(), machine);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  return machine;
}

std::string model_schema() {
  Json out = JsonSchema::of<Machine>();
  out["title"] = "warpclock model";
  out["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  out["properties"]["schema"] = {{"const", model_version()}};
  out["properties"]["record"] = {{"const", "model"}};
  out["required"].push_back("schema");
  out["required"].push_back("record");
  return pretty(out);
}

}  // namespace warpclock
