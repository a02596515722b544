#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpclock {

inline constexpr std::size_t warp_lanes = 32;
inline constexpr std::uint32_t register_bytes = 4;

/// A bit for each lane of a warp, or a predicate register of all of them.
using LaneMask = std::uint32_t;
inline constexpr LaneMask all_lanes = ~LaneMask{0};

[[nodiscard]] constexpr bool has_lane(LaneMask mask, std::size_t lane) { return (mask >> lane & 1U) != 0; }
[[nodiscard]] constexpr std::size_t first_lane(LaneMask mask) {
  return static_cast<std::size_t>(std::countr_zero(mask)) % warp_lanes;
}

/// A 32-bit register of all lanes of a warp.
struct alignas(64) Words {
  std::array<std::uint32_t, warp_lanes> lane;

  [[nodiscard]] std::uint32_t operator[](std::size_t i) const { return lane[i]; }
  std::uint32_t& operator[](std::size_t i) { return lane[i]; }
  bool operator==(const Words&) const = default;
};

[[nodiscard]] inline Words same_words(std::uint32_t value) {
  Words made;
  made.lane.fill(value);
  return made;
}

/// What `of` says of each lane.
template <class Of>
[[nodiscard]] Words words_of_lanes(Of of) {
  Words made;
  for (std::size_t i = 0; i < warp_lanes; ++i) made.lane[i] = of(i);
  return made;
}

/// The lanes for which `holds`.
template <class Holds>
[[nodiscard]] LaneMask lanes_where(Holds holds) {
  std::array<std::uint32_t, warp_lanes> bits;
  for (std::size_t i = 0; i < warp_lanes; ++i) bits[i] = holds(i) ? std::uint32_t{1} << i : 0U;
  LaneMask made = 0;
  for (const std::uint32_t bit : bits) made |= bit;
  return made;
}

}  // namespace warpclock
