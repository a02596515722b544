#pragma once

#include <string>

#include "record/page_place.hpp"

namespace warpclock {

/// The bar at the top of every page: links to all GPUs, to the GPU and to each of its pages, the search, and the switch
/// between light and dark. The search and the switch are hidden until the script runs.
[[nodiscard]] std::string site_bar(const PagePlace& place, const std::string& placeholder);

/// The index that the search of the bar reads (overview/search_index.hpp), as a <script>; empty if there is none.
[[nodiscard]] std::string search_data(const PagePlace& place);

}  // namespace warpclock
