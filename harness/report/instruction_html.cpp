#include "report/instruction_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/embedded.hpp"
#include "base/text.hpp"
#include "report/base64.hpp"
#include "report/deflate.hpp"
#include "report/escape.hpp"
#include "report/html_page.hpp"
#include "report/html_parts.hpp"
#include "report/instruction_cells.hpp"
#include "report/instruction_first_rows.hpp"
#include "report/instruction_guide_html.hpp"
#include "report/instruction_json.hpp"
#include "report/outcome.hpp"

namespace warpclock {
namespace {

std::string device_name(const InstructionTable& table) {
  return table.device.name.empty() ? "unknown GPU" : table.device.name;
}

std::string title(std::span<const InstructionTable> tables) {
  std::vector<std::string> names;
  for (const InstructionTable& table : tables) names.push_back(device_name(table));
  return "Instructions of " + (names.empty() ? std::string("no GPU") : join(names, ", "));
}

/// A bar of the outcomes in proportion, and their counts in words.
std::string outcome_bar(const InstructionTable& table) {
  std::string bar, text;
  double at = 0;
  const double all = std::max<double>(static_cast<double>(table.rows.size()), 1);
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &InstructionRecord::outcome);
    if (!worth_telling(outcome, count)) continue;
    const double share = 100 * static_cast<double>(count) / all;
    bar += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" width=\"{:.2f}\" height=\"6\"/>", word(outcome), at, share);
    at += share;
    text += fmt::format("<li class=\"{0}\"><b>{1}</b> {0}</li>", word(outcome), count);
  }
  return fmt::format(
      "<ul class=\"tally\">{}</ul><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"share\" viewBox=\"0 0 100 6\" "
      "preserveAspectRatio=\"none\" aria-hidden=\"true\">{}</svg>",
      text, bar);
}

std::string page_head(std::span<const InstructionTable> tables) {
  std::string devices;
  for (const InstructionTable& table : tables) {
    devices += "<h1>" + escape(device_name(table)) + element("i", "", table.device.arch) + "</h1>" + outcome_bar(table);
  }
  return "<header class=\"top\">" + devices +
         "<p>Latency: cycles from each operand to the result. Results: of threads, per clock and SM, at the plateau; "
         "mixed: counted beside another instruction that keeps the copies apart, a lower bound. Interval: cycles "
         "between "
         "warp instructions of a scheduler. A number is given only where the machine code that was timed is verified; "
         "! marks a finding, told where the row opens.</p></header>\n";
}

std::string controls(const std::vector<PageLink>& links) {
  std::string pages;
  for (const PageLink& link : links) {
    pages += fmt::format("<a href=\"{}\">{}</a>", escape(link.href), escape(link.text));
  }
  if (!pages.empty()) pages = "<nav class=\"pages\" aria-label=\"other pages\">" + pages + "</nav>";
  return "<header class=\"bar\"><a class=\"brand\" href=\"#\">warpclock</a><div class=\"tools\">"
         "<input id=\"search\" type=\"search\" placeholder=\"Search: fma f32, IMAD.WIDE, rejected ...\" "
         "aria-label=\"search instructions\" autocomplete=\"off\" spellcheck=\"false\"/>"
         "<button type=\"button\" id=\"theme\" aria-label=\"light or dark\">\xE2\x97\x90</button></div>" +
         pages + "</header>\n";
}

constexpr std::string_view filters =
    "<div class=\"filters\"><select id=\"family\" aria-label=\"family\"><option value=\"\">all "
    "families</option></select>"
    "<select id=\"type\" aria-label=\"type\"><option value=\"\">all types</option></select>"
    "<select id=\"pipe\" aria-label=\"pipe\"><option value=\"\">all pipes</option></select>"
    "<select id=\"outcome\" aria-label=\"outcome\"><option value=\"\">all outcomes</option></select>"
    "<output id=\"shown\" aria-live=\"polite\"></output><button type=\"button\" id=\"reset\">reset</button>"
    "<span class=\"hint\"><kbd>/</kbd>search<kbd>\xE2\x86\x91</kbd><kbd>\xE2\x86\x93</kbd>move<kbd>Enter</kbd>open"
    "<kbd>Esc</kbd>close</span></div>";

constexpr std::string_view list_begin =
    "<div class=\"split-view\"><div id=\"list\" tabindex=\"0\" role=\"region\" aria-label=\"instructions\">"
    "<div id=\"grid\" role=\"table\">";

/// Filled by the script.
constexpr std::string_view list_end =
    "</div><p id=\"none\" class=\"nothing\" hidden=\"\">No instruction is like that; reset clears search and "
    "filters.</p></div>"
    "<aside id=\"detail\" hidden=\"\" aria-label=\"one instruction\"><div class=\"title\"><h2 id=\"name\"></h2>"
    "<button type=\"button\" id=\"close\" aria-label=\"close\">\xC3\x97</button></div>"
    "<p><a id=\"link\" href=\"#\"></a></p><p id=\"about\"></p><div id=\"body\"></div></aside></div>";

std::string plain_row(const InstructionRecord& row) {
  std::string out = "<tr>" + element("td", "", plain_ptx(row.ptx));
  if (row.outcome == Outcome::Measured) {
    const std::string window = rate_window(row);
    const std::string rate = shown_number(published(row, "throughput")) + (window.empty() ? "" : ", " + window);
    for (const std::string& cell :
         {latency_groups(row), rate, join(row.pipes, " "), opcode_groups(row.became, "\xC3\x97")}) {
      out += element("td", "", cell);
    }
  } else {
    out += fmt::format("<td colspan=\"4\">{}: {}</td>", word(row.outcome), escape(row.reason.code));
  }
  return out + "</tr>\n";
}

std::string plain_table(const InstructionTable& table) {
  std::string out = element("h2", "", device_name(table)) +
                    "<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>instruction</th><th>latency</th>"
                    "<th>results/clk/SM</th><th>pipe</th><th>SASS</th></tr></thead><tbody>\n";
  for (const InstructionRecord& row : table.rows) out += plain_row(row);
  return out + "</tbody></table></div>";
}

}  // namespace

std::string render_instruction_html(std::span<const InstructionTable> unrounded, const std::vector<PageLink>& links) {
  std::vector<InstructionTable> tables;
  for (const InstructionTable& table : unrounded) tables.push_back(rounded(table));
  const auto assets = embedded_assets();
  const std::string style = assets.at("report.css") + assets.at("instructions.css");
  const std::string& first = assets.at("instruction_first.js");
  const std::string script =
      assets.at("instruction_rows.js") + assets.at("instruction_detail.js") + assets.at("instructions.js");
  std::string plain, data;
  for (const InstructionTable& table : tables) {
    plain += plain_table(table);
    data +=
        "<script type=\"application/octet-stream\" class=\"table\">" + base64(deflate(to_json(table))) + "</script>\n";
  }
  const std::string several =
      tables.size() > 1 ? fmt::format(" class=\"several gpus-{}\"", tables.size()) : std::string();
  return ascii_markup("<!DOCTYPE html>\n<html lang=\"en\"" + several + ">" +
                      html_head(title(tables), style, {first, script}) + "<body><script>" + first + "</script>" +
                      controls(links) + page_head(tables) + html_guide(tables) + "<main id=\"app\">" +
                      std::string(filters) + std::string(list_begin) + first_rows(tables) + std::string(list_end) +
                      "</main>\n<noscript><div class=\"without\">" + plain + "</div></noscript>\n" + data + "<script>" +
                      script + "</script></body></html>\n");
}

}  // namespace warpclock
