#pragma once

#include <cstddef>

#include "compose/hole_source.hpp"

namespace warpclock::hole_layout {

// Where what a hole's kernel loads and stores is in its data: quads, each with those of all threads one after another,
// first as inputs and then as results; then the cells in global memory.

inline constexpr std::size_t components = quad_registers, thread_bytes = 16;
inline constexpr std::size_t quad_bytes = 1024 * thread_bytes;  // of one quad, for every thread that a block can have
inline constexpr std::size_t most_quads = hole_quads + 1;
inline constexpr std::size_t results_at = most_quads * quad_bytes;  // after the inputs
inline constexpr std::size_t cells_at = 2 * results_at;             // cells of 4, 8 and 16 bytes for each thread
inline constexpr std::size_t place_bytes = 3 * quad_bytes;          // of the cells at one place

}  // namespace warpclock::hole_layout
