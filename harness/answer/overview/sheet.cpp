#include "answer/overview/sheet.hpp"

namespace warpclock {

Json sheet_cell(const std::string& text, const std::string& href, const std::string& note) {
  if (href.empty() && note.empty()) return text;
  Json cell = {{"text", text}};
  if (!href.empty()) cell["href"] = href;
  if (!note.empty()) cell["note"] = note;
  return cell;
}

Json sheet_table(const std::string& label, const std::vector<std::string>& heads, Json rows, bool plain) {
  Json table = {{"label", label}, {"heads", heads}, {"rows", std::move(rows)}};
  if (plain) table["plain"] = true;
  return table;
}

Json sheet_section(const std::string& id, const std::string& title, const std::vector<std::string>& notes) {
  Json section = {{"id", id}, {"title", title}};
  if (!notes.empty()) section["notes"] = notes;
  return section;
}

}  // namespace warpclock
