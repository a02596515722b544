#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html/html_page.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// A self-contained page with one large table. It holds the records, packed, and its script shows their
/// rows. The first rows are markup, so that they are painted before the script has run. Without JavaScript it
/// leads to the same table as text.
struct TablePage {
  std::string subject;  ///< the subject whose parts of the script it has: "instruction", "machine"
  std::string style;    ///< in addition to the style of all pages
  std::string html_class;
  std::string title, placeholder;  ///< title of the page, and placeholder of its search
  std::string head;                ///< markup above the table
  std::string filters;             ///< markup: table_filter()
  std::string first_rows;          ///< markup: first_screen()
  std::string plain;               ///< markup: what is shown without JavaScript
  std::vector<std::string> records;
  std::string parts;  ///< markup: packed_data() of the parts of closed_part(), if there are any
  PagePlace place;
};

/// A part above the table that shows `markup` when it is opened; `markup` goes to TablePage::parts.
[[nodiscard]] std::string closed_part(Parts& parts, const std::string& title, const std::string& says,
                                      const std::string& markup);

[[nodiscard]] std::string render_table_page(const TablePage& page);

/// Its script. The parts that all tables share come before and after the subject's own part; only together do they form
/// a program.
[[nodiscard]] std::string table_script(const std::string& subject);

/// What a page shows without JavaScript: a link to the same table as text.
[[nodiscard]] std::string plain_link(const std::string& href);

/// A share of a table's rows.
struct TableShare {
  std::string css, text;
  std::ptrdiff_t count = 0;
};
/// A bar of these shares in proportion, and their counts as text.
[[nodiscard]] std::string share_bar(const std::vector<TableShare>& shares);

/// A choice among the values of a column, which the script fills: "family", "all families".
[[nodiscard]] std::string table_filter(std::string_view id, std::string_view label, std::string_view all);

struct TableColumn {
  std::string_view css, title, unit;
};

constexpr std::size_t first_screen_rows = 32;  // fill 900 pixels

[[nodiscard]] std::string table_cell(std::string_view css, const std::string& markup);
[[nodiscard]] std::string table_head_cell(const TableColumn& column);
/// A row: its name, in which the part up to the first blank is emphasised, and the markup of its cells.
[[nodiscard]] std::string table_row(const std::string& name, const std::string& cells);
/// The head of the table, and its first rows.
[[nodiscard]] std::string first_screen(const std::string& head_cells, const std::string& rows);

}  // namespace warpclock
