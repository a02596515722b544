#pragma once

#include <string_view>

#include "record/record.hpp"

namespace warpclock {

/// Rejects rows of earlier records that were found wrong later: their machine code is not what their probe claims, and
/// the window did not ask for it then. Each says why.
void withdraw_wrong_rows(Record& record);

/// Whether rows of a probe are among them, by their parameters and the opcodes of their windows.
[[nodiscard]] bool may_be_withdrawn(std::string_view probe);

}  // namespace warpclock
