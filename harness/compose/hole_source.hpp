#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpclock {

/// The numbers in a quad: random bits; one random bit; numbers from 1 to 2 with random mantissas; 1 or 1.5 (coarse);
/// numbers from 0.5 to 1 (small); the same with random signs (signed); all bits set (ones).
enum class Values : std::uint8_t {
  Bits,
  Bit,
  F32,
  CoarseF32,
  SmallF32,
  SignedF32,
  F64,
  CoarseF64,
  SignedF64,
  F16,
  CoarseF16,
  SmallF16,
  SignedF16,
  BF16,
  CoarseBF16,
  SmallBF16,
  SignedBF16,
  Ones
};

/// A quad is four vector registers in a row that hold numbers: first those for results, then those for constants.
constexpr std::size_t result_quads = 4, constant_quads = 3, number_quads = result_quads + constant_quads;
/// Further quads hold addresses, and one more the matrix descriptors of a hole for warp groups.
constexpr std::size_t hole_quads = number_quads + 3;
constexpr int quad_registers = 4;

/// The contents of the quads in one launch.
struct HoleValues {
  Values results = Values::Bits, constants = Values::Bits;
  int first_thread = 0;  ///< index of the first thread's numbers; at most 1024 together with the block's threads

  bool operator==(const HoleValues&) const = default;
};
/// The values as the `at` argument of a job or kernel.
[[nodiscard]] std::int64_t hole_argument(const HoleValues& values);
/// Added to the argument, it selects the next place for the cells in global memory.
constexpr std::int64_t hole_place = 1LL << 32;
/// Bytes of data that a job needs for cells at `places` places.
[[nodiscard]] std::int64_t hole_data_bytes(std::int64_t places = 1);

/// What a kernel with a hole is for.
enum class HoleUse : std::uint8_t {
  Any,  ///< blocks of up to 1024 threads
  /// The quads hold the data as they are, the window runs once, and what the quads and the cells hold after it is
  /// stored where results are (hole_layout). The cells hold the inputs behind those of the quads: in global memory
  /// the first four words, in shared memory the next, in local memory the last.
  Operands,
  WarpGroup  ///< sm_90a: it also keeps `accumulator_registers` registers in a row; blocks of one or two warp groups
};
constexpr int accumulator_registers = 128;
/// The warps of a warp group, and the most that a block of HoleUse::WarpGroup has.
constexpr int warp_group = 4, most_group_warps = 8;

/// The PTX of `kernels` kernels, each with room for `room` words. Their names are kernel_mark and a number.
[[nodiscard]] std::string hole_source(std::size_t room, std::size_t kernels, HoleUse use = HoleUse::Any);

}  // namespace warpclock

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
