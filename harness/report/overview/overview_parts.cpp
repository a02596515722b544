#include "report/overview/overview_parts.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/quantity_value.hpp"

namespace warpclock {
namespace {

std::string number_cell(const ReportedGpu& gpu, const std::optional<GpuQuantity>& number, bool with_folder) {
  if (!number) return "<td class=\"n none\">\xE2\x80\x93</td>";
  const std::string text = escape(value_text(number->value));
  if (number->value.probe.empty()) return "<td class=\"n\">" + text + "</td>";
  const std::string folder = with_folder ? percent_encoded(gpu.folder) + "/" : "";
  return fmt::format("<td class=\"n\"><a href=\"{}{}#{}\" title=\"{}\">{}</a></td>", folder,
                     percent_encoded(ReportedGpu::page_of(number->suite)), escape(probe_anchor(number->value.probe)),
                     escape(number->value.from), text);
}

}  // namespace

std::string overview_page(const std::string& title, const PagePlace& place, const std::string& main,
                          const std::string& extra_style, const Parts& parts) {
  const auto assets = embedded_assets();
  const std::string style = assets.at("report.css") + assets.at("overview.css") + extra_style;
  const std::string script =
      assets.at("inflate.js") + assets.at("search.js") + assets.at("overview.js") + (parts.empty() ? "" : assets.at("parts.js"));
  return "<!DOCTYPE html>\n<html lang=\"en\">" + html_head(title, style, {script}) + "<body class=\"overview\">" +
         site_bar(place, "Search: ldmatrix.x4, cp.async, bank conflict") + "<main>" + main + "</main>\n" +
         packed_data("tables", parts) + search_data(place) + "<script>" + script + "</script></body></html>\n";
}

std::string main_numbers(const std::vector<ReportedGpu>& gpus, bool with_links) {
  const Expected<Quantities>& known = known_quantities();
  if (!known) return element("p", "warn", known.error().message());
  std::vector<std::string> heads = {"quantity"};
  for (const ReportedGpu& gpu : gpus) heads.push_back("#" + gpu.name());
  std::string rows;
  for (const auto& [name, quantity] : *known) {
    std::string cells;
    bool any = false;
    for (const ReportedGpu& gpu : gpus) {
      const auto number = find_quantity(gpu, quantity);
      any = any || number.has_value();
      cells += number_cell(gpu, number, with_links);
    }
    if (any) {
      rows +=
          "<tr><th scope=\"row\">" + escape(name) + element("span", "", quantity.says) + "</th>" + cells + "</tr>\n";
    }
  }
  if (rows.empty()) return {};
  return section_head("numbers", "Main numbers") + scroll_table("main numbers", "numbers", heads, "\n" + rows) +
         "</section>\n";
}

}  // namespace warpclock
