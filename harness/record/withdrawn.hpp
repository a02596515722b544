#pragma once

#include "record/record.hpp"

namespace warpclock {

/// Rejects rows of earlier records that were found wrong later: their machine code is not what their probe claims, and
/// the window did not ask for it then. Each says why.
void withdraw_wrong_rows(Record& record);

}  // namespace warpclock
