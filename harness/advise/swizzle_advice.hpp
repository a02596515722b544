#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace warpclock {

/// The byte address in shared memory at which each lane of a warp begins its access.
using LaneAddresses = std::array<std::int64_t, 32>;

/// Wavefronts of a load of `bytes` (4, 8 or 16) a lane: cycles of the 32 banks of 4 bytes. A warp is taken in groups of
/// 32, 16 or 8 lanes, whose words must be in different banks or be the same word. Two groups of a load are one if each
/// lane reads what a neighbour reads: all lanes i and i ^ 1, or all lanes i and i ^ 2.
/// Source: `geometry/bank`, `bank_wide`, `conflict` and `broadcast`; a test compares each of their rows.
[[nodiscard]] int load_wavefronts(const LaneAddresses& lanes, int bytes);

/// Those of a store, whose groups are never one (`geometry/store_same`).
[[nodiscard]] int store_wavefronts(const LaneAddresses& lanes, int bytes);

/// Those of `ldmatrix` and `stmatrix` without conflicts between matrices: the addresses of the rows of 16 bytes, eight
/// for each matrix. Source: `matrix/ldmatrix_conflicts`, `matrix/stmatrix_conflicts`.
[[nodiscard]] int matrix_wavefronts(std::span<const std::int64_t> rows);

/// Where a tensor copy with a swizzle of 32, 64 or 128 bytes writes the byte that is at `address` without one: the
/// number of the 16 bytes within the span is xored with the number of the 128 bytes. The tile begins at a multiple of
/// 1024. Source: PTX ISA, "Tensor swizzling modes", and `tensor_copy/swizzle_layout`.
[[nodiscard]] std::int64_t swizzled(std::int64_t address, std::int64_t span);

}  // namespace warpclock
