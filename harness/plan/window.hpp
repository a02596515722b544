#pragma once

#include <vector>

#include "plan/arch.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// Whether `arch` has what the probe measures.
[[nodiscard]] bool has(const Arch& arch, const Needs& needs);

/// What this architecture lacks of what a probe needs at this point; null if it has all.
[[nodiscard]] const Needs* lacking(const Arch& arch, const Probe& probe, const Parameters& point);

/// The first window for this architecture and point, or null.
[[nodiscard]] const WindowSpec* find_window(const std::vector<WindowSpec>& windows, const Arch& arch,
                                            const Parameters& point);

/// Replaces the placeholders in the expectation's opcodes. Error "config" on an unknown one.
[[nodiscard]] Expected<Expectation> resolve(const Expectation& expect, const Parameters& point);

}  // namespace warpclock
