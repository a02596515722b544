#pragma once

#include <string>

#include "code/listing.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// The window as a table for a person, including both clock reads. Columns: address, stall count, yield, the
/// scoreboards that are set when the result is written (W) and when the sources are read (R), the scoreboards waited
/// for, SASS. Empty if the listing has no window.
[[nodiscard]] std::string show_window(const Listing& listing, const Verdict& verdict);

}  // namespace warpclock
