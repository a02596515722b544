#pragma once

#include <string>

#include "fleet/baseline.hpp"
#include "fleet/fleet.hpp"

namespace warpclock {

/// A self-contained page: a map with a square for each GPU, what is away from the rest, and the distribution of each
/// row as a drawing. `gate` may be null.
[[nodiscard]] std::string render_fleet(const Fleet& fleet, const GateResult* gate);

}  // namespace warpclock
