#pragma once

#include <cstddef>

#include "compose/hole_layout.hpp"

namespace warpclock::proof_data {

// Where things are in the data of a hole of HoleUse::Operands, beyond hole_layout.hpp.

inline constexpr std::size_t threads = hole_layout::quad_bytes / hole_layout::thread_bytes, warps = threads / 32;
/// The inputs of the last quad, which this hole does not have, are words that the kernel finds in its argument instead,
/// where that has a tensor map. Each constant operand of a window has its own.
inline constexpr std::size_t constants_at = hole_quads * hole_layout::quad_bytes;
inline constexpr int constants_in_argument = 128, constant_bytes = 16;

/// What is kept of the data after a launch.
inline constexpr std::size_t begin = hole_layout::results_at, end = hole_layout::cells_at + hole_layout::place_bytes;

}  // namespace warpclock::proof_data
