#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "record/json/record_json.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/table_page.hpp"
#include "report/instructions/machine_pages.hpp"
#include "report/instructions/machine_parts.hpp"

namespace warpclock {
namespace {

constexpr std::array<TableColumn, 5> machine_columns = {{{"latency n", "latency", "cycles"},
                                                         {"stall n", "minimum", "stall count"},
                                                         {"encoded n", "encoded", "cycles"},
                                                         {"every n", "interval", "cycles"},
                                                         {"alone n", "one warp", "cycles"}}};

std::array<std::string, machine_columns.size()> cell_texts(const MachineRow& row) {
  return {machine_latencies(row), least_stalls(row), row.encoded ? std::to_string(*row.encoded) : "",
          issue_interval_text(row), one_warp_text(row)};
}

std::string head_of_page(const MachineTable& table) {
  const MachineCounts all = count_rows(table);
  std::vector<TableShare> shares = {{"measured", "measured", static_cast<std::ptrdiff_t>(all.measured)}};
  for (const auto& [code, count] : all.without)
    shares.push_back({"rejected", code, static_cast<std::ptrdiff_t>(count)});
  return "<header class=\"top\"><h1>" + escape(name_of(table.device)) + ", machine instructions" +
         element("i", "", table.device.arch) + "</h1>" + share_bar(shares) +
         fmt::format(
             "<p>{} forms; {} have an issue interval, {} a latency from each source operand. Each was composed in "
             "machine code and read back before it ran. Latency: cycles from a source operand (A is the first) to the "
             "result. Minimum stall count: the smallest stall count with which a chain still computes the right "
             "result. "
             "Encoded: the fewest cycles that ptxas puts between the instruction and one that reads its result. "
             "Interval: cycles between two of one sub-partition, of many warps; one warp: of a single one. "
             "! marks a finding; open the row to read it.</p>"
             "</header>\n",
             all.rows, all.intervals, all.complete);
}

std::string reason_text(const MachineRow& row) { return why_none(row).message(); }

std::string screen_row(const MachineRow& row) {
  std::string cells;
  if (has_numbers(row)) {
    const auto texts = cell_texts(row);
    const std::string mark = machine_findings(row).empty() ? "" : "<span class=\"mark\">!</span>";
    for (std::size_t i = 0; i < texts.size(); ++i)
      cells += table_cell(machine_columns[i].css,
                          (i == 0 ? mark : "") + (texts[i].empty() ? "\xE2\x80\x93" : escape(texts[i])));
  } else {
    cells = table_cell("why", element("span", "badge unmeasured", "unmeasured") +
                                  element("code", "", why_none(row).code) + " " + escape(reason_text(row)));
  }
  return table_row(row.text, "<div class=\"g\">" + cells + "</div>");
}

std::string screen(const MachineTable& table) {
  std::string head = "<div class=\"g\">", rows;
  for (const TableColumn& column : machine_columns) head += table_head_cell(column);
  for (std::size_t i = 0; i < std::min(first_screen_rows, table.rows.size()); ++i) rows += screen_row(table.rows[i]);
  return first_screen(head + "</div>", rows);
}

}  // namespace

std::string render_machine_html(const MachineTable& unrounded, const PagePlace& place) {
  const MachineTable table = rounded(unrounded);
  TablePage page;
  page.subject = "machine";
  page.style = embedded_assets().at("machine.css");
  page.title = "Machine instructions of " + name_of(table.device);
  page.placeholder = "Search: HMMA, IMAD.WIDE, scoreboard ...";
  Parts parts;
  page.head = head_of_page(table) + html_relations(table, parts) + html_surfaces(table, parts);
  page.parts = packed_data("tables", parts);
  page.filters = table_filter("family", "opcode", "all opcodes") +
                 table_filter("type", "what was measured", "all measurements") +
                 table_filter("outcome", "outcome or reason", "all outcomes");
  page.first_rows = screen(table);
  page.plain = plain_link("machine.md");
  // The relations are in the markup.
  page.records = {to_json(MachineTable{.provenance = table.provenance, .device = table.device, .rows = table.rows})};
  page.place = place;
  return render_table_page(page);
}

}  // namespace warpclock
