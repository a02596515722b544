#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "execute/forms/lanes.hpp"

namespace warpclock {

/// Axes of a grid.
enum class Axes : std::uint8_t { None = 0, X = 1, Y = 2, Z = 4, All = 7 };
constexpr Axes operator|(Axes a, Axes b) {
  return static_cast<Axes>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Axes& operator|=(Axes& a, Axes b) { return a = a | b; }

/// What a 32-bit register holds in the threads of a block: a number that is not known and that threads share, plus an
/// offset of each thread. Sums, shifts and masks of it are exact modulo 2^32 as far as the shared number's factor of
/// two allows. A predicate is 0 or 1. If `scattered`, each thread has a number of its own instead of the shared one.
struct LaneValue {
  static constexpr int no_base = 32;       ///< of `zeros`
  static constexpr int no_parameter = -1;  ///< of `parameter`

  int zeros = no_base;           ///< the shared number is a multiple of 2^zeros; 32: it is 0, and the value is known
  bool by_warp = false;          ///< the threads of a warp share the number, but warps may have different ones
  Axes axes = Axes::None;        ///< of the grid, on whose index of the block it may depend
  bool scattered = false;        ///< data decide it in each thread
  int parameter = no_parameter;  ///< where in the constant bank the kernel's argument is that it is based on
  std::vector<std::uint32_t> offsets = {0};  ///< of each thread, or one for all

  [[nodiscard]] bool known() const { return zeros == no_base; }
  [[nodiscard]] bool same_for_all() const { return offsets.size() == 1 && !scattered; }
  [[nodiscard]] std::uint32_t at(std::size_t thread) const { return offsets[offsets.size() == 1 ? 0 : thread]; }
  [[nodiscard]] bool same_in_warps() const;
  bool operator==(const LaneValue&) const = default;
};

/// Nothing is known if there is none.
using LaneRef = std::shared_ptr<const LaneValue>;

[[nodiscard]] LaneRef constant_lanes(std::uint32_t value);
[[nodiscard]] LaneRef own_lanes(std::vector<std::uint32_t> values);
/// A number that all threads share, or those of a warp; it is a multiple of 2^zeros.
[[nodiscard]] LaneRef shared_number(int zeros, bool by_warp, Axes axes);
/// Data that differ between threads.
[[nodiscard]] LaneRef scattered_number();

[[nodiscard]] LaneRef sum_of(const LaneRef& a, const LaneRef& b);
[[nodiscard]] LaneRef negative_of(const LaneRef& a);
[[nodiscard]] LaneRef product_of(const LaneRef& a, const LaneRef& b);
[[nodiscard]] LaneRef shifted_left(const LaneRef& a, unsigned bits);
/// Exact if no sum of the shared number and an offset wraps, as sizes and indices do not.
[[nodiscard]] LaneRef shifted_right(const LaneRef& a, unsigned bits, bool arithmetic);
/// LOP3: bit i of the result is bit (a_i, b_i, c_i) of the table.
[[nodiscard]] LaneRef bitwise_of(unsigned table, const LaneRef& a, const LaneRef& b, const LaneRef& c);
/// PRMT: each byte of the result is one of the eight bytes of c and a, as the selector's hex digits say.
[[nodiscard]] LaneRef permuted(const LaneRef& a, std::uint32_t selector, const LaneRef& c);
/// `a` where the condition holds and `b` elsewhere.
[[nodiscard]] LaneRef chosen(const LaneRef& condition, const LaneRef& a, const LaneRef& b);
/// What may be either of both.
[[nodiscard]] LaneRef joined(const LaneRef& a, const LaneRef& b);

/// Whether both are none or equal.
[[nodiscard]] bool equal_lanes(const LaneRef& a, const LaneRef& b);

}  // namespace warpclock
