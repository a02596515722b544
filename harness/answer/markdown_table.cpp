#include "answer/markdown_table.hpp"

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
