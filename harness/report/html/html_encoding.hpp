#pragma once

#include <string>
#include <string_view>

namespace warpclock {

/// `text` deflated and in base64 (RFC 4648, section 4), as scripts of pages unpack it.
[[nodiscard]] std::string packed(std::string_view text);

/// "sha256-..." in base64, as a Content-Security-Policy source names an inline script or style (CSP level 3).
[[nodiscard]] std::string csp_hash(std::string_view text);

}  // namespace warpclock
