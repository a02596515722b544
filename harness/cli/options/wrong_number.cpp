#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "cli/options/options.hpp"

namespace warpclock {

std::string wrong_number(const std::string& given) {
  if (!std::isfinite(std::strtod(given.c_str(), nullptr))) return fmt::format("'{}' is not a finite number", given);
  errno = 0;
  const bool negative = given.starts_with('-');
  if (negative ? std::strtoll(given.c_str(), nullptr, 0) != 0 : std::strtoull(given.c_str(), nullptr, 0) != 0)
    return errno == ERANGE ? fmt::format("'{}' is too large", given) : "";
  return "";
}

}  // namespace warpclock
