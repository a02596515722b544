#include "report/html/table_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "record/json/columns.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"

namespace warpclock {
namespace {

constexpr std::string_view filters_end =
    "<output id=\"shown\" aria-live=\"polite\"></output><button type=\"button\" id=\"reset\">reset</button>"
    "<span class=\"hint\"><kbd>/</kbd>search<kbd>\xE2\x86\x91</kbd><kbd>\xE2\x86\x93</kbd>move<kbd>Enter</kbd>open"
    "<kbd>Esc</kbd>close</span></div>";

constexpr std::string_view list_begin =
    "<div class=\"split-view\"><div id=\"list\" tabindex=\"0\" role=\"region\" aria-label=\"instructions\">"
    "<div id=\"grid\" role=\"table\">";

/// The script fills it.
constexpr std::string_view list_end =
    "</div><p id=\"none\" class=\"nothing\" hidden=\"\">No instruction is like that; reset clears search and "
    "filters.</p></div>"
    "<aside id=\"detail\" hidden=\"\" aria-label=\"one instruction\"><div class=\"title\"><h2 id=\"name\"></h2>"
    "<button type=\"button\" id=\"close\" aria-label=\"close\">\xC3\x97</button></div>"
    "<p><a id=\"link\" href=\"#\"></a></p><p id=\"about\"></p><div id=\"body\"></div></aside></div>";

}  // namespace

std::string plain_link(const std::string& href) {
  return fmt::format("<p class=\"note\">This table needs JavaScript. <a href=\"{0}\">{0}</a> has it as text.</p>",
                     href);
}

std::string share_bar(const std::vector<TableShare>& shares) {
  std::string bar, text;
  double at = 0;
  std::ptrdiff_t all = 0;
  for (const TableShare& each : shares) all += each.count;
  for (const TableShare& each : shares) {
    const double share = 100 * static_cast<double>(each.count) / static_cast<double>(std::max<std::ptrdiff_t>(all, 1));
    bar += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" width=\"{:.2f}\" height=\"6\"/>", each.css, at, share);
    at += share;
    text += fmt::format("<li class=\"{}\"><b>{}</b> {}</li>", each.css, each.count, escape(each.text));
  }
  return fmt::format(
      "<ul class=\"tally\">{}</ul><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"share\" viewBox=\"0 0 100 6\" "
      "preserveAspectRatio=\"none\" aria-hidden=\"true\">{}</svg>",
      text, bar);
}

std::string table_filter(std::string_view id, std::string_view label, std::string_view all) {
  return fmt::format("<select id=\"{}\" aria-label=\"{}\"><option value=\"\">{}</option></select>", id, label, all);
}

std::string table_cell(std::string_view css, const std::string& markup) {
  return fmt::format("<div class=\"c {}\" role=\"cell\">{}</div>", css, markup);
}

std::string table_head_cell(const TableColumn& column) {
  return fmt::format("<div class=\"c {}\" role=\"columnheader\"><button type=\"button\">{}{}</button></div>",
                     column.css, column.title, column.unit.empty() ? "" : element("span", "", column.unit));
}

std::string table_row(const std::string& name, const std::string& cells) {
  const std::size_t space = std::min(name.find(' '), name.size());
  return "<div class=\"row\" role=\"row\"><div class=\"c ins\" role=\"rowheader\">" +
         element("b", "", name.substr(0, space)) + escape(name.substr(space)) + "</div>" + cells + "</div>\n";
}

std::string first_screen(const std::string& head_cells, const std::string& rows) {
  return "<div id=\"head\" role=\"rowgroup\"><div class=\"row\" role=\"row\">" +
         table_head_cell({"ins", "instruction", ""}) + head_cells +
         "</div></div><div id=\"rows\" class=\"first\" role=\"rowgroup\">" + rows + "</div>";
}

std::string table_script(const std::string& subject) {
  const auto assets = embedded_assets();
  std::string script;
  for (const std::string& name :
       {std::string("search"), std::string("table_parts"), subject + "_rows", std::string("detail_parts"),
        subject + "_detail", std::string("table_begin"), subject + "_columns", std::string("table_end")})
    script += assets.at(name + ".js");
  return script;
}

std::string closed_part(Parts& parts, const std::string& title, const std::string& says, const std::string& markup) {
  return fmt::format("<details class=\"guide\"><summary>{}</summary><p>{}</p>{}</details>\n", escape(title),
                     escape(says), put_later(parts, markup));
}

std::string render_table_page(const TablePage& page) {
  const auto assets = embedded_assets();
  const std::string style = assets.at("report.css") + assets.at("instructions.css") + page.style;
  const std::string& first = assets.at("instruction_first.js");
  const std::string script = table_script(page.subject) + (page.parts.empty() ? "" : assets.at("parts.js"));
  std::string data;
  for (const std::string& record : page.records) {
    Json table = Json::parse(record);
    table["rows"] = columns_of(table["rows"]);
    data += "<script type=\"application/octet-stream\" class=\"table\">" + packed(compact(table)) + "</script>\n";
  }
  data += page.parts;
  const std::string css = page.html_class.empty() ? "" : fmt::format(" class=\"{}\"", page.html_class);
  return ascii_markup("<!DOCTYPE html>\n<html lang=\"en\"" + css + ">" + html_head(page.title, style, {first, script}) +
                      "<body><script>" + first + "</script>" + site_bar(page.place, page.placeholder) + page.head +
                      "<main id=\"app\">" + "<div class=\"filters\">" + page.filters + std::string(filters_end) +
                      std::string(list_begin) + page.first_rows + std::string(list_end) +
                      "</main>\n<noscript><div class=\"without\">" + page.plain + "</div></noscript>\n" + data +
                      search_data(page.place) + "<script>" + script + "</script></body></html>\n");
}

}  // namespace warpclock
