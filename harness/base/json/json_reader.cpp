#include "base/json/json_reader.hpp"

#include <limits>

namespace warpclock {
namespace {

/// Reading a text again takes a second for each 50 MB.
constexpr std::size_t most_read_twice = std::size_t{64} << 20;

}  // namespace

Expected<JsonDocument> JsonDocument::parse(std::string_view text) {
  JsonDocument document;
  const simdjson::error_code code = document.parser_->parse(text.data(), text.size()).error();
  if (code == simdjson::SUCCESS) return document;
  // simdjson does not say where.
  try {
    const auto keep_nothing = [](int, Json::parse_event_t, const Json&) { return false; };
    if (text.size() <= most_read_twice) {
      [[maybe_unused]] const Json nothing = Json::parse(text, keep_nothing);
    }
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

std::optional<JsonElement> JsonReader::Open::find(std::string_view key) {
  if (known == object.size()) return std::nullopt;  // as for most optional keys, which are the last
  const auto end = object.end();
  const auto take = [&](simdjson::dom::object::iterator at) {
    next = at;
    return (next++).value();
  };
  if (next != end && next.key() == key) return take(next);
  for (auto at = object.begin(); at != end; ++at)
    if (at.key() == key) return take(at);
  return std::nullopt;
}

void JsonReader::fail(const std::string& what) {
  if (problem_) return;
  std::string path;
  for (const Step* step = path_; step != nullptr; step = step->outer) {
    path = step->key.empty() ? fmt::format("[{}]{}", step->index, path)
                             : fmt::format("{}{}{}", step->outer == nullptr ? "" : ".", step->key, path);
  }
  problem_ = path.empty() ? what : path + ": " + what;
}

void JsonReader::expected(std::string_view what, JsonElement value) {
  fail(fmt::format("expected {}, found {}", what, type_name(value)));
}

void JsonReader::read(JsonElement value, std::string& out) {
  if (!value.is_string()) return expected("a string", value);
  out = std::string_view(value);
}

void JsonReader::read(JsonElement value, bool& out) {
  if (!value.is_bool()) return expected("true or false", value);
  out = value;
}

void JsonReader::read(JsonElement value, std::int64_t& out) {
  if (value.type() == simdjson::dom::element_type::UINT64) return fail("the integer is out of range");
  if (!value.is_int64()) return expected("an integer", value);
  out = value;
}

void JsonReader::read(JsonElement value, int& out) {
  std::int64_t wide = 0;
  read(value, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    return fail("the integer is out of range");
  }
  out = static_cast<int>(wide);
}

void JsonReader::read(JsonElement value, double& out) {
  const auto is_named = [&](std::string_view name) { return value.is_string() && std::string_view(value) == name; };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value.is_null() || (exact_ && is_named("nan"))) {
    out = std::numeric_limits<double>::quiet_NaN();
  } else if (value.is_number()) {
    out = value.get_double();
  } else if (exact_ && (is_named("inf") || is_named("-inf"))) {
    out = is_named("inf") ? infinity : -infinity;
  } else {
    expected("a number", value);
  }
}

void JsonReader::read(JsonElement value, NamedScalars& out) {
  if (!value.is_object()) return expected("an object", value);
  out.clear();
  for (const auto [key, member] : simdjson::dom::object(value)) {
    std::variant<std::int64_t, std::string> parameter;
    if (member.is_string()) {
      read_at(key, member, parameter.emplace<std::string>());
    } else {
      read_at(key, member, parameter.emplace<std::int64_t>());
    }
    out.emplace_back(key, std::move(parameter));
  }
}

void JsonReader::read(JsonElement value, std::map<std::string, double>& out) {
  if (!value.is_object()) return expected("an object", value);
  out.clear();
  for (const auto [key, member] : simdjson::dom::object(value)) read_at(key, member, out[std::string(key)]);
}

}  // namespace warpclock
