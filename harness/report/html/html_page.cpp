#include "report/html/html_page.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "report/page/page.hpp"

namespace warpclock {
std::string search_data(const PagePlace& place) {
  if (place.search.empty()) return {};
  return fmt::format("<script type=\"application/octet-stream\" id=\"index\" data-to=\"{}\">{}</script>\n",
                     escape(place.to_gpu), place.search);
}

std::string put_later(Parts& parts, const std::string& markup) {
  const std::string id = fmt::format("part-{}", parts.size());
  parts[id] = markup;
  return fmt::format("<div class=\"all\" id=\"{}\"></div>", id);
}

std::string packed_data(std::string_view id, const Json& data) {
  if (data.empty()) return {};
  return fmt::format("<script type=\"application/octet-stream\" id=\"{}\">{}</script>\n", id, packed(compact(data)));
}

}  // namespace warpclock
