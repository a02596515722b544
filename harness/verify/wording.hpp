#pragma once

#include <cstddef>
#include <string>

#include "code/listing.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// How a verdict names an instruction: "'SHFL.BFLY PT, R4, R2, R3, 0x1f' at 0x0110".
[[nodiscard]] std::string cite(const Listing& listing, std::size_t index);

/// "@!P0 BRA `(.L_x_1)".
[[nodiscard]] std::string code_of(const Instruction& instruction);

/// "0 times", "once", "twice", "64 times".
[[nodiscard]] std::string times(long long count);

/// The window as a table for a person, including both clock reads. Columns: address, stall count, yield, the
/// scoreboards that are set when the result is written (W) and when the sources are read (R), the scoreboards waited
/// for, SASS. Empty if the listing has no window.
[[nodiscard]] std::string show_window(const Listing& listing, const Verdict& verdict);

}  // namespace warpclock
