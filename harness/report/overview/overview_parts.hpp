#pragma once

#include <string>
#include <vector>

#include "report/html/html_page.hpp"
#include "report/overview/reported_gpu.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// A page of text and tables: head, bar, `main`, and the script of the search; `style` is added to that of all pages,
/// and `parts` are what put_later() left out.
[[nodiscard]] std::string overview_page(const std::string& title, const PagePlace& place, const std::string& main,
                                        const std::string& style = {}, const Parts& parts = {});

/// A section of the main numbers of the memory system (quantities.yaml), one column for each GPU.
[[nodiscard]] std::string main_numbers(const std::vector<ReportedGpu>& gpus, bool with_links);

}  // namespace warpclock
