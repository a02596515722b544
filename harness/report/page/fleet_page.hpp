#pragma once

#include <string>

#include "fleet/baseline.hpp"
#include "fleet/fleet.hpp"

namespace warpclock {

/// The page of a fleet: a map with a square for each GPU, what is away from the rest, and the distribution of each row.
/// `gate` may be null.
[[nodiscard]] std::string render_fleet(const Fleet& fleet, const GateResult* gate);

}  // namespace warpclock
