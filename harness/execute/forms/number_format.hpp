#pragma once

#include <cstdint>
#include <initializer_list>

namespace warpclock {

/// To which of the two neighbours a number goes that a format does not have.
enum class Rounding : std::uint8_t { Nearest, Zero, Down, Up };

/// A binary floating-point format of IEEE 754's kind. E4m3 (OCP 8-bit floating point) has no infinity: its largest
/// exponent holds numbers too, and all ones is its NaN.
struct NumberFormat {
  int exponent_bits = 0, mantissa_bits = 0;
  std::uint64_t nan = 0;  ///< what the hardware writes for a NaN
  bool infinite = true;

  [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr std::uint64_t sign() const { return std::uint64_t{1} << (bits() - 1); }
  /// Infinity, or what would be.
  [[nodiscard]] constexpr std::uint64_t top() const {
    return infinite ? ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits : nan;
  }
};
namespace formats {
inline constexpr NumberFormat half{5, 10, 0x7fff}, bfloat{8, 7, 0x7fff}, single{8, 23, 0x7fffffff},
    twice{11, 52, 0xfff8000000000000}, tf32{8, 10, 0x3ffff}, e5m2{5, 2, 0x7f}, e4m3{4, 3, 0x7f, false};
}  // namespace formats

/// The number with these bits, which a double holds exactly.
[[nodiscard]] double number_of(const NumberFormat& format, std::uint64_t bits);

/// The bits of significand x 2^exponent with a sign.
[[nodiscard]] std::uint64_t rounded_bits(const NumberFormat& format, bool negative, std::uint64_t significand,
                                         int exponent, Rounding rounding);
/// The bits of a number, of infinity and of NaN.
[[nodiscard]] std::uint64_t rounded_bits(const NumberFormat& format, double number, Rounding rounding);

/// The nearest, or next, number of a format, or with its sign 0 if that would be a denormal: what FTZ leaves. It is
/// rounded to all bits of a mantissa before that is decided.
[[nodiscard]] double flushed_sum(const NumberFormat& format, double exact, Rounding rounding);

/// a + b; if a double does not hold that, the one of its two neighbours whose last bit is set. Rounded to a format of
/// at most 50 bits, that gives what the exact sum would give (S. Boldo, G. Melquiond: "Emulation of FMA and correctly
/// rounded sums: proved algorithms using rounding to odd").
[[nodiscard]] double odd_sum(double a, double b);

/// What the pipe for doubles makes of several NaNs: the first of these bits that are one, as it is but quiet. No sign
/// in front of an operand changes it. The default NaN if there is none. Seen on an H100.
[[nodiscard]] std::uint64_t nan_among(std::initializer_list<std::uint64_t> doubles);
/// A NaN of one format in another, one of which is that of doubles: the leading bits of its mantissa, and quiet.
[[nodiscard]] std::uint64_t converted_nan(const NumberFormat& to, const NumberFormat& from, std::uint64_t bits);

/// a x b + c, in which a NaN of b goes before one of c, and that before one of a.
[[nodiscard]] std::uint64_t multiply_add_bits(std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding);

/// Doubles in any rounding.
[[nodiscard]] double add_doubles(double a, double b, Rounding rounding);
[[nodiscard]] double multiply_doubles(double a, double b, Rounding rounding);
[[nodiscard]] double multiply_add_doubles(double a, double b, double c, Rounding rounding);

}  // namespace warpclock
