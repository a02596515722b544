#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// Keeps bytes in memory until this process ends, however it does. Returns a path under which this process and those
/// that it starts can read them. Bytes of the same name are kept once. Error "io".
[[nodiscard]] Expected<std::string> memory_file(const std::string& name, std::string_view bytes);

}  // namespace warpclock
