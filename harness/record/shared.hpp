#pragma once

#include <string>

#include "record/record.hpp"

namespace warpclock {

/// Whether other work ran on the GPU during the case. One of its premises then says "not shared: ...", and is broken.
[[nodiscard]] bool is_shared(const CaseRecord& record);
/// "12 of 880 cases were measured while other work ran on the GPU ...", or empty.
[[nodiscard]] std::string shared_in_words(const Record& record);

}  // namespace warpclock
