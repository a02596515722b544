#include "report/html/site_bar.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"

namespace warpclock {
namespace {

std::string site_link(const std::string& href, const std::string& text, bool here, const char* css = "") {
  return fmt::format("<a{} href=\"{}\"{}>{}</a>", css, escape(href), here ? " aria-current=\"page\"" : "",
                     escape(text));
}

}  // namespace

std::string site_bar(const PagePlace& place, const std::string& placeholder) {
  const bool any_page = !place.links.empty();
  bool inner = false;  // one of the GPU's pages, not its overview
  for (const PageLink& link : place.links) inner = inner || link.here;
  std::string pages;
  if (!place.all.empty()) pages += site_link(place.all, "all GPUs", !any_page, " class=\"up\"");
  if (!place.gpu.empty()) {
    const std::string name = place.gpu_name.empty() ? "this GPU" : place.gpu_name;
    pages += site_link(place.gpu, name, any_page && !inner, " class=\"up\"");
  }
  for (const PageLink& link : place.links) pages += site_link(link.href, link.text, link.here);
  if (!pages.empty()) pages = "<nav class=\"pages\" aria-label=\"pages\">" + pages + "</nav>";
  return "<header class=\"bar\"><a class=\"brand\" href=\"" + (place.all.empty() ? "#" : escape(place.all)) +
         "\">warpclock</a><div class=\"tools\" hidden=\"\"><input id=\"search\" type=\"search\" placeholder=\"" +
         escape(placeholder) +
         "\" aria-label=\"search\" aria-controls=\"hits\" autocomplete=\"off\" spellcheck=\"false\"/>"
         "<button type=\"button\" id=\"theme\" aria-label=\"light or dark\">\xE2\x97\x90</button></div>" +
         pages + "</header>\n<div id=\"hits\" hidden=\"\"></div>\n";
}

std::string search_data(const PagePlace& place) {
  if (place.search.empty()) return {};
  return fmt::format("<script type=\"application/octet-stream\" id=\"index\" data-to=\"{}\">{}</script>\n",
                     escape(place.to_gpu), place.search);
}

}  // namespace warpclock
