#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpclock {

/// Bytes of global memory, one after the other.
struct MemoryRow {
  std::uint64_t address = 0, bytes = 0;

  bool operator==(const MemoryRow&) const = default;
};

/// A tensor as tensor copies (TMA) find it: what cuTensorMapEncodeTiled wrote. Of its 128 bytes, the first 64 say all
/// that sm_90 needs. Source: the maps that the driver made of known tensors (testdata/mapped_tensors.txt).
struct MappedTensor {
  static constexpr std::size_t words = 16;  ///< of 32 bits
  static constexpr std::size_t most = 5;    ///< dimensions
  /// Of a box that fits into shared memory, whose lines have 16 bytes and more (CUDA Driver API,
  /// cuTensorMapEncodeTiled).
  static constexpr std::uint64_t most_lines = 1 << 16;

  std::uint64_t address = 0;
  std::int64_t element = 0;  ///< bytes
  std::size_t dimensions = 0;
  std::array<std::uint64_t, most> sizes{};    ///< elements
  std::array<std::uint64_t, most> strides{};  ///< bytes; that of dimension 0 is an element
  std::array<std::uint32_t, most> box{};      ///< elements that a copy spans
  std::array<std::uint32_t, most> steps{};    ///< every how many-th of them it takes

  /// The rows of the box at these coordinates, without what is out of bounds; a row that begins where the one before
  /// ends is one with it.
  [[nodiscard]] std::vector<MemoryRow> rows(std::span<const std::int32_t> coordinates) const;

  bool operator==(const MappedTensor&) const = default;
};

/// Nothing if it is none, an interleaved one, or one whose box no block has room for.
[[nodiscard]] std::optional<MappedTensor> mapped_tensor(std::span<const std::uint32_t, MappedTensor::words> words);

}  // namespace warpclock
