#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/page_place.hpp"

namespace warpclock {

/// A self-contained page of one large table. The records are in it, deflated and in base64, and its script shows their
/// rows; the first rows are markup, so that they are painted before any of that; without JavaScript it is a plain
/// table.
struct TablePage {
  std::string subject;  ///< whose parts of the script it has: "instruction", "machine"
  std::string style;    ///< beside that of all pages
  std::string html_class;
  std::string title, placeholder;  ///< of the page, and of its search
  std::string head;                ///< markup above the table
  std::string filters;             ///< markup: table_filter()
  std::string first_rows;          ///< markup: first_screen()
  std::string plain;               ///< markup of the plain table
  std::vector<std::string> records;
  std::vector<PageLink> links;
};

[[nodiscard]] std::string render_table_page(const TablePage& page);

/// Its script: what tables have in common stands in several pieces around what is the subject's own, which are one text
/// only together.
[[nodiscard]] std::string table_script(const std::string& subject);

/// A part of what a table holds.
struct TableShare {
  std::string css, text;
  std::ptrdiff_t count = 0;
};
/// A bar of these in proportion, and their counts in words.
[[nodiscard]] std::string share_bar(const std::vector<TableShare>& shares);

/// A choice among the values of a column, filled by the script: "family", "all families".
[[nodiscard]] std::string table_filter(std::string_view id, std::string_view label, std::string_view all);

struct TableColumn {
  std::string_view css, title, unit;
};

constexpr std::size_t first_screen_rows = 32;  // that fill 900 pixels

[[nodiscard]] std::string table_cell(std::string_view css, const std::string& markup);
[[nodiscard]] std::string table_head_cell(const TableColumn& column);
/// A row: its name, of which the part up to the first blank stands out, and the markup of its cells.
[[nodiscard]] std::string table_row(const std::string& name, const std::string& cells);
/// The head of the table, and its first rows.
[[nodiscard]] std::string first_screen(const std::string& head_cells, const std::string& rows);

}  // namespace warpclock
