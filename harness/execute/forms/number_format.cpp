#include "execute/forms/number_format.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace warpclock {
namespace {

constexpr int significand_bits = 64;

/// Whether what is left behind the last bit makes the significand one larger.
bool goes_up(std::uint64_t kept, std::uint64_t rest, std::uint64_t half, bool negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::Nearest:
      return rest > half || (rest == half && (kept & 1U) != 0);
    case Rounding::Up:
      return !negative && rest != 0;
    case Rounding::Down:
      return negative && rest != 0;
    case Rounding::Zero:
      break;
  }
  return false;
}

/// Rounds as the thread's mode says while it exists. What is computed goes through volatile variables, which the
/// compiler does not move.
class Mode {
 public:
  explicit Mode(Rounding rounding) : before_(std::fegetround()) {
    std::fesetround(rounding == Rounding::Up     ? FE_UPWARD
                    : rounding == Rounding::Down ? FE_DOWNWARD
                    : rounding == Rounding::Zero ? FE_TOWARDZERO
                                                 : FE_TONEAREST);
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
  ~Mode() { std::fesetround(before_); }

 private:
  int before_;
};

}  // namespace

double number_of(const NumberFormat& format, std::uint64_t bits) {
  const std::uint64_t mantissa_mask = (std::uint64_t{1} << format.mantissa_bits) - 1;
  const std::uint64_t mantissa = bits & mantissa_mask, size = bits & (format.sign() - 1);
  const auto exponent = static_cast<int>(size >> format.mantissa_bits);
  double number = 0;
  if (format.infinite ? size > format.top() : size == format.nan)
    number = std::numeric_limits<double>::quiet_NaN();
  else if (format.infinite && size == format.top())
    number = std::numeric_limits<double>::infinity();
  else
    number = std::ldexp(static_cast<double>(exponent == 0 ? mantissa : mantissa | (mantissa_mask + 1)),
                        std::max(exponent, 1) - format.bias() - format.mantissa_bits);
  return (bits & format.sign()) != 0 ? -number : number;
}

std::uint64_t rounded_bits(const NumberFormat& format, bool negative, std::uint64_t significand, int exponent,
                           Rounding rounding) {
  const std::uint64_t sign = negative ? format.sign() : 0;
  if (significand == 0) return sign;
  const int least = 1 - format.bias();
  const int first = exponent + static_cast<int>(std::bit_width(significand)) - 1;
  const int last = std::max(first, least) - format.mantissa_bits;
  const int away = last - exponent;
  std::uint64_t kept = 0, rest = significand, half = ~std::uint64_t{0};
  if (away <= 0)
    kept = significand << -away, rest = 0;
  else if (away < significand_bits)
    kept = significand >> away, rest = significand & ((std::uint64_t{1} << away) - 1),
    half = std::uint64_t{1} << (away - 1);
  else if (away == significand_bits)
    half = std::uint64_t{1} << (significand_bits - 1);
  kept += goes_up(kept, rest, half, negative, rounding) ? 1 : 0;
  const std::uint64_t bits =
      (static_cast<std::uint64_t>(std::max(first, least) - least) << format.mantissa_bits) + kept;
  if (bits < format.top()) return sign | bits;
  const bool stays = rounding == Rounding::Zero || rounding == (negative ? Rounding::Up : Rounding::Down);
  return sign | (stays ? format.top() - 1 : format.top());
}

std::uint64_t rounded_bits(const NumberFormat& format, double number, Rounding rounding) {
  if (std::isnan(number)) return format.nan;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const bool negative = std::signbit(number);
  if (std::isinf(number)) return (negative ? format.sign() : 0) | format.top();
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52U) - 1;
  constexpr int exponents = 0x7ff, bias = 1023 + 52;
  const int exponent = static_cast<int>(bits >> 52U) & exponents;
  const std::uint64_t significand = (bits & mantissa) | (exponent == 0 ? 0 : mantissa + 1);
  return rounded_bits(format, negative, significand, std::max(exponent, 1) - bias, rounding);
}

double flushed_sum(const NumberFormat& format, double exact, Rounding rounding) {
  const NumberFormat wide{formats::twice.exponent_bits, format.mantissa_bits, 0};
  if (!std::isfinite(exact)) return exact;
  const double made = number_of(wide, rounded_bits(wide, exact, rounding));
  return std::abs(made) < std::ldexp(1.0, 1 - format.bias()) ? std::copysign(0.0, exact) : exact;
}

double odd_sum(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  // D. Knuth's error of a sum, which is exact.
  const double of_b = sum - a, error = (a - (sum - of_b)) + (b - of_b);
  if (error == 0 || (std::bit_cast<std::uint64_t>(sum) & 1U) != 0) return sum;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return std::nextafter(sum, error > 0 ? infinity : -infinity);
}

std::uint64_t nan_among(std::initializer_list<std::uint64_t> doubles) {
  constexpr std::uint64_t quiet = std::uint64_t{1} << 51U;
  for (const std::uint64_t bits : doubles)
    if (std::isnan(std::bit_cast<double>(bits))) return bits | quiet;
  return formats::twice.nan;
}

std::uint64_t converted_nan(const NumberFormat& to, const NumberFormat& from, std::uint64_t bits) {
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << from.mantissa_bits) - 1);
  const int more = to.mantissa_bits - from.mantissa_bits;
  const std::uint64_t quiet = std::uint64_t{1} << (to.mantissa_bits - 1);
  return ((bits & from.sign()) != 0 ? to.sign() : 0) | to.top() | quiet |
         (more >= 0 ? mantissa << more : mantissa >> -more);
}

std::uint64_t multiply_add_bits(std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding) {
  const double made =
      multiply_add_doubles(std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c), rounding);
  return std::isnan(made) ? nan_among({b, c, a}) : std::bit_cast<std::uint64_t>(made);
}

double add_doubles(double a, double b, Rounding rounding) {
  if (rounding == Rounding::Nearest) return a + b;
  const Mode mode(rounding);
  const volatile double x = a, y = b;
  const volatile double made = x + y;
  return made;
}

double multiply_doubles(double a, double b, Rounding rounding) {
  if (rounding == Rounding::Nearest) return a * b;
  const Mode mode(rounding);
  const volatile double x = a, y = b;
  const volatile double made = x * y;
  return made;
}

double multiply_add_doubles(double a, double b, double c, Rounding rounding) {
  if (rounding == Rounding::Nearest) return std::fma(a, b, c);
  const Mode mode(rounding);
  const volatile double x = a, y = b, z = c;
  const volatile double made = std::fma(x, y, z);
  return made;
}

}  // namespace warpclock
