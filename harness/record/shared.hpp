#pragma once

#include <string>

#include "record/record.hpp"

namespace warpclock {

/// Whether other work ran on the GPU during the case. One of its premises then says "not shared: ...", and is broken.
[[nodiscard]] bool is_shared(const CaseRecord& record);
/// "12 of 880 cases were measured while other work ran on the GPU ...", or empty.
[[nodiscard]] std::string shared_in_words(const Record& record);

/// "14 of 54 cases were measured by a run that was stopped; it began 2026-11-27T20:15:00Z", or empty.
[[nodiscard]] std::string resumed_in_words(const Record& record);

}  // namespace warpclock
