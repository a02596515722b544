#pragma once

#include <cstddef>
#include <string>

#include "code/listing.hpp"

namespace warpclock {

/// How a verdict names an instruction: "'SHFL.BFLY PT, R4, R2, R3, 0x1f' at 0x0110".
[[nodiscard]] std::string cite(const Listing& listing, std::size_t index);

/// "@!P0 BRA `(.L_x_1)".
[[nodiscard]] std::string code_of(const Instruction& instruction);

/// "0 times", "once", "twice", "64 times".
[[nodiscard]] std::string times(long long count);

}  // namespace warpclock
