#include "prove/operands.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "base/hash.hpp"
#include "base/random.hpp"
#include "gpu/job/job.hpp"

namespace warpclock {
namespace {

class Dice : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;

  std::uint32_t word() { return static_cast<std::uint32_t>(bits() >> 32U); }
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>((bits() >> 32U) * count >> 32U); }
  template <class Values>
  auto of(const Values& all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }
};

constexpr std::array<std::uint32_t, 40> integers{
    0,          1,          2,          3,          4,          7,          8,          15,
    16,         17,         24,         30,         31,         32,         33,         48,
    63,         64,         65,         127,        128,        255,        256,        0x7fff,
    0x8000,     0xffff,     0x10000,    0xffffff,   0x1000000,  0x7ffffffe, 0x7fffffff, 0x80000000,
    0x80000001, 0xfffffffe, 0xffffffff, 0xffff8000, 0xffffff80, 0xffff7fff, 0x55555555, 0xaaaaaaaa};

// clang-format off
constexpr std::array<float, 56> floats{
    0.0F, 0x1p-149F, 0x1p-148F, 0x1.fffffcp-127F, 0x1p-126F, 0x1p-125F, 0x1p-25F,
    0x1.8p-25F, 0x1p-24F, 0x1.8p-24F, 0x1.ffcp-15F, 0x1.ffep-15F, 0x1p-14F, 0.25F,
    0.5F, 0x1.fffffep-2F, 0x1.000002p-1F, 0x1.fffffep-1F, 1.0F, 0x1.000002p0F, 1.5F,
    2.0F, 2.5F, 3.0F, 3.5F, 126.5F, 127.5F, 128.0F,
    240.0F, 255.5F, 448.0F, 464.0F, 480.0F, 32767.5F, 32768.0F,
    57344.0F, 61440.0F, 65504.0F, 65519.0F, 65520.0F, 65535.5F, 0x1p23F,
    0x1.000002p23F, 0x1p24F, 0x1.fffffep30F, 0x1p31F, 0x1.000002p31F, 0x1.fffffep31F, 0x1p32F,
    0x1.fffffep62F, 0x1p63F, 0x1.fffffep63F, 0x1p64F, 0x1p100F, 0x1.fffffep126F, 0x1.fffffep127F};
// clang-format on
constexpr std::array<std::uint32_t, 7> float_specials{0x7f800000, 0x7f800001, 0x7fa00000, 0x7fbfffff,
                                                      0x7fc00000, 0x7fc12345, 0x7fffffff};

// clang-format off
constexpr std::array<double, 40> doubles{
    0.0, 0x1p-1074, 0x1.ffffffffffffep-1023, 0x1p-1022, 0x1p-150, 0x1.8p-150,
    0x1p-149, 0x1.8p-149, 0x1.fffffffp-127, 0x1p-126, 0x1p-25, 0x1p-24,
    0x1p-14, 0.5, 0x1.fffffffffffffp-2, 1.0, 0x1.0000000000001p0, 0x1.000001p0,
    0x1.0000010000001p0, 0x1.000003p0, 1.5, 2.5, 65504.0, 65519.99,
    65520.0, 2147483646.5, 2147483647.0, 2147483647.5, 2147483648.0, 2147483648.5,
    4294967295.0, 4294967295.5, 4294967296.0, 0x1p52, 0x1.0000000000001p53, 0x1.fffffffffffffp62,
    0x1p63, 0x1p64, 0x1.fffffefffffffp127, 0x1.fffffffffffffp1023};
// clang-format on
constexpr std::array<std::uint64_t, 5> double_specials{0x7ff0000000000000, 0x7ff0000000000001, 0x7ff7ffffffffffff,
                                                       0x7ff8000000000000, 0x7fffffffffffffff};

/// Of binary16 and, behind them, of bfloat16.
constexpr std::array<std::uint16_t, 46> halves{
    0x0000, 0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x1400, 0x2c00, 0x3400, 0x37ff, 0x3800, 0x3801,
    0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4100, 0x4200, 0x4248, 0x5800, 0x5f00, 0x6400, 0x6401,
    0x6800, 0x7000, 0x77ff, 0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff, 0x0080,
    0x007f, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x4020, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0};

enum class Edge : std::uint8_t {
  Random,
  Integers,
  Small,
  Floats,
  FewDigits,
  Ties,
  Doubles,
  Halves,
  Near,
  Least,
  Count
};

// Each throw is a statement: the order of operands is not the same for all compilers.

std::uint32_t with_sign(std::uint32_t bits, Dice& dice) { return bits | (dice.word() & 0x80000000U); }

std::uint32_t any_integer(Dice& dice) {
  if (dice.below(3) != 0) return dice.of(integers);
  const std::uint32_t power = 1U << dice.below(32);
  const std::uint32_t less = dice.below(4);
  return power - less;
}

std::uint32_t any_float(Dice& dice) {
  if (dice.below(4) == 0) {
    const std::uint32_t special = dice.of(float_specials);
    return with_sign(special, dice);
  }
  auto bits = std::bit_cast<std::uint32_t>(dice.of(floats));
  // Half of them are neighbours of it.
  const std::uint32_t further = dice.below(4);
  if (bits > 0 && further < 2) bits += 2 * further - 1;
  return with_sign(bits, dice);
}

/// Four leading digits, and an exponent around that of 1: products are exact, sums cancel.
std::uint32_t few_digits(Dice& dice) {
  const std::uint32_t exponent = 120 + dice.below(16);
  const std::uint32_t digits = dice.below(16);
  return with_sign(exponent << 23U | digits << 19U, dice);
}

/// Half-way between two integers, two halves or two floats.
std::uint32_t tie(Dice& dice) {
  const auto exponent = static_cast<std::uint32_t>(127 - 16 + dice.below(48));
  const std::uint32_t digits = dice.below(24);
  const std::uint32_t mantissa = (dice.word() | 1U) << digits & 0x7fffffU;
  return with_sign(exponent << 23U | mantissa, dice);
}

std::uint64_t any_double(Dice& dice) {
  const std::uint64_t negative = std::uint64_t{dice.below(2)} << 63U;
  std::uint64_t bits = 0;
  switch (dice.below(4)) {
    case 0:
      bits = dice.of(double_specials);
      break;
    case 1:
      bits = std::bit_cast<std::uint64_t>(dice.of(doubles));
      break;
    case 2: {
      // The exponent is that of an integer of up to 66 bits, or of a fraction; few digits or all.
      const std::uint64_t exponent = 1023 - 30 + dice.below(96);
      const std::uint32_t zeros = dice.below(52);
      bits = exponent << 52U | (dice.bits() << zeros & 0xfffffffffffffULL);
      break;
    }
    default:
      bits = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(any_float(dice) & 0x7fbfffffU)));
  }
  return bits | negative;
}

std::uint32_t any_halves(Dice& dice) {
  const auto one = [&] {
    const std::uint32_t half = dice.of(halves);
    return half | dice.below(2) << 15U;
  };
  const std::uint32_t low = one(), high = one();
  return high << 16U | low;
}

/// Numbers whose exponents are those of their neighbours: a third of the bits are those of 1.
std::uint32_t near_one(Dice& dice) {
  if (dice.below(2) != 0) {
    const std::uint32_t exponent = 125 + dice.below(5);
    return with_sign(exponent << 23U | dice.word() >> 9U, dice);
  }
  const auto half = [&] {
    const std::uint32_t exponent = 13 + dice.below(5);
    return exponent << 10U | (dice.word() >> 16U & 0x83ffU);
  };
  const std::uint32_t low = half(), high = half();
  return high << 16U | low;
}

/// Factors whose products are on both sides of the least number that is no denormal.
constexpr std::array<std::uint32_t, 8> least_products{0x3f7fffff, 0x3f7ffffe, 0x3f800001, 0x3f000000,
                                                      0x00800000, 0x00800001, 0x00ffffff, 0x00fffffe};

using Quad = std::array<std::uint32_t, hole_layout::components>;

Quad quad_of(Edge kind, Dice& dice) {
  Quad made{};
  for (std::size_t i = 0; i < made.size(); ++i) {
    switch (kind) {
      case Edge::Integers:
        made[i] = any_integer(dice);
        break;
      case Edge::Small:
        made[i] = dice.below(140) - 70;
        break;
      case Edge::Floats:
        made[i] = any_float(dice);
        break;
      case Edge::FewDigits:
        made[i] = few_digits(dice);
        break;
      case Edge::Ties:
        made[i] = tie(dice);
        break;
      case Edge::Halves:
        made[i] = any_halves(dice);
        break;
      case Edge::Least:
        made[i] = with_sign(dice.of(least_products), dice);
        break;
      case Edge::Near:
        made[i] = near_one(dice);
        break;
      case Edge::Doubles:
        if (i % 2 == 0) {
          const std::uint64_t both = any_double(dice);
          made[i] = static_cast<std::uint32_t>(both), made[i + 1] = static_cast<std::uint32_t>(both >> 32U);
        }
        break;
      case Edge::Random:
      case Edge::Count:
        made[i] = dice.word();
        break;
    }
  }
  return made;
}

Edge any_edge(Dice& dice) {
  return dice.below(3) == 0 ? Edge::Random
                            : static_cast<Edge>(1 + dice.below(static_cast<std::uint32_t>(Edge::Count) - 1));
}

}  // namespace

std::string operand_data(std::size_t launch, OperandsOf of) {
  constexpr std::size_t warp = proof_data::threads / proof_data::warps;
  std::string data(static_cast<std::size_t>(hole_data_bytes()), '\0');
  for (std::size_t thread = 0; thread < proof_data::threads; ++thread) {
    const std::size_t unit = of == OperandsOf::Warp ? thread / warp : thread;
    Dice dice((launch * 2 + static_cast<std::size_t>(of)) * proof_data::threads + unit);
    const Edge common = any_edge(dice);
    const bool alike = dice.below(3) == 0;
    for (std::size_t quad = 0; quad < hole_quads; ++quad) {
      const Quad words = quad_of(alike ? common : any_edge(dice), dice);
      std::memcpy(data.data() + quad * hole_layout::quad_bytes + thread * hole_layout::thread_bytes, words.data(),
                  sizeof words);
    }
  }
  Dice dice(~(launch * 2 + static_cast<std::size_t>(of)));
  for (std::size_t at = 0; at < sizeof(TensorMap); at += sizeof(Quad)) {
    const Quad words = quad_of(any_edge(dice), dice);
    std::memcpy(data.data() + proof_data::constants_at + at, words.data(), sizeof words);
  }
  return data;
}

std::string operands_digest() {
  Hash hash;
  for (const OperandsOf of : {OperandsOf::Thread, OperandsOf::Warp}) hash.add(operand_data(operand_launches - 1, of));
  return hash.hex();
}

}  // namespace warpclock
