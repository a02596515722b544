#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_text.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// The head element of a self-contained page: its style, and a policy that allows only that style and those scripts.
[[nodiscard]] std::string html_head(const std::string& title, const std::string& style,
                                    const std::vector<std::string>& scripts);

/// The bar at the top of every page: links to all GPUs, to the GPU and to each of its pages, the search, and the switch
/// between light and dark. The search and the switch are hidden until the script runs.
[[nodiscard]] std::string site_bar(const PagePlace& place, const std::string& placeholder);

/// The index that the search of the bar reads (report/overview/index_html.hpp), as a <script>; empty if there is none.
[[nodiscard]] std::string search_data(const PagePlace& place);

/// `text` deflated, and in letters that need no escaping in HTML and XML, as site.inflate() unpacks it.
[[nodiscard]] std::string packed(std::string_view text);

/// Markup that the page carries packed, by name: it is many times larger, and without its elements a page loads sooner.
using Parts = Json;
/// An element that the script fills with `markup`, which goes to `parts`: when the <details> around it is opened, or
/// when the page has loaded.
[[nodiscard]] std::string put_later(Parts& parts, const std::string& markup);
/// What a script of the page unpacks, as a <script> with that id, if there is any: "tables" are the parts of
/// put_later().
[[nodiscard]] std::string packed_data(std::string_view id, const Json& data);

/// "sha256-..." in base64, as a Content-Security-Policy source names an inline script or style (CSP level 3).
[[nodiscard]] std::string csp_hash(std::string_view text);

}  // namespace warpclock
