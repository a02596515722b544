#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/outcome.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/table_page.hpp"
#include "report/instructions/instruction_cells.hpp"
#include "report/instructions/instruction_pages.hpp"

namespace warpclock {
namespace {

std::string title(std::span<const InstructionTable> tables) {
  const auto names = mapped(tables, [](const InstructionTable& table) { return name_of(table.device); });
  return "Instructions of " + (names.empty() ? std::string("no GPU") : join(names, ", "));
}

std::string outcome_bar(const InstructionTable& table) {
  std::vector<TableShare> shares;
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &InstructionRecord::outcome);
    const std::string name(word(outcome));
    if (worth_telling(outcome, count)) shares.push_back({name, name, count});
  }
  return share_bar(shares);
}

std::string page_head(std::span<const InstructionTable> tables) {
  std::string devices;
  for (const InstructionTable& table : tables) {
    devices += "<h1>" + escape(name_of(table.device)) + ", instructions" + element("i", "", table.device.arch) +
               "</h1>" + outcome_bar(table);
  }
  return "<header class=\"top\">" + devices +
         "<p>Latency: cycles from each operand to the result. Results: of threads, per clock and SM, at the plateau. "
         "Interval: cycles between warp instructions of a scheduler. A number is given only where the machine code "
         "that "
         "was timed is verified. ! marks a finding; open the row to read it.</p></header>\n";
}

}  // namespace

std::string render_instruction_html(std::span<const InstructionTable> unrounded, const PagePlace& place) {
  std::vector<InstructionTable> tables;
  for (const InstructionTable& table : unrounded) {
    tables.push_back(rounded(table));
    for (InstructionRecord& row : tables.back().rows) row.labels = labels_of(row);
  }
  TablePage page;
  page.subject = "instruction";
  if (tables.size() > 1) page.html_class = fmt::format("several gpus-{}", tables.size());
  page.title = title(tables);
  page.placeholder = "Search: fma f32, IMAD.WIDE, rejected ...";
  page.head = page_head(tables) + html_guide(tables);
  page.filters = table_filter("family", "family", "all families") + table_filter("type", "type", "all types") +
                 table_filter("pipe", "pipe", "all pipes") + table_filter("outcome", "outcome", "all outcomes");
  page.first_rows = first_rows(tables);
  page.place = place;
  page.plain = plain_link(tables.size() == 1 ? "instructions.md" : "README.md");
  for (const InstructionTable& table : tables) page.records.push_back(to_json(table));
  return render_table_page(page);
}

}  // namespace warpclock
