#pragma once

#include <string>
#include <vector>

#include "build/listing.hpp"
#include "build/verdict.hpp"

namespace warpclock {

/// The window as a table for a person, both clock reads included: address, stall count, yield, the scoreboards that are
/// set when the result is written (W) and when the sources are read (R), the scoreboards waited for, SASS. Empty when
/// the listing has no window.
[[nodiscard]] std::string show_window(const Listing& listing, const Verdict& verdict);

/// The same without heading, one short line an instruction, for the record:
/// "0110 stall 4 W0 wait 2,5       SHFL.BFLY PT, R4, R2, R3, 0x1f".
[[nodiscard]] std::vector<std::string> window_lines(const Listing& listing, const Verdict& verdict);

}  // namespace warpclock
