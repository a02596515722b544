#include "base/json/json_document.hpp"

#include "base/json/json_text.hpp"

namespace warpclock {

Expected<JsonDocument> JsonDocument::parse(std::string_view text) {
  JsonDocument document;
  const simdjson::error_code code = document.parser_->parse(text.data(), text.size()).error();
  if (code == simdjson::SUCCESS) return document;
  // simdjson does not say where.
  try {
    [[maybe_unused]] const Json parsed = Json::parse(text);
  } catch (const Json::exception& error) {
    return fail("json", json_problem(error));
  }
  return fail("json", simdjson::error_message(code));
}

std::string_view type_name(JsonElement element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::ARRAY:
      return "array";
    case Type::OBJECT:
      return "object";
    case Type::STRING:
      return "string";
    case Type::BOOL:
      return "boolean";
    case Type::NULL_VALUE:
      return "null";
    default:
      return "number";
  }
}

}  // namespace warpclock
