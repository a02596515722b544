#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpclock {

/// FIPS 180-4.
[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view text);

/// "sha256-..." in base64, as a Content-Security-Policy source names an inline script or style (CSP level 3).
[[nodiscard]] std::string csp_hash(std::string_view text);

}  // namespace warpclock
