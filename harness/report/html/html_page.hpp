#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_text.hpp"
#include "report/page/page.hpp"

namespace warpclock {

/// The index that the search of the bar reads (report/overview/index_html.hpp), as a <script>; empty if there is none.
[[nodiscard]] std::string search_data(const PagePlace& place);

/// Markup that the page carries packed, by name: it is many times larger, and without its elements a page loads sooner.
using Parts = Json;
/// An element that the script fills with `markup`, which goes to `parts`: when the <details> around it is opened, or
/// when the page has loaded.
[[nodiscard]] std::string put_later(Parts& parts, const std::string& markup);
/// What a script of the page unpacks, as a <script> with that id, if there is any: "tables" are the parts of
/// put_later().
[[nodiscard]] std::string packed_data(std::string_view id, const Json& data);

}  // namespace warpclock
