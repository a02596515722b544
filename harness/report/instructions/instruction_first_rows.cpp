#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/table_page.hpp"
#include "report/instructions/instruction_cells.hpp"
#include "report/instructions/instruction_pages.hpp"

namespace warpclock {
namespace {

/// The value with four digits; empty for no estimate.
std::string shown_number(const Estimate* estimate) {
  return estimate && std::isfinite(estimate->value) ? human_number(estimate->value, 4) : std::string();
}

constexpr std::array<TableColumn, 5> first_columns = {{{"latency n", "latency", "cycles"},
                                                       {"rate n", "results", "/clk/SM"},
                                                       {"interval n", "interval", "cycles"},
                                                       {"pipe ", "pipe", ""},
                                                       {"opcodes mono", "SASS", ""}}};

std::string latency_markup(const InstructionRecord& row) {
  const std::string groups = latency_groups(row);
  if (groups.empty()) return "\xE2\x80\x93";
  std::string out;
  const std::vector<std::string> pieces = split(groups, ',');
  for (std::string piece : pieces) {
    piece.erase(0, piece.find_first_not_of(' '));
    const std::size_t space = piece.rfind(' ');
    if (pieces.size() > 1) out += element("i", "", piece.substr(0, space));
    out += element("b", "", piece.substr(space + 1));
  }
  return out;
}

std::string measured_cells(const InstructionRecord& row) {
  const auto number = [&](const char* name) {
    const std::string text = shown_number(published(row, name));
    return text.empty() ? std::string("\xE2\x80\x93") : text;
  };
  const std::string mark = row.findings.empty() ? "" : "<span class=\"mark\">!</span>";
  std::string opcodes = opcode_groups(row.became, "\xC3\x97");
  for (const std::string& label : labels_of(row))
    if (label.starts_with("alternates ")) opcodes += ", " + label;
  const std::array<std::string, 5> markups = {mark + latency_markup(row), element("b", "", number("throughput")),
                                              escape(number("interval")), escape(join(row.pipes, " ")),
                                              escape(opcodes)};
  std::string out;
  for (std::size_t i = 0; i < first_columns.size(); ++i) out += table_cell(first_columns[i].css, markups[i]);
  return out;
}

std::string cells(const InstructionRecord* row) {
  if (!row) return table_cell("why", "not in its table");
  if (row->outcome == Outcome::Measured) return measured_cells(*row);
  return table_cell("why", element("span", "badge " + std::string(word(row->outcome)), word(row->outcome)) +
                               element("code", "", row->reason.code) + " " + escape(row->reason.text));
}

std::string line(const InstructionRecord& row, std::span<const InstructionTable> tables) {
  std::string out;
  for (const InstructionTable& table : tables) {
    out += "<div class=\"g\">" + cells(find_by(table.rows, row.id, &InstructionRecord::id)) + "</div>";
  }
  return table_row(plain_ptx(row.ptx), out);
}

std::string head(std::span<const InstructionTable> tables) {
  std::string out;
  for (const InstructionTable& table : tables) {
    out += "<div class=\"g\">";
    if (tables.size() > 1) out += element("div", "c gpu", table.device.name);
    for (const TableColumn& column : first_columns) out += table_head_cell(column);
    out += "</div>";
  }
  return out;
}

}  // namespace

std::string first_rows(std::span<const InstructionTable> tables) {
  std::string rows;
  if (!tables.empty()) {
    for (std::size_t i = 0; i < std::min(first_screen_rows, tables[0].rows.size()); ++i)
      rows += line(tables[0].rows[i], tables);
  }
  return first_screen(head(tables), rows);
}

}  // namespace warpclock
