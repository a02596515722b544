#pragma once

#include <string>
#include <string_view>

namespace warpclock {

/// RFC 4648, section 4, padded.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace warpclock
