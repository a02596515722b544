#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/instruction.hpp"

namespace warpclock {

/// How a register's bits come from random ones: `(random & keep) | set`, 64 bits wide; what is narrower is repeated.
struct ValueMask {
  std::uint64_t keep = ~std::uint64_t{0}, set = 0;
  bool lane = false;  ///< the lane's number instead
};

/// For an element type ("f32", "f16x2", "u64", ...) in a register of class `file` and a word of value_names(); an
/// empty word is "random". A type without floats takes "denormal", "infinity" and "nan" for "random".
[[nodiscard]] ValueMask value_mask(std::string_view type, RegisterClass file, std::string_view value);

}  // namespace warpclock
