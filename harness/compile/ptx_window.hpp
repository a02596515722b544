#pragma once

#include <string>
#include <string_view>

namespace warpclock {

/// The PTX statements of entry `symbol` between its first and its last read of %clock64 (or %clock), without
/// indentation, blank lines and the compiler's markers around inline assembly. Empty if there is no such entry or it
/// has fewer than two reads.
[[nodiscard]] std::string ptx_window(std::string_view ptx, std::string_view symbol);

}  // namespace warpclock
