#pragma once

#include <string>

#include "base/json/json_text.hpp"
#include "fleet/baseline.hpp"
#include "fleet/fleet.hpp"

namespace warpclock {

/// The page of a fleet: a map with a square for each GPU, what is away from the rest, and the distribution of each row.
/// `gate` may be null.
[[nodiscard]] std::string render_fleet(const Fleet& fleet, const GateResult* gate);

/// What the page carries: fleet_json() without the rows that are not compared, and what is said of each model and GPU
/// (assets/fleet.js).
[[nodiscard]] Json fleet_words(const Fleet& fleet, const GateResult* gate);

}  // namespace warpclock
