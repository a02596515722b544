#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_text.hpp"
#include "report/page/page_place.hpp"

namespace warpclock {

/// A page: a shell, the data that it carries, and one program (assets/*.js) that shows them. It makes no request.
// NOLINTNEXTLINE(bugprone-exception-escape): the check takes the moves of JSON for functions that throw.
struct Page {
  std::string kind;         ///< what the program shows: "suite"
  std::string title;        ///< of the window, and the heading
  std::string lead;         ///< one or two sentences, seen before the program has run
  std::string placeholder;  ///< of the search
  std::vector<Json> records;
  Json extras;       ///< what is not in the records: {} if nothing
  std::string data;  ///< href of its record, to which a page without JavaScript leads
  PagePlace place;
};

/// The only HTML of the program. The same page gives the same bytes; everything foreign is escaped.
[[nodiscard]] std::string render_page(const Page& page);

/// A record as its page carries it: each array of objects among its members as columns (columns_of()).
[[nodiscard]] Json in_columns(Json record);

/// Gzip in base64, as carried() in assets/base.js reads it.
[[nodiscard]] std::string packed(std::string_view text);

/// "sha256-..." in base64, as a Content-Security-Policy source names an inline script or style (CSP level 3).
[[nodiscard]] std::string csp_hash(std::string_view text);

/// The head element of a self-contained page: its style, and a policy that allows only that style and those scripts.
[[nodiscard]] std::string html_head(const std::string& title, const std::string& style,
                                    const std::vector<std::string>& scripts);

/// The bar at the top of every page: links to all GPUs, to the GPU and to each of its pages; the search and the switch
/// between light and dark, which are hidden until the script runs.
[[nodiscard]] std::string site_bar(const PagePlace& place, const std::string& placeholder);

/// The scripts of a kind of page, one after the other.
[[nodiscard]] std::string page_script(const std::string& kind);

}  // namespace warpclock
