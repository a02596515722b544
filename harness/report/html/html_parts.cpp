#include "report/html/html_parts.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"
#include "report/page/suite_page.hpp"

namespace warpclock {

std::string section_head(std::string_view id, std::string_view heading) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>", id, heading);
}

std::string html_device_facts(const DeviceFacts& device) {
  std::string out;
  for (const Json& fact : device_facts(device, {}, {}))
    out += "<div>" + element("dt", "", fact[0].get<std::string>()) + element("dd", "", fact[1].get<std::string>()) +
           "</div>";
  return "<dl class=\"facts\">" + out + "</dl>";
}

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

std::string badge(const CaseRecord& row) {
  const bool measured = row.outcome == Outcome::Measured;
  if (measured && is_shared(row)) return element("span", "badge rejected", "shared");
  return element("span", "badge " + std::string(word(row.outcome)),
                 measured ? row.window.verdict : std::string(word(row.outcome)));
}

std::string family_anchor(std::string_view family) { return "family:" + anchor(family); }
std::string probe_anchor(std::string_view probe) { return "probe:" + anchor(probe); }

}  // namespace warpclock
