#pragma once

#include <vector>

#include "base/error.hpp"
#include "ptx/bind.hpp"
#include "ptx/form.hpp"

namespace warpclock {

/// Turns operands that name a variable into constants: the address of a variable of the kernel. Errors
/// "ptx-unsupported" for a parameter that a register points to, or that belongs to a called function.
[[nodiscard]] Expected<void> bind_variables(const PtxLine& line, const std::vector<Match>& matches,
                                            std::vector<Bound>& bound);

}  // namespace warpclock
