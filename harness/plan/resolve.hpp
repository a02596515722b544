#pragma once

#include "base/error.hpp"
#include "plan/arch.hpp"
#include "plan/case.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// The case of one point on one architecture, without its id. Error "config" for what load_suite() refuses.
[[nodiscard]] Expected<Case> resolve(const Probe& probe, const Parameters& point, const Arch& arch);

}  // namespace warpclock
