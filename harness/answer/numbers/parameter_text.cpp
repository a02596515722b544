#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <map>

#include "answer/numbers/figures.hpp"
#include "base/files/embedded.hpp"
#include "base/text.hpp"
#include "plan/config/yaml.hpp"

namespace warpclock {
namespace {

struct ByteParameter {
  std::string shown;
  std::int64_t unit = 1;  ///< bytes
};

/// The parameters whose values are bytes. A file of the program that cannot be read leaves the numbers as they are;
/// the test of this file reads it.
const std::map<std::string, ByteParameter, std::less<>>& byte_parameters() {
  static const std::map<std::string, ByteParameter, std::less<>> known = [] {
    std::map<std::string, ByteParameter, std::less<>> all;
    const auto document = Document::parse("parameters.yaml", embedded_assets().at("parameters.yaml"));
    if (!document) return all;
    for (const Node& item : document->root().fields({"bytes"}).get("bytes").items()) {
      const Fields fields = item.fields({"parameter", "unit", "shown"});
      const std::string name = fields.get("parameter").text();
      const auto unit = fields.find("unit"), shown = fields.find("shown");
      all[name] = {shown ? shown->text() : name, unit ? unit->integer(1, 1 << 30) : 1};
    }
    return all;
  }();
  return known;
}

}  // namespace

std::string parameter_text(std::string_view name, const Value& value) {
  constexpr double kibi = 1024;
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto known = byte_parameters().find(name);
  if (number == nullptr || known == byte_parameters().end() || *number < 0) return to_string(value);
  auto bytes = static_cast<double>(*number) * static_cast<double>(known->second.unit);
  if (bytes < kibi) return known->second.unit > 1 ? fmt::format("{:g} B", bytes) : to_string(value);
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t at = 0;
  for (; bytes >= kibi && at + 1 < std::size(units); ++at) bytes /= kibi;
  return fmt::format("{} {}", human_number(bytes, 4), units[at]);
}

std::int64_t bytes_of_parameter(std::string_view name) {
  const auto known = byte_parameters().find(name);
  return known == byte_parameters().end() ? 0 : known->second.unit;
}

std::string parameter_name(const std::string& name) {
  const auto known = byte_parameters().find(name);
  return known == byte_parameters().end() ? name : known->second.shown;
}

std::string parameters_text(const CaseRecord& row, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const Value* value = find(row.parameters, name);
    if (value == nullptr) continue;
    if (!out.empty()) out += ' ';
    out += parameter_name(name) + "=" + parameter_text(name, *value);
  }
  return out;
}

std::string unit_text(const std::string& unit) {
  if (unit == "1") return {};
  return unit.starts_with("1/") ? unit.substr(1) : unit;
}

}  // namespace warpclock
