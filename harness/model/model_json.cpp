#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "model/model_exports.hpp"
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

std::string model_schema() {
  return record_schema_text("warpclock model", {{"const", model_version()}}, "model", JsonSchema::of<Machine>());
}

}  // namespace warpclock
