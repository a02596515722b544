#include "base/json/json_reader.hpp"

#include <limits>
#include <string>

namespace warpclock {

void JsonReader::fail(const std::string& what) {
  if (!problem_) problem_ = path_.empty() ? what : path_ + ": " + what;
}

void JsonReader::expected(std::string_view what, const Json& value) {
  fail(fmt::format("expected {}, found {}", what, value.type_name()));
}

void JsonReader::read(const Json& value, std::string& out) {
  if (!value.is_string()) return expected("a string", value);
  out = value.get_ref<const std::string&>();
}

void JsonReader::read(const Json& value, bool& out) {
  if (!value.is_boolean()) return expected("true or false", value);
  out = value.get<bool>();
}

void JsonReader::read(const Json& value, std::int64_t& out) {
  if (!value.is_number_integer()) return expected("an integer", value);
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > largest) return fail("the integer is out of range");
  out = value.get<std::int64_t>();
}

void JsonReader::read(const Json& value, int& out) {
  std::int64_t wide = 0;
  read(value, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    return fail("the integer is out of range");
  }
  out = static_cast<int>(wide);
}

void JsonReader::read(const Json& value, double& out) {
  if (value.is_null()) {
    out = std::numeric_limits<double>::quiet_NaN();
  } else if (value.is_number()) {
    out = value.get<double>();
  } else if (exact_ && (value == "nan" || value == "inf" || value == "-inf")) {
    out = std::stod(value.get_ref<const std::string&>());
  } else {
    expected("a number", value);
  }
}

void JsonReader::read(const Json& value, NamedScalars& out) {
  if (!value.is_object()) return expected("an object", value);
  out.clear();
  for (const auto& item : value.items()) {
    std::variant<std::int64_t, std::string> parameter;
    if (item.value().is_string()) {
      read_at(item.key(), item.value(), parameter.emplace<std::string>());
    } else {
      read_at(item.key(), item.value(), parameter.emplace<std::int64_t>());
    }
    out.emplace_back(item.key(), std::move(parameter));
  }
}

void JsonReader::read(const Json& value, std::map<std::string, double>& out) {
  if (!value.is_object()) return expected("an object", value);
  out.clear();
  for (const auto& item : value.items()) read_at(item.key(), item.value(), out[item.key()]);
}

}  // namespace warpclock
