#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// The part of a matrix that one thread holds.
struct Fragment {
  std::string type;  ///< of one register: "f16x2", "b32", "f32", "f64"
  int elements = 1;
};

/// The fragment of matrix 'a', 'b', 'c' or 'd' for an mma, mma.sp, wmma.mma, wmma.load or wmma.store with these
/// modifiers (PTX ISA, "Matrix Fragments for mma" and "for wmma"): the elements of the shape, distributed over 32
/// threads. Error "ptx" without a place if the modifiers name no shape or no type for it.
[[nodiscard]] Expected<Fragment> matrix_fragment(std::string_view opcode, const std::vector<std::string>& modifiers,
                                                 char matrix);

}  // namespace warpclock
