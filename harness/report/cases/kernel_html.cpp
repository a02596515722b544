#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "report/cases/kernel_pages.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"
#include "report/overview/overview_parts.hpp"
#include "report/sections/kernel_cells.hpp"

namespace warpclock {
namespace {

/// A bar from the middle: to the left if the prediction is too low. Its whole width is 40 % in either direction.
std::string error_bar(const KernelRow& row) {
  const auto error = error_of(row);
  if (!error) return {};
  constexpr double half = 60, most = 40;
  constexpr int width = 120, height = 10;
  const double at = std::clamp(error->middle(), -most, most) / most * half;
  const char* size = std::abs(error->middle()) <= 5 ? "near" : std::abs(error->middle()) <= 15 ? "far" : "off";
  return fmt::format(
      "<svg width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"{2:+.1f} %\"><line x1=\"{3}\" y1=\"0\" x2=\"{3}\" "
      "y2=\"{1}\"/><rect x=\"{4:.1f}\" y=\"2\" width=\"{5:.1f}\" height=\"{6}\" class=\"{7}\"/></svg>",
      width, height, error->middle(), half, half + std::min(at, 0.0), std::max(1.0, std::abs(at)), height - 4, size);
}

std::string row_markup(const KernelRow& row, bool compared) {
  const KernelCells cells = kernel_cells(row);
  std::string text = element("th", "", cells.point);
  text += element("td", "num", cells.predicted) + element("td", "num", cells.measured);
  text += "<td class=\"num\">" + escape(cells.error) + " " + error_bar(row) + "</td>";
  text += element("td", "", cells.predicted_limiter) + element("td", "", cells.measured_limiter);
  text += element("td", cells.agrees.starts_with("no") ? "differs" : "", cells.agrees);
  return "<tr>" + text + (compared ? element("td", "", cells.library) : "") + "</tr>\n";
}

std::string study_markup(const KernelStudyRows& study, Parts& parts) {
  std::string head;
  for (const char* title :
       {"case", "predicted (cycles)", "measured (cycles)", "error", "limiter, predicted", "limiter, counted", "agrees"})
    head += element("th", "", title);
  if (study.compared) head += element("th", "", "library");
  std::string rows;
  for (const KernelRow* row : study.rows) rows += row_markup(*row, study.compared);
  const std::string says = study.says.empty() ? "" : element("p", "", study.says);
  return "<section>" + element("h2", "", study.study) + says +
         put_later(parts, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>" + head + "</tr></thead><tbody>\n" +
                              rows + "</tbody></table></div>") +
         "</section>\n";
}

std::string list_markup(const std::vector<std::string>& lines) {
  std::string items;
  for (const std::string& line : lines) items += element("li", "", line) + "\n";
  return items.empty() ? items : "<ul>\n" + items + "</ul>\n";
}

}  // namespace

std::string render_kernel_html(const KernelTable& table, const PagePlace& place) {
  const std::string title = kernel_title(table);
  std::string body = element("h1", "", title);
  body += element("p", "",
                  fmt::format("Costs of {}. {}, commit {}.", table.model, table.provenance.date.substr(0, 10),
                              table.provenance.commit.substr(0, 12)));
  body += list_markup(kernel_summary(table)) + element("p", "", kernel_legend(table));
  body += "<noscript><p>The tables need JavaScript; cases.md has them.</p></noscript>";
  Parts parts;
  for (const KernelStudyRows& study : studies_of(table)) body += study_markup(study, parts);
  if (const std::string gaps = list_markup(kernel_gaps(table)); !gaps.empty())
    body += element("h2", "", "Without a prediction or a measurement") + gaps;
  return ascii_markup(
      overview_page(title, place, "<div class=\"cases\">" + body + "</div>", embedded_assets().at("cases.css"), parts));
}

}  // namespace warpclock
