#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "compose/hole_source.hpp"

namespace warpclock {

/// Whose operands differ: those of every thread, or those of every warp, whose threads have the same ones.
enum class OperandsOf : std::uint8_t { Thread, Warp };

/// So many launches have operands of each kind. Uniform registers have one value of a warp, so it takes as many
/// launches of 32 warps to see 1,024 of them.
inline constexpr std::size_t operand_launches = 32;

/// The data of launch `launch` for a hole of HoleUse::Operands: what 1,024 threads find in their quads and cells. A
/// third of the quads hold random bits. The others hold edges: of integers, of floats of 16, 32 and 64 bits and of 8
/// (zeros, denormals, infinities, NaNs of both kinds, the numbers on both sides of a power of two), numbers around the
/// limits of conversions and half-way between two results, numbers with few digits (whose sums are exact or cancel),
/// and small numbers. In a third of the threads all quads hold the same kind. The same bytes everywhere.
[[nodiscard]] std::string operand_data(std::size_t launch, OperandsOf of);

/// Identifies all of them.
[[nodiscard]] std::string operands_digest();

}  // namespace warpclock

namespace warpclock::proof_data {

// Where things are in the data of a hole of HoleUse::Operands, beyond hole_layout.

inline constexpr std::size_t threads = hole_layout::quad_bytes / hole_layout::thread_bytes, warps = threads / 32;
/// The inputs of the last quad, which this hole does not have, are words that the kernel finds in its argument instead,
/// where that has a tensor map. Each constant operand of a window has its own.
inline constexpr std::size_t constants_at = hole_quads * hole_layout::quad_bytes;
inline constexpr int constants_in_argument = 128, constant_bytes = 16;

/// What is kept of the data after a launch.
inline constexpr std::size_t begin = hole_layout::results_at, end = hole_layout::cells_at + hole_layout::place_bytes;

}  // namespace warpclock::proof_data
