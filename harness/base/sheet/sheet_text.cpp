#include <algorithm>
#include <cstddef>
#include <map>

#include "base/sheet/sheet.hpp"

namespace warpclock {
namespace {

/// Characters of UTF-8 text; each takes one column of a terminal.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
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

template <class Text>
std::string line(const Table& table, const std::vector<std::size_t>& widths, const Text& text) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (is_shown(table.columns[i].audience) && widths[i] > 0)
      out += "  " + padded(text(i), widths[i], table.columns[i].right);
  }
  return out.substr(0, out.find_last_not_of(' ') + 1);
}

std::string text_of(const Table& table, const std::vector<std::size_t>& widths, const Style& style) {
  std::string out;
  if (!table.title.empty()) out += style.bold(table.title) + '\n';
  if (table.headed && !table.rows.empty())
    out += style.dim(line(table, widths, [&](std::size_t i) { return title_of(table.columns[i]); })) + '\n';
  for (const auto& row : table.rows)
    out += line(table, widths, [&](std::size_t i) { return i < row.size() ? row[i].text : std::string(); }) + '\n';
  for (const std::string& note : table.notes) out += "  " + style.dim(note) + '\n';
  return out;
}

}  // namespace

std::string to_text(const Sheet& sheet, const Style& style) {
  std::string out = sheet.title.empty() ? "" : style.bold(sheet.title) + '\n';
  std::size_t labels = 0;
  for (const Fact& fact : sheet.facts)
    if (is_read(fact)) labels = std::max(labels, width(fact.label.empty() ? fact.key : fact.label));
  for (const Fact& fact : sheet.facts) {
    if (!is_read(fact)) continue;
    out += "  " + style.dim(padded(fact.label.empty() ? fact.key : fact.label, labels)) + "  " + fact.says.text + '\n';
  }
  const Widths widths = widths_of(sheet.tables);
  for (const Table& table : sheet.tables) {
    if (!is_shown(table.audience)) continue;
    const bool apart = !out.empty() && (!table.title.empty() || &table == sheet.tables.data());
    const std::string text = text_of(table, widths.at(table.key), style);
    if (!text.empty()) out += (apart ? "\n" : "") + text;
  }
  if (!sheet.notes.empty() && !out.empty()) out += '\n';
  for (const std::string& note : sheet.notes) out += note + '\n';
  return out;
}

}  // namespace warpclock
