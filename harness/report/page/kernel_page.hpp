#pragma once

#include <string>

#include "base/json/json_text.hpp"
#include "record/kernel_record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// cases.html: kernels with what was predicted, what was measured, and the signed error. Pure.
[[nodiscard]] std::string render_kernel_html(const KernelTable& table, const PagePlace& place = {});

/// What it shows, for assets/cases.js.
[[nodiscard]] Json kernel_words(const KernelTable& table);

}  // namespace warpclock
