#include "report/html/html.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/text.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"

namespace warpclock {

std::string element(std::string_view tag, std::string_view css_class, std::string_view text) {
  return css_class.empty() ? fmt::format("<{0}>{1}</{0}>", tag, escape(text))
                           : fmt::format("<{0} class=\"{1}\">{2}</{0}>", tag, css_class, escape(text));
}

std::string scroll_table(const std::string& label, std::string_view css, const std::vector<std::string>& heads,
                         const std::string& rows) {
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"{}\"><thead><tr>",
      escape(label), css);
  for (const std::string& head : heads) {
    const bool number = head.starts_with('#');
    out +=
        fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"n\"" : "", escape(head.substr(number ? 1 : 0)));
  }
  return out + "</tr></thead><tbody>" + rows + "</tbody></table></div>";
}

std::string text_row(const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) out += element("td", "", cell);
  return out + "</tr>";
}

std::string section_head(std::string_view id, std::string_view heading) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>", id, heading);
}

std::string case_link(const CaseRecord& row) {
  return fmt::format("<a class=\"case-link\" href=\"#{}\">{}</a>", escape(anchor(row.id)), escape(row.id));
}

std::string family_anchor(std::string_view family) { return "family:" + anchor(family); }
std::string probe_anchor(std::string_view probe) { return "probe:" + anchor(probe); }

namespace {

/// A drawing of the whole result, shown before its probes; no markup if the result has none of its numbers.
struct Overview {
  const char* id;
  std::string_view name;
  std::string markup;
};

std::vector<Overview> overviews(const PageContext& page) {
  std::vector<Overview> all = {{"memory", memory_heading, html_memory(page)},
                               {"tensor", tensor_heading, html_tensor(page)},
                               {"handoffs", handoffs_heading, html_handoffs(page)},
                               {"pipelines", pipelines_heading, html_pipelines(page)}};
  std::erase_if(all, [](const Overview& each) { return each.markup.empty(); });
  return all;
}

std::string navigation(const PageContext& page, const std::vector<Overview>& overviews) {
  std::string out = "<nav class=\"sections\" aria-label=\"sections\"><ul>";
  for (const Overview& each : overviews) out += fmt::format("<li><a href=\"#{}\">{}</a></li>", each.id, each.name);
  out += fmt::format("<li><a href=\"#findings\">{}</a></li></ul><ul>", findings_heading);
  for (const FamilyOutline& family : page.families) {
    out += fmt::format("<li><a class=\"fam\" href=\"#{}\">{}</a><ul>", escape(family_anchor(family.name)),
                       escape(family.name));
    for (const ProbeOutline& probe : family.probes) {
      const std::string& name = probe.probe.name;
      const std::size_t slash = name.find('/');
      const std::string text = escape(slash == std::string::npos ? name : name.substr(slash + 1));
      out += fmt::format("<li><a href=\"#{}\">{} <i>{}</i></a></li>", escape(probe_anchor(name)),
                         replace_all(text, "_", "_<wbr/>"), probe.cases.size());
    }
    out += "</ul></li>";
  }
  return out + fmt::format(
                   "</ul><ul><li><a href=\"#unpublished\">{}</a></li><li><a href=\"#reading\">{}</a></li></ul></nav>\n",
                   unpublished_heading, reading_heading);
}

/// Finds cases that time the same code, which throughput sweeps have many of. The first of them shows it.
std::map<const CaseRecord*, const CaseRecord*> shown_by(const std::vector<FamilyOutline>& families) {
  std::map<std::pair<std::vector<std::string>, std::string>, const CaseRecord*> first;
  std::map<const CaseRecord*, const CaseRecord*> out;
  for (const FamilyOutline& family : families) {
    for (const ProbeOutline& probe : family.probes) {
      if (is_curve(probe)) continue;
      for (const CaseRecord* row : probe.cases) {
        out[row] = first.try_emplace({row->window.sass, row->ptx}, row).first->second;
      }
    }
  }
  return out;
}

}  // namespace

std::string page_title(const Record& record, const PagePlace& place) {
  return name_of(record.device) + (place.suite.empty() ? "" : ", " + place.suite);
}

std::string render_html(const Record& record, const PagePlace& place) {
  Variations variations(record);
  std::vector<FamilyOutline> families = outline(record, variations);
  PageContext page{record, std::move(variations), std::move(families)};
  page.place = place;
  page.shown_by = shown_by(page.families);
  const auto assets = embedded_assets();
  const std::string style = assets.at("report.css") + assets.at("memory.css");
  const std::string script = assets.at("search.js") + assets.at("parts.js") + assets.at("report.js");

  std::string body;
  Parts tables;
  std::size_t index = 0;
  for (const FamilyOutline& family : page.families) {
    body += fmt::format("<section class=\"family\" id=\"{0}\"><h2>{1}</h2>\n", escape(family_anchor(family.name)),
                        escape(family.name));
    for (const ProbeOutline& probe : family.probes) body += html_probe(page, probe, index++, tables);
    body += "</section>\n";
  }
  const std::vector<Overview> first = overviews(page);
  std::string pictures;
  for (const Overview& each : first) pictures += each.markup;
  return "<!DOCTYPE html>\n<html lang=\"en\">" + html_head(page_title(record, place), style, {script}) +
         "<body><a class=\"skip\" href=\"#device\">Skip to the numbers</a>\n" +
         site_bar(place, "Search: ldmatrix.x4, cp.async, bank conflict") + "<div class=\"page\">" +
         navigation(page, first) + "<main>" + html_header(page) + pictures + html_findings(page) + body +
         html_unpublished(page) + html_reading(page) + "</main></div>\n" + packed_data("tables", tables) +
         packed_data("folds", html_folds(page)) + search_data(place) + "<script>" + script +
         "</script></body></html>\n";
}

}  // namespace warpclock
