#include "execute/mapped_tensor.hpp"

#include <algorithm>

namespace warpclock {
namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned first, unsigned count) {
  return word >> first & ((1U << count) - 1);
}

/// U8, U16, U32, S32, U64, S64, F16, F32, F32 without denormals, F64, BF16. TF32 is an F32 with another bit.
constexpr std::array<std::int64_t, 11> element_bytes{1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2};

}  // namespace

std::optional<MappedTensor> mapped_tensor(std::span<const std::uint32_t, MappedTensor::words> words) {
  constexpr std::size_t kind = 2, strides = 3, stride_tops = 7, sizes = 8, first_box = 13, boxes = 14;
  MappedTensor made;
  const std::uint32_t type = bits(words[kind], 7, 4);
  made.dimensions = bits(words[kind], 4, 3) + 1;
  const bool interleaved = bits(words[kind], 11, 2) != 0;
  if (type >= element_bytes.size() || made.dimensions > MappedTensor::most || interleaved) return std::nullopt;
  made.element = element_bytes[type];
  std::uint64_t lines = 1;
  made.address = words[0] | std::uint64_t{words[1]} << 32U;
  for (std::size_t i = 0; i < made.dimensions; ++i) {
    const auto place = static_cast<unsigned>(i);
    made.sizes[i] = std::uint64_t{words[sizes + i]} + 1;
    made.steps[i] = bits(words[first_box], 3 * place, 3) + 1;
    made.box[i] = 1 + (i == 0 ? bits(words[first_box], 24, 8) : bits(words[boxes], 8 * (place - 1), 8));
    made.strides[i] =
        i == 0 ? static_cast<std::uint64_t>(made.element)
               : (words[strides + i - 1] | std::uint64_t{bits(words[stride_tops], 4 * (place - 1), 4)} << 32U) << 4U;
    if (i > 0) lines *= (made.box[i] + made.steps[i] - 1) / made.steps[i];
  }
  return lines > MappedTensor::most_lines ? std::nullopt : std::optional(made);
}

std::vector<MemoryRow> MappedTensor::rows(std::span<const std::int32_t> coordinates) const {
  std::vector<MemoryRow> made;
  if (coordinates.size() < dimensions) return made;
  const std::int64_t first = std::max<std::int64_t>(0, coordinates[0]),
                     end = std::min(std::int64_t{coordinates[0]} + box[0], static_cast<std::int64_t>(sizes[0]));
  if (first >= end) return made;
  std::array<std::uint32_t, most> at{};
  for (bool more = true; more;) {
    bool inside = true;
    std::uint64_t begin = address + static_cast<std::uint64_t>(first * element);
    more = false;
    for (std::size_t i = 1; i < dimensions; ++i) {
      const std::int64_t place = std::int64_t{coordinates[i]} + at[i];
      inside = inside && place >= 0 && place < static_cast<std::int64_t>(sizes[i]);
      begin += static_cast<std::uint64_t>(place) * strides[i];
    }
    const auto bytes = static_cast<std::uint64_t>((end - first) * element);
    if (inside && !made.empty() && made.back().address + made.back().bytes == begin)
      made.back().bytes += bytes;
    else if (inside)
      made.push_back({begin, bytes});
    for (std::size_t i = 1; i < dimensions && !more; ++i) {
      at[i] += steps[i];
      more = at[i] < box[i];
      if (!more) at[i] = 0;
    }
  }
  return made;
}

}  // namespace warpclock
