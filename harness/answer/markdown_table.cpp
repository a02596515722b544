#include "answer/markdown_table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace warpclock {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*|[]~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  // A code span has no escapes; only the bar of a table needs one (GFM, "Tables"). The fence is longer than any inside.
  std::string inside, fence = "`";
  for (const char c : text)
    inside += c == '\n' || c == '\r' || c == '\t' ? std::string(" ") : c == '|' ? "\\|" : std::string(1, c);
  while (inside.find(fence) != std::string::npos) fence += '`';
  const std::string pad = fence.size() > 1 ? " " : "";
  return inside.empty() ? "" : fence + pad + inside + pad + fence;
}

std::string markdown_lines(std::string_view text, std::string_view indent) {
  constexpr std::size_t most_columns = 120;
  const auto columns = [](std::string_view word) {
    return static_cast<std::size_t>(std::ranges::count_if(word, [](char c) { return (c & 0xC0) != 0x80; }));
  };
  std::string out;
  std::size_t used = 0;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!out.empty() && used + 1 + columns(word) > most_columns) {
      out += '\n' + std::string(indent);
      used = indent.size();
    } else if (!out.empty()) {
      out += ' ', ++used;
    }
    out += word, used += columns(word);
  }
  return out;
}

std::string heading_fragment(std::string_view heading) {
  std::string made;
  for (const char c : to_lower(heading)) {
    if ((c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_') made += c;
    if (c == ' ') made += '-';
  }
  return made;
}

MarkdownTable::MarkdownTable(const std::vector<std::string>& heads) {
  for (const std::string& head : heads) column(head.substr(head.starts_with('#') ? 1 : 0), head.starts_with('#'));
}

void MarkdownTable::column(std::string header, bool numeric) {
  headers_.push_back(std::move(header));
  numeric_.push_back(numeric);
}

void MarkdownTable::row(std::vector<std::string> cells) {
  cells.resize(headers_.size());
  rows_.push_back(std::move(cells));
}

void MarkdownTable::text_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = markdown_text(cell);
  row(std::move(cells));
}

std::string MarkdownTable::text() const {
  if (rows_.empty()) return {};
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += cell.empty() ? " |" : ' ' + cell + " |";
    return out + '\n';
  };
  std::string out = line(headers_) + '|';
  for (const bool numeric : numeric_) out += numeric ? "---:|" : "---|";
  out += '\n';
  for (const auto& cells : rows_) out += line(cells);
  return out + '\n';
}

}  // namespace warpclock
