#include "base/sheet/sheet.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

std::string quoted(const std::string& text) {
  return text.find_first_of(",\"\r\n ") == std::string::npos ? text : '"' + replace_all(text, "\"", "\"\"") + '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields) out += (&field == fields.data() ? "" : ",") + quoted(field);
  return out + "\r\n";
}

namespace {

std::string safe(const std::string& text) { return printable(text, 4 * text.size()); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) lines.push_back(safe(line));
  return lines;
}

/// Characters of the longest line of UTF-8 text; each takes one column of a terminal.
std::size_t width(const std::string& text) {
  std::size_t most = 0;
  for (const std::string& line : lines_of(text))
    most = std::max(most,
                    static_cast<std::size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; })));
  return most;
}

std::string padded(const std::string& text, std::size_t to, bool right = false) {
  const std::string blanks(to - std::min(to, width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

const std::string& title_of(const Column& column) { return column.title.empty() ? column.key : column.title; }

bool is_shown(Audience audience) { return audience != Audience::Programs; }

bool is_read(const Fact& fact) { return is_shown(fact.audience) && !fact.says.text.empty(); }

/// By the key of a table: the width of each of its columns.
using Widths = std::map<std::string, std::vector<std::size_t>>;

/// A column without a text has no width.
Widths widths_of(const std::vector<Table>& tables) {
  Widths widths, titles;
  for (const Table& table : tables) {
    std::vector<std::size_t>&own = widths[table.key], &titled = titles[table.key];
    own.resize(std::max(own.size(), table.columns.size()));
    titled.resize(own.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.headed) titled[i] = std::max(titled[i], width(title_of(table.columns[i])));
      for (const auto& row : table.rows) own[i] = std::max(own[i], i < row.size() ? width(row[i].text) : 0);
    }
  }
  for (auto& [key, own] : widths)
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i] > 0) own[i] = std::max(own[i], titles[key][i]);
  return widths;
}

std::string toned(const std::string& text, Tone tone, const Style& style) {
  return tone == Tone::Good       ? style.green(text)
         : tone == Tone::Doubtful ? style.yellow(text)
         : tone == Tone::Bad      ? style.red(text)
                                  : text;
}

/// The lines of a row, each with its end.
std::string row_text(const Table& table, const std::vector<std::size_t>& widths, const std::vector<Cell>& row,
                     const Style& style) {
  std::string out;
  bool more = true;
  for (std::size_t at = 0; more; ++at) {
    std::string line;
    more = false;
    std::size_t blanks = 0;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!is_shown(table.columns[i].audience) || widths[i] == 0) continue;
      const auto lines = i < row.size() ? lines_of(row[i].text) : std::vector<std::string>();
      more = more || lines.size() > at + 1;
      const std::string text =
          "  " + padded(at < lines.size() ? lines[at] : std::string(), widths[i], table.columns[i].right);
      // Blanks at the end of a line are left out; colours come after padding, as they take no room.
      const std::size_t end = text.find_last_not_of(' ') + 1;
      if (end > 0)
        line +=
            std::string(blanks, ' ') + toned(text.substr(0, end), i < row.size() ? row[i].tone : Tone::Plain, style);
      blanks = end > 0 ? text.size() - end : blanks + text.size();
    }
    out += line + '\n';
  }
  return out;
}

std::string text_of(const Table& table, const std::vector<std::size_t>& widths, const Style& style) {
  std::string out;
  if (!table.title.empty()) out += style.bold(safe(table.title)) + '\n';
  if (table.headed && !table.rows.empty()) {
    std::vector<Cell> heads;
    for (const Column& column : table.columns) heads.emplace_back(title_of(column));
    std::string line = row_text(table, widths, heads, Style(false));
    line.pop_back();
    out += style.dim(line) + '\n';
  }
  for (const auto& row : table.rows) out += row_text(table, widths, row, style);
  for (const std::string& note : table.notes) out += "  " + style.dim(safe(note)) + '\n';
  return out;
}

}  // namespace

std::vector<Column> columns(const std::vector<std::string>& words) {
  std::vector<Column> all;
  for (const std::string& word : words) {
    const std::size_t begin = std::min(word.find_first_not_of("#+-"), word.size()),
                      bar = std::min(word.find('|'), word.size());
    const auto marked = [&](char mark) { return word.substr(0, begin).contains(mark); };
    all.push_back({.key = word.substr(begin, bar - begin),
                   .title = bar < word.size() ? word.substr(bar + 1) : std::string(),
                   .right = marked('#'),
                   .audience = marked('-')   ? Audience::Programs
                               : marked('+') ? Audience::People
                                             : Audience::All});
  }
  return all;
}

std::string to_text(const Sheet& sheet, const Style& style) {
  std::string out = sheet.title.empty() ? "" : style.bold(safe(sheet.title)) + '\n';
  std::size_t labels = 0;
  for (const Fact& fact : sheet.facts)
    if (is_read(fact)) labels = std::max(labels, width(fact.label.empty() ? fact.key : fact.label));
  for (const Fact& fact : sheet.facts) {
    if (!is_read(fact)) continue;
    std::string label = fact.label.empty() ? fact.key : fact.label;
    for (const std::string& line : lines_of(fact.says.text)) {
      out += "  " + style.dim(padded(label, labels)) + "  " + toned(line, fact.says.tone, style) + '\n';
      label.clear();
    }
  }
  const Widths widths = widths_of(sheet.tables);
  for (const Table& table : sheet.tables) {
    if (!is_shown(table.audience)) continue;
    const bool apart = !out.empty() && (!table.title.empty() || &table == sheet.tables.data());
    const std::string text = text_of(table, widths.at(table.key), style);
    if (!text.empty()) out += (apart ? "\n" : "") + text;
  }
  if (!sheet.notes.empty() && !out.empty()) out += '\n';
  for (const std::string& note : sheet.notes) out += safe(note) + '\n';
  return out;
}

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
