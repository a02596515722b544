#pragma once

#include <string>

#include "base/json/json_text.hpp"
#include "record/kernel_record.hpp"

namespace warpclock {

/// What was predicted and measured, and on which GPU. It names the study if there is one only.
[[nodiscard]] std::string kernel_title(const KernelTable& table);

/// What a page shows of each row, and the errors of all.
[[nodiscard]] Json kernel_words(const KernelTable& table);

}  // namespace warpclock
