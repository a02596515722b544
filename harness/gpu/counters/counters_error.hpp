#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// Error "counters-refused": the driver reserves the counters for administrators. The text says how to change that.
[[nodiscard]] Error counters_refused();

/// Error "counters-absent", with the reason.
[[nodiscard]] Error counters_absent(std::string_view why);

/// The error that the environment requests instead of counters: WARPCLOCK_NO_COUNTERS (set, and neither empty nor 0) or
/// WARPCLOCK_COUNTERS=refused|absent. Nothing if it requests none.
[[nodiscard]] std::optional<Error> counters_switched_off();

}  // namespace warpclock
