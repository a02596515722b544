#include "record/json/json_reader.hpp"

#include <fmt/format.h>

#include "analyze/words.hpp"
#include "record/outcome.hpp"

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
  } else {
    expected("a number", value);
  }
}

void JsonReader::read(const Json& value, std::optional<double>& out) {
  out.reset();
  if (!value.is_null()) read(value, out.emplace());
}

void JsonReader::read(const Json& value, Outcome& out) {
  std::string text;
  read(value, text);
  if (const auto known = outcome_of(text)) {
    out = *known;
  } else {
    fail(fmt::format("unknown outcome '{}' (measured, rejected, skipped, failed)", text));
  }
}

void JsonReader::read(const Json& value, Method& out) {
  std::string text;
  read(value, text);
  if (const auto known = method_of(text)) {
    out = *known;
  } else {
    fail(fmt::format("unknown method '{}' (slope, rate, elapsed, fact, counter)", text));
  }
}

void JsonReader::read(const Json& value, Relation& out) {
  std::string text;
  read(value, text);
  if (const auto known = relation_of(text)) {
    out = *known;
  } else {
    fail(fmt::format("unknown relation '{}' (equal, at_least, at_most)", text));
  }
}

void JsonReader::read(const Json& value, Find::What& out) {
  std::string text;
  read(value, text);
  if (const auto known = find_of(text)) {
    out = *known;
  } else {
    fail(fmt::format("unknown find '{}' (levels, saturation, step, period, spread, groups, fragment, swizzle)", text));
  }
}

void JsonReader::read(const Json& value, Parameters& out) {
  if (!value.is_object()) return expected("an object", value);
  out.clear();
  for (const auto& item : value.items()) {
    Value parameter;
    if (item.value().is_string()) {
      read_at(item.key(), item.value(), parameter.emplace<std::string>());
    } else {
      read_at(item.key(), item.value(), parameter.emplace<std::int64_t>());
    }
    out.emplace_back(item.key(), std::move(parameter));
  }
}

namespace {

struct OpcodeCount {
  std::string opcode;
  int count = 0;
};

template <class Archive>
void describe(Archive& a, OpcodeCount& v) {
  a.required("opcode", v.opcode);
  a.required("count", v.count);
}

}  // namespace

void JsonReader::read(const Json& value, std::vector<std::pair<std::string, int>>& out) {
  std::vector<OpcodeCount> counts;
  read<OpcodeCount>(value, counts);
  out.clear();
  for (OpcodeCount& item : counts) out.emplace_back(std::move(item.opcode), item.count);
}

void JsonReader::read(const Json& value, std::map<std::string, double>& out) {
  if (!value.is_object()) return expected("an object", value);
  out.clear();
  for (const auto& item : value.items()) read_at(item.key(), item.value(), out[item.key()]);
}

}  // namespace warpclock
