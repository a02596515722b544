#include <cstddef>
#include <set>
#include <utility>

#include "base/sheet/csv.hpp"
#include "base/sheet/sheet.hpp"

namespace warpclock {
namespace {

/// Null for nothing.
Json value_of(const Cell& cell) {
  if (cell.value.is_discarded()) return nullptr;
  return !cell.value.is_null() || cell.text.empty() ? cell.value : Json(cell.text);
}

void add(Json& object, const std::string& key, const Cell& cell) {
  if (Json value = value_of(cell); !value.is_null()) object[key] = std::move(value);
}

bool is_for_programs(Audience audience) { return audience != Audience::People; }

std::string csv_field(const Cell& cell) {
  const Json value = value_of(cell);
  return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : compact(value);
}

template <class Field>
std::string csv_of(const Table& table, const Field& field) {
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (is_for_programs(table.columns[i].audience)) fields.push_back(field(i));
  return csv_line(fields);
}

}  // namespace

Json to_json(const Sheet& sheet) {
  Json out = Json::object();
  if (!sheet.title.empty()) out["title"] = sheet.title;
  for (const Fact& fact : sheet.facts)
    if (is_for_programs(fact.audience)) add(out, fact.key, fact.says);
  for (const Table& table : sheet.tables) {
    if (!is_for_programs(table.audience)) continue;
    Json& rows = out.contains(table.key) ? out[table.key] : out[table.key] = Json::array();
    for (const auto& row : table.rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < table.columns.size() && i < row.size(); ++i)
        if (is_for_programs(table.columns[i].audience)) add(object, table.columns[i].key, row[i]);
      rows.push_back(std::move(object));
    }
  }
  if (!sheet.notes.empty()) out["notes"] = sheet.notes;
  return out;
}

std::string to_csv(const Sheet& sheet) {
  std::string out;
  std::set<std::string> begun;
  for (const Table& table : sheet.tables) {
    if (!is_for_programs(table.audience)) continue;
    const bool first = begun.insert(table.key).second;
    if (first && !out.empty()) out += "\r\n";
    if (first) out += csv_of(table, [&](std::size_t i) { return table.columns[i].key; });
    for (const auto& row : table.rows)
      out += csv_of(table, [&](std::size_t i) { return i < row.size() ? csv_field(row[i]) : std::string(); });
  }
  return out;
}

}  // namespace warpclock
