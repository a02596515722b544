#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/instruction.hpp"

namespace warpclock {

/// How a register's bits are made from random ones: `(random & keep) | set`, 64 bits wide; narrower values are
/// repeated.
struct ValueMask {
  std::uint64_t keep = ~std::uint64_t{0}, set = 0;
  bool lane = false;  ///< the lane's number instead of random bits
};

/// For an element type ("f32", "f16x2", "u64", ...) in a register of class `file` and a word of value_names(); an empty
/// word is "random". For a type without floats, "denormal", "infinity" and "nan" mean "random".
[[nodiscard]] ValueMask value_mask(std::string_view type, RegisterClass file, std::string_view value);

}  // namespace warpclock
