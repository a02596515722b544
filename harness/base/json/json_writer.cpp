#include "base/json/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace warpclock {
namespace {

bool is_numbers(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& v) { return v.is_number() || v.is_null(); });
}

bool is_row(const Json& value) {
  return value.is_object() &&
         std::ranges::all_of(value, [](const Json& v) { return v.is_primitive() || is_numbers(v); });
}

void append_flat(std::string& out, const Json& value) {
  if (value.is_primitive()) {
    out += compact(value);
    return;
  }
  out += value.is_array() ? '[' : '{';
  bool first = true;
  for (const auto& item : value.items()) {
    if (!first) out += ", ";
    first = false;
    if (value.is_object()) out += compact(item.key()) + ": ";
    append_flat(out, item.value());
  }
  out += value.is_array() ? ']' : '}';
}

void append(std::string& out, const Json& value, std::size_t depth, bool in_array) {
  if (value.is_primitive() || value.empty() || is_numbers(value) || (in_array && is_row(value))) {
    append_flat(out, value);
    return;
  }
  out += value.is_array() ? "[\n" : "{\n";
  bool first = true;
  // Listings start at the margin: indentation would be a tenth of a record.
  const std::size_t indent = value.is_array() && value.front().is_string() ? 0 : depth + 1;
  for (const auto& item : value.items()) {
    if (!first) out += ",\n";
    first = false;
    out.append(indent, ' ');
    if (value.is_object()) out += compact(item.key()) + ": ";
    append(out, item.value(), depth + 1, value.is_array());
  }
  out += '\n';
  out.append(depth, ' ');
  out += value.is_array() ? ']' : '}';
}

}  // namespace

Json json_of(std::string_view text) { return Json::parse(text); }

std::string pretty(const Json& value) {
  std::string out;
  append(out, value, 0, false);
  out += '\n';
  return out;
}

std::string compact(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string tall(const Json& array) {
  std::string out = "[";
  for (const Json& each : array) out += (out.size() > 1 ? ",\n" : "\n") + compact(each);
  return out + (array.empty() ? "]" : "\n]");
}

std::string record_text(const Json& version, const std::string& record, const Json& members) {
  Json out = {{"schema", version}, {"record", record}};
  out.update(members);
  return pretty(out);
}

std::string record_schema_text(const std::string& title, const Json& version, const Json& record, Json members) {
  members["title"] = title;
  members["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  members["properties"]["schema"] = version;
  members["properties"]["record"] = record.is_string() ? Json{{"const", record}} : record;
  members["required"].push_back("schema");
  members["required"].push_back("record");
  return pretty(members);
}

std::string json_problem(const Json::exception& error) {
  const std::string what = error.what();
  const std::size_t bracket = what.find("] ");
  return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

void JsonLine::write(std::int64_t value) { fmt::format_to(std::back_inserter(out_), "{}", value); }

void JsonLine::write(double value) {
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  if (std::abs(value) < exact_integers && value == std::trunc(value)) return write(static_cast<std::int64_t>(value));
  if (!std::isfinite(value)) {
    if (exact_) return write_text(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    out_ += "null";
    return;
  }
  out_ += Json(value).dump();  // the digits that the tree writes, so that committed records keep their bytes
}

void JsonLine::write_text(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, is_plain)) {
    ((out_ += '"') += text) += '"';
  } else {
    out_ += compact(Json(text));
  }
}

}  // namespace warpclock
