#pragma once

#include <array>
#include <cstdint>

#include "execute/forms/code_step.hpp"

namespace warpclock {

/// The words of a lane's access.
using AtomicWords = std::array<std::uint32_t, 4>;

/// What an atomic operation leaves in memory. `other`: the new value of a compare-and-swap, whose `operand` is
/// compared.
[[nodiscard]] AtomicWords atomic_result(const CodeStep& step, const AtomicWords& old, const AtomicWords& operand,
                                        const AtomicWords& other);

}  // namespace warpclock
