#pragma once

#include <string>

#include "record/kernel_record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// cases.html: the same as cases.md as a self-contained page, with a bar for each signed error.
[[nodiscard]] std::string render_kernel_html(const KernelTable& table, const PagePlace& place = {});

/// cases.md: kernels with what was predicted, what was measured, and the signed error.
[[nodiscard]] std::string render_kernel_markdown(const KernelTable& table);

}  // namespace warpclock
