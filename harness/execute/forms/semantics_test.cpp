#include "execute/forms/semantics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "execute/testing/one_step.hpp"

namespace warpclock {
namespace {

using testing::OneStep;

/// Random bits, with what is at the edges of integers and floats among them.
class Numbers {
 public:
  std::uint32_t next() {
    constexpr std::array<std::uint32_t, 14> edges = {0,          1,          2,          31,         32,
                                                     0x7fffffff, 0x80000000, 0xffffffff, 0x00800000, 0x007fffff,
                                                     0x7f800000, 0x7fc00001, 0xff800000, 0x3f800000};
    return random_() % 3 == 0 ? edges[random_() % edges.size()] : static_cast<std::uint32_t>(random_());
  }
  Words words() {
    return words_of_lanes([&](std::size_t) { return next(); });
  }
  std::uint64_t next_long() { return std::uint64_t{next()} << 32 | next(); }

 private:
  std::mt19937 random_{51};
};

constexpr int rounds = 64;
std::int64_t as_long(std::uint32_t number) { return static_cast<std::int32_t>(number); }

TEST(Semantics, IntegersOfOneWord) {
  Numbers numbers;
  const std::uint32_t imm = 0xb0;
  for (int round = 0; round < rounds; ++round) {
    const Words a = numbers.words(), b = numbers.words(), c = numbers.words();
    const auto of = [&](const std::string& text) {
      return OneStep().with("R1", a).with("R2", b).with("R3", c).run(text).word("R4");
    };
    const auto expect = [&](const std::string& text, auto wanted) {
      EXPECT_EQ(of(text),
                words_of_lanes([&](std::size_t i) { return static_cast<std::uint32_t>(wanted(a[i], b[i], c[i])); }))
          << text;
    };
    using U = std::uint32_t;
    expect("IADD3 R4, R1, R2, R3", [](U x, U y, U z) { return x + y + z; });
    expect("IADD3 R4, R1, -R2, R3", [](U x, U y, U z) { return x - y + z; });
    expect("IADD3 R4, R1, -0xb0, RZ", [&](U x, U, U) { return x - imm; });
    expect("VIADD R4, R1, 0xfffffff0", [](U x, U, U) { return x - 16; });
    expect("IMAD R4, R1, R2, R3", [](U x, U y, U z) { return x * y + z; });
    expect("IMAD R4, R1, -R2, R3", [](U x, U y, U z) { return z - x * y; });
    expect("IMAD.MOV.U32 R4, RZ, RZ, -R3", [](U, U, U z) { return 0 - z; });
    expect("IMAD.SHL.U32 R4, R1, 0x8, RZ", [](U x, U, U) { return x << 3; });
    expect("IMAD.HI.U32 R4, R1, R2, RZ", [](U x, U y, U) { return std::uint64_t{x} * y >> 32; });
    expect("IMAD.HI R4, R1, R2, RZ", [](U x, U y, U) { return as_long(x) * as_long(y) >> 32; });
    expect("LEA R4, R1, R2, 0x3", [](U x, U y, U) { return (x << 3) + y; });
    expect("LEA.HI R4, R1, R2, RZ, 0x1e", [](U x, U y, U) { return (x >> 2) + y; });
    expect("IABS R4, R1", [](U x, U, U) { return static_cast<std::uint32_t>(std::abs(as_long(x))); });
    expect("VIMNMX R4, R1, R2, PT", [](U x, U y, U) { return std::min(as_long(x), as_long(y)); });
    expect("VIMNMX.U32 R4, R1, R2, !PT", [](U x, U y, U) { return std::max(x, y); });
    expect("VIADDMNMX.U32 R4, R1, R2, R3, PT", [](U x, U y, U z) { return std::min(x + y, z); });
    expect("SHF.L.U32 R4, R1, R2, RZ", [](U x, U y, U) { return y > 31 ? 0 : x << y; });
    expect("SHF.R.U32.HI R4, RZ, R2, R1", [](U x, U y, U) { return y > 31 ? 0 : x >> y; });
    expect("SHF.R.S32.HI R4, RZ, R2, R1", [](U x, U y, U) { return as_long(x) >> std::min(y, 31U); });
    expect("SHF.L.W.U32.HI R4, R1, R2, R1", [](U x, U y, U) { return std::rotl(x, static_cast<int>(y % 32)); });
    expect("SGXT R4, R1, 0x8", [](U x, U, U) { return static_cast<std::int8_t>(x); });
    expect("SGXT.U32 R4, R1, 0x5", [](U x, U, U) { return x & 31; });
    expect("BMSK R4, 0x4, 0x8", [](U, U, U) { return 0xff0; });
    expect("FLO.U32 R4, R1", [](U x, U, U) { return x == 0 ? ~0U : 31U - static_cast<U>(std::countl_zero(x)); });
    expect("FLO.U32.SH R4, R1", [](U x, U, U) { return x == 0 ? ~0U : static_cast<U>(std::countl_zero(x)); });
    expect("POPC R4, R1", [](U x, U, U) { return std::popcount(x); });
    expect("PRMT R4, R1, 0x5410, R2", [](U x, U y, U) { return (x & 0xffff) | y << 16; });
    expect("PRMT R4, R1, 0x8880, R2", [](U x, U, U) { return (x & 0xff) | ((x & 0x80) != 0 ? 0xffffff00U : 0U); });
    expect("IDP.4A.U8.U8 R4, R1, R2, R3", [](U x, U y, U z) {
      for (int k = 0; k < 32; k += 8) z += (x >> k & 255) * (y >> k & 255);
      return z;
    });
    const Words reversed = of("BREV R4, R1"), twice = OneStep().with("R1", reversed).run("BREV R4, R1").word("R4");
    EXPECT_EQ(twice, a);
    EXPECT_EQ(reversed[0] >> 31, a[0] & 1);
  }
}

TEST(Semantics, IntegersOfTwoWords) {
  Numbers numbers;
  for (int round = 0; round < rounds; ++round) {
    std::array<std::uint64_t, warp_lanes> a{}, b{};
    for (auto& one : a) one = numbers.next_long();
    for (auto& one : b) one = round % 4 == 0 ? 0 : numbers.next_long();
    const auto begin = [&] {
      OneStep step;
      step.with_pair(2, [&](std::size_t i) { return a[i]; }).with_pair(4, [&](std::size_t i) { return b[i]; });
      return step;
    };
    auto sum = begin(), difference = begin(), scaled = begin(), wide = begin(), wide_signed = begin(),
         shifted = begin();
    sum.run("IADD3 R6, P0, R2, R4, RZ").run("IADD3.X R7, R3, R5, RZ, P0, !PT");
    // -0 carries: else the upper word would be one too small.
    difference.run("IADD3 R6, P0, R2, -R4, RZ").run("IADD3.X R7, R3, ~R5, RZ, P0, !PT");
    scaled.run("LEA R6, P0, R2, R4, 0x4").run("LEA.HI.X R7, R2, R5, R3, 0x4, P0");
    wide.run("IMAD.WIDE.U32 R6, R2, R3, R4");
    wide_signed.run("IMAD.WIDE R6, P1, R2, R3, R4");
    shifted.run("SHF.L.U64.HI R7, R2, 0x5, R3").run("SHF.R.U64 R8, R2, 0x5, R3").run("SHF.R.S32.HI R9, RZ, 0x5, R3");
    auto extended = begin();
    extended.run("LEA R6, P0, R2, R4, 0x2").run("LEA.HI.X.SX32 R7, R2, R5, 0x2, P0");
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      const auto low = static_cast<std::uint32_t>(a[i]), high = static_cast<std::uint32_t>(a[i] >> 32);
      EXPECT_EQ(sum.pair(6, i), a[i] + b[i]);
      EXPECT_EQ(difference.pair(6, i), a[i] - b[i]) << a[i] << " " << b[i];
      EXPECT_EQ(scaled.pair(6, i), (a[i] << 4) + b[i]);
      EXPECT_EQ(wide.pair(6, i), std::uint64_t{low} * high + b[i]);
      EXPECT_EQ(wide_signed.pair(6, i), static_cast<std::uint64_t>(as_long(low) * as_long(high)) + b[i]);
      EXPECT_EQ(extended.pair(6, i), static_cast<std::uint64_t>(as_long(low) << 2) + b[i]);
      EXPECT_EQ(shifted.lane("R7", i), static_cast<std::uint32_t>(a[i] << 5 >> 32));
      EXPECT_EQ(shifted.lane("R8", i), static_cast<std::uint32_t>(a[i] >> 5));
      EXPECT_EQ(shifted.lane("R9", i), static_cast<std::uint32_t>(as_long(high) >> 5));
    }
  }
}

TEST(Semantics, ComparisonsOfTwoWords) {
  Numbers numbers;
  const std::array<std::pair<std::string, int>, 6> relations = {
      {{"LT", 1}, {"EQ", 2}, {"LE", 3}, {"GT", 4}, {"NE", 5}, {"GE", 6}}};
  for (const auto& [name, bits] : relations) {
    for (const bool is_unsigned : {false, true}) {
      for (int round = 0; round < rounds; ++round) {
        std::array<std::uint64_t, warp_lanes> a{}, b{};
        for (std::size_t i = 0; i < warp_lanes; ++i) {
          a[i] = numbers.next_long();
          b[i] = round % 3 == 0 ? a[i] : round % 3 == 1 ? a[i] ^ (numbers.next() & 3) : numbers.next_long();
        }
        OneStep step;
        step.with_pair(2, [&](std::size_t i) { return a[i]; }).with_pair(4, [&](std::size_t i) { return b[i]; });
        step.run(fmt::format("ISETP.{}.U32.AND P1, PT, R2, R4, PT", name));
        step.run(fmt::format("ISETP.{}{}.AND.EX P0, P2, R3, R5, PT, P1", name, is_unsigned ? ".U32" : ""));
        const LaneMask wanted = lanes_where([&](std::size_t i) {
          const auto x = static_cast<std::int64_t>(a[i]), y = static_cast<std::int64_t>(b[i]);
          const bool less = is_unsigned ? a[i] < b[i] : x < y;
          return ((less ? 1 : a[i] == b[i] ? 2 : 4) & bits) != 0;
        });
        EXPECT_EQ(step.predicate("P0"), wanted) << name;
        EXPECT_EQ(step.predicate("P2"), ~wanted) << name;
      }
    }
  }
}

TEST(Semantics, TablesOfThree) {
  Numbers numbers;
  for (std::uint32_t table = 0; table < 256; ++table) {
    const Words a = numbers.words(), b = numbers.words(), c = numbers.words();
    OneStep step;
    step.with("R1", a).with("R2", b).with("R3", c).run(fmt::format("LOP3.LUT P0, R4, R1, R2, R3, {:#x}, !PT", table));
    step.with_predicate("P1", a[0]).with_predicate("P2", b[0]).with_predicate("P3", c[0]);
    step.run(fmt::format("PLOP3.LUT P4, PT, P1, P2, !P3, {:#x}, 0x0", table));
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      std::uint32_t wanted = 0;
      for (unsigned bit = 0; bit < 32; ++bit) {
        const unsigned row = (a[i] >> bit & 1) << 2 | (b[i] >> bit & 1) << 1 | (c[i] >> bit & 1);
        wanted |= (table >> row & 1) << bit;
      }
      ASSERT_EQ(step.lane("R4", i), wanted) << table;
      EXPECT_EQ(has_lane(step.predicate("P0"), i), wanted != 0);
      const unsigned row = (a[0] >> i & 1) << 2 | (b[0] >> i & 1) << 1 | (~c[0] >> i & 1);
      EXPECT_EQ(has_lane(step.predicate("P4"), i), (table >> row & 1) != 0) << table;
    }
  }
}

std::uint32_t bits_of(float number) { return std::isnan(number) ? 0x7fffffff : std::bit_cast<std::uint32_t>(number); }

TEST(Semantics, FunctionsOfTheMufuAreNear) {
  const auto of = [](const std::string& function, float a) {
    OneStep step;
    step.with("R1", std::bit_cast<std::uint32_t>(a)).run("MUFU." + function + " R2, R1");
    return std::bit_cast<float>(step.lane("R2", 0));
  };
  EXPECT_NEAR(of("RCP", 3), 1.0 / 3, 1e-7);
  EXPECT_NEAR(of("RSQ", 16), 0.25, 1e-7);
  EXPECT_NEAR(of("SQRT", 2), 1.4142135, 1e-6);
  EXPECT_NEAR(of("EX2", -1.5F), 0.35355339, 1e-7);
  EXPECT_NEAR(of("LG2", 10), 3.3219281, 1e-6);
  OneStep step;
  const auto upper = [](double a) { return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(a) >> 32); };
  EXPECT_EQ(step.with("R1", upper(4)).run("MUFU.RCP64H R2, R1").lane("R2", 0), upper(0.25));
  EXPECT_EQ(step.with("R1", upper(16)).run("MUFU.RSQ64H R2, R1").lane("R2", 0), upper(0.25));
}

TEST(Semantics, ADivisionOfNumbersFarFromTheEndsOfTheRangeNeedsNoLongWay) {
  const auto known = [](float a, float b) {
    OneStep step;
    step.with("R1", std::bit_cast<std::uint32_t>(a)).with("R2", std::bit_cast<std::uint32_t>(b));
    step.run("FCHK P0, R1, R2");
    EXPECT_FALSE(has_lane(step.predicate("P0"), 0));
    return step.unknown_predicate("P0") == 0;
  };
  EXPECT_TRUE(known(1.5F, -3e15F));
  EXPECT_TRUE(known(-1e-15F, 1e15F));
  EXPECT_FALSE(known(1e30F, 2.0F)) << "when else it does, is not known";
  EXPECT_FALSE(known(1.0F, 1e-30F));
  EXPECT_FALSE(known(0.0F, 2.0F));
  EXPECT_FALSE(known(1.0F, std::numeric_limits<float>::infinity()));
}

TEST(Semantics, Floats) {
  Numbers numbers;
  for (int round = 0; round < rounds; ++round) {
    const Words a = numbers.words(), b = numbers.words(), c = numbers.words();
    const auto number = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
    OneStep step;
    step.with("R1", a).with("R2", b).with("R3", c);
    step.run("FADD R4, R1, -R2").run("FMUL R5, |R1|, R2").run("FFMA R6, R1, R2, R3").run("FADD.FTZ R7, R1, R2");
    step.run("FMNMX R8, R1, R2, PT").run("FSETP.GEU.AND P0, PT, R1, R2, PT").run("I2FP.F32.S32 R9, R1");
    step.run("F2I.TRUNC.NTZ R10, R1").run("FMUL R11, R1, 0.5");
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      const float x = number(a[i]), y = number(b[i]), z = number(c[i]);
      EXPECT_EQ(step.lane("R4", i), bits_of(x - y));
      EXPECT_EQ(step.lane("R5", i), bits_of(std::abs(x) * y));
      EXPECT_EQ(step.lane("R6", i), bits_of(std::fma(x, y, z)));
      const auto flush = [](float f) { return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0F, f) : f; };
      EXPECT_EQ(step.lane("R7", i), bits_of(flush(flush(x) + flush(y))));
      EXPECT_EQ(has_lane(step.predicate("P0"), i), !(x < y));
      EXPECT_EQ(step.lane("R9", i), bits_of(static_cast<float>(static_cast<std::int32_t>(a[i]))));
      EXPECT_EQ(step.lane("R11", i), bits_of(x * 0.5F));
      if (std::abs(x) < 2e9F) {
        EXPECT_EQ(step.lane("R10", i), static_cast<std::uint32_t>(static_cast<std::int32_t>(x)));
      }
      if (!std::isnan(x) && !std::isnan(y) && x != y) {
        EXPECT_EQ(step.lane("R8", i), bits_of(std::min(x, y)));
      }
    }
  }
  OneStep step;
  step.with("R1", 0x7fc00000).with("R2", 0x3f800000);
  EXPECT_EQ(step.run("FMNMX R3, R1, R2, !PT").lane("R3", 0), 0x3f800000U);
  EXPECT_EQ(step.with("R1", 0xcf000001).run("F2I.TRUNC.NTZ R3, R1").lane("R3", 0), 0x80000000U);
  EXPECT_EQ(step.with("R1", 0x7f800000).run("F2I.U32.TRUNC.NTZ R3, R1").lane("R3", 0), 0xffffffffU);
}

TEST(Semantics, Doubles) {
  Numbers numbers;
  for (int round = 0; round < rounds; ++round) {
    std::array<std::uint64_t, warp_lanes> a{}, b{};
    for (auto& one : a) one = numbers.next_long();
    for (auto& one : b) one = numbers.next_long();
    OneStep step;
    step.with_pair(2, [&](std::size_t i) { return a[i]; }).with_pair(4, [&](std::size_t i) { return b[i]; });
    step.run("DADD R6, R2, -R4").run("DFMA R8, R2, R4, R4").run("DSETP.GT.AND P0, PT, R2, R4, PT");
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      const auto x = std::bit_cast<double>(a[i]), y = std::bit_cast<double>(b[i]);
      // The second operand's NaN goes first, quiet.
      constexpr std::uint64_t quiet = 0x0008000000000000;
      const auto bits = [&](double made) {
        if (std::isnan(y)) return b[i] | quiet;
        if (std::isnan(x)) return a[i] | quiet;
        return std::isnan(made) ? 0xfff8000000000000U : std::bit_cast<std::uint64_t>(made);
      };
      EXPECT_EQ(step.pair(6, i), bits(x - y));
      EXPECT_EQ(step.pair(8, i), bits(std::fma(x, y, y)));
      EXPECT_EQ(has_lane(step.predicate("P0"), i), x > y);
    }
  }
}

// ptxas writes some constants so; the last operand is the low half.
TEST(Semantics, ConstantsInHalves) {
  OneStep step;
  EXPECT_EQ(step.run("HFMA2.MMA R4, -RZ, RZ, 0, 1.1920928955078125e-07").lane("R4", 3), 2U);
  EXPECT_EQ(step.run("HFMA2.MMA R4, -RZ, RZ, 1.875, -0.5").lane("R4", 3), 0x3f80b800U);
  EXPECT_EQ(step.run("HFMA2.MMA R4, -RZ, RZ, 0, 0").lane("R4", 3), 0U);
  EXPECT_EQ(step.with("R1", 0x3c003800).run("HADD2.F32 R4, -RZ, R1.H1_H1").lane("R4", 0), 0x3f800000U);
  EXPECT_EQ(step.run("HMUL2 R4, R1, R1.H0_H0").lane("R4", 0), 0x38003400U);
}

/// What ptxas 13.0 makes of `a / b` of unsigned integers.
TEST(Semantics, DivisionOfIntegers) {
  Numbers numbers;
  for (int round = 0; round < 8 * rounds; ++round) {
    const Words a = numbers.words(), b = numbers.words();
    OneStep step;
    step.with("R12", a).with("R10", b);
    for (const char* text :
         {"I2F.U32.RP R7, R10", "IMAD.MOV R11, RZ, RZ, -R10", "ISETP.NE.U32.AND P2, PT, R10, RZ, PT", "MUFU.RCP R7, R7",
          "VIADD R14, R7, 0xffffffe", "F2I.FTZ.U32.TRUNC.NTZ R15, R14", "HFMA2.MMA R14, -RZ, RZ, 0, 0",
          "IMAD R11, R11, R15, RZ", "IMAD.HI.U32 R15, R15, R11, R14", "IMAD.HI.U32 R15, R15, R12, RZ",
          "IMAD.MOV R11, RZ, RZ, -R15", "IMAD R11, R10, R11, R12", "ISETP.GE.U32.AND P0, PT, R11, R10, PT",
          "@P0 IMAD.IADD R11, R11, 0x1, -R10", "@P0 IADD3 R15, R15, 0x1, RZ", "ISETP.GE.U32.AND P1, PT, R11, R10, PT",
          "@P1 VIADD R15, R15, 0x1", "@!P2 LOP3.LUT R15, RZ, R10, RZ, 0x33, !PT"})
      step.run(text);
    for (std::size_t i = 0; i < warp_lanes; ++i)
      EXPECT_EQ(step.lane("R15", i), b[i] == 0 ? ~0U : a[i] / b[i]) << a[i] << " / " << b[i];
  }
}

TEST(Semantics, LanesExchange) {
  Numbers numbers;
  const Words a = numbers.words();
  constexpr LaneMask some = 0x0ff0f00f;
  OneStep step;
  step.with("R1", a).with_predicate("P0", some);
  const auto from = [&](const std::string& text, auto lane) {
    const Words got = step.run(text).word("R2");
    for (std::size_t i = 0; i < warp_lanes; ++i) EXPECT_EQ(got[i], a[lane(i)]) << text << " " << i;
  };
  from("SHFL.BFLY P1, R2, R1, 0x5, 0x1f", [](std::size_t i) { return i ^ 5U; });
  EXPECT_EQ(step.predicate("P1"), all_lanes);
  from("SHFL.UP P1, R2, R1, 0x3, RZ", [](std::size_t i) { return i < 3 ? i : i - 3; });
  EXPECT_EQ(step.predicate("P1"), 0xfffffff8U);
  from("SHFL.DOWN P1, R2, R1, 0x3, 0x1f", [](std::size_t i) { return i + 3 > 31 ? i : i + 3; });
  EXPECT_EQ(step.predicate("P1"), 0x1fffffffU);
  // Segments of eight lanes.
  from("SHFL.IDX P1, R2, R1, 0x2, 0x181f", [](std::size_t i) { return i / 8 * 8 + 2; });
  EXPECT_EQ(step.run("VOTE.ANY R2, P1, P0").lane("R2", 9), some);
  EXPECT_EQ(step.predicate("P1"), all_lanes);
  EXPECT_EQ(step.run("VOTE.ALL P1, P0").predicate("P1"), 0U);
  EXPECT_EQ(step.run("VOTE.ALL P2, P0", some).predicate("P2") & some, some);
  EXPECT_EQ(step.with("R3", words_of_lanes([](std::size_t i) { return static_cast<std::uint32_t>(i % 4); }))
                .run("MATCH.ANY R2, R3")
                .lane("R2", 6),
            0x44444444U);
  EXPECT_EQ(step.run("MATCH.ALL P1, R2, R3").predicate("P1"), 0U);
  EXPECT_EQ(step.run("REDUX.SUM UR4, R3").lane("UR4", 0), 48U);
  EXPECT_EQ(step.run("REDUX.MAX.S32 UR4, R3", 0x11).lane("UR4", 0), 0U);
  EXPECT_EQ(step.run("ELECT P1, URZ, PT", some).predicate("P1") & some, 1U);
}

TEST(Semantics, UnknownValues) {
  Numbers numbers;
  constexpr LaneMask half = 0x0000ffff;
  OneStep step;
  step.with("R1", numbers.words(), half)
      .with("R2", numbers.words())
      .with_predicate("P0", half)
      .with_predicate("P1", 0, 0);
  EXPECT_EQ(step.run("IADD3 R4, R1, R2, RZ").known("R4"), half);
  EXPECT_EQ(step.run("SEL R4, R1, R2, P0").known("R4"), all_lanes);
  EXPECT_EQ(step.run("SEL R4, R2, R1, P0").known("R4"), half);
  // Where P0 does not hold, it alone decides; so does it for OR where it holds.
  EXPECT_EQ(step.run("ISETP.GE.AND P2, PT, R1, R2, P0").unknown_predicate("P2"), 0U);
  EXPECT_EQ(step.run("ISETP.GE.OR P2, PT, R1, R2, P0").unknown_predicate("P2"), ~half);
  EXPECT_EQ(step.run("PLOP3.LUT P2, PT, P0, P1, PT, 0x80, 0x0").unknown_predicate("P2"), half);
  EXPECT_EQ(step.run("PLOP3.LUT P2, PT, P0, P1, PT, 0xfc, 0x0").unknown_predicate("P2"), ~half);
  EXPECT_EQ(step.run("@P1 MOV R2, 0x5").known("R2"), 0U);
  EXPECT_EQ(step.run("SHFL.BFLY PT, R4, R1, 0x10, 0x1f").known("R4"), ~half);
  EXPECT_EQ(step.run("REDUX.SUM UR4, R1", half).known("UR4"), all_lanes);
  EXPECT_EQ(step.run("REDUX.SUM UR4, R1").known("UR4"), 0U);
  // Whatever R1 is: x & 0 is 0, x & y is not.
  EXPECT_EQ(step.run("LOP3.LUT R4, R1, RZ, RZ, 0xc0, !PT").known("R4"), all_lanes);
  EXPECT_EQ(step.with("R3", 5).run("LOP3.LUT R4, R1, R3, RZ, 0xc0, !PT").known("R4"), half);
}

TEST(Semantics, FormsWithModifiersThatNobodyListsAreNotFollowed) {
  for (const char* text :
       {"FADD.RX R0, R1, R2", "MUFU.TANH R0, R1", "IMAD.HI.X R0, R1, R2, R3, P0", "HMMA.16816.F32 R0, R4, R8, R0",
        "UNHEARD.OF R0, R1", "IADD3 R0, R1", "IADD3 R0, R1.B1, R2, R3", "IMAD R0, R1.H1_H1, R2, R3"}) {
    Listing listing{.kernel = "k", .target = "sm_90a"};
    listing.instructions.push_back(parse_instruction(text).value());
    CodeProgram program;
    EXPECT_EQ(code_step(listing, 0, {}, program).run, nullptr) << text;
  }
}

TEST(Semantics, PredicatesOfAWord) {
  Numbers numbers;
  for (int round = 0; round < rounds; ++round) {
    const Words a = numbers.words();
    OneStep step;
    step.with("R1", a).with_predicate("P2", 0x1234);
    const auto bit = [&](unsigned k) { return lanes_where([&](std::size_t i) { return (a[i] >> k & 1U) != 0; }); };
    step.run("R2P PR, R1, 0x3");
    EXPECT_EQ(step.predicate("P0"), bit(0));
    EXPECT_EQ(step.predicate("P1"), bit(1));
    EXPECT_EQ(step.predicate("P2"), 0x1234U) << "not in the mask";
    step.run("R2P PR, R1.B2, 0x7e");
    EXPECT_EQ(step.predicate("P0"), bit(0));
    EXPECT_EQ(step.predicate("P6"), bit(22));
    step.run("P2R.B2 R3, PR, R1, 0x42");
    const Words& packed = step.word("R3");
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      const auto holds = [&](const char* name) { return std::uint32_t{has_lane(step.predicate(name), i)}; };
      EXPECT_EQ(packed[i], (a[i] & 0xffbdffff) | holds("P1") << 17 | holds("P6") << 22);
    }
  }
  OneStep one;
  one.with_predicate("P4", 0x1234);
  EXPECT_EQ(one.run("P2R R3, PR, RZ, 0x10").known("R3"), all_lanes) << "the others need not be known";
  EXPECT_EQ(one.run("P2R R4, PR, RZ, 0x11").known("R4"), 0U);
}

TEST(Semantics, Constants) {
  const ExecutedLaunch launch{.constants = {{0x210, 0x8091a2b3}, {0x214, 0x01020304}, {0x218, 0xff}}};
  const auto of = [&](const std::string& text, std::uint32_t address = 0) {
    OneStep step;
    step.launch = launch;
    return step
        .with("R1", words_of_lanes([&](std::size_t i) { return address + 4 * static_cast<std::uint32_t>(i % 2); }))
        .run(text);
  };
  EXPECT_EQ(of("LDC.U8 R4, c[0x0][0x211]").lane("R4", 3), 0xa2U);
  EXPECT_EQ(of("LDC.S8 R4, c[0x0][0x213]").lane("R4", 3), 0xffffff80U);
  EXPECT_EQ(of("LDC.U16 R4, c[0x0][0x212]").lane("R4", 3), 0x8091U);
  EXPECT_EQ(of("LDC.U16 R4, c[0x0][0x21e]").known("R4"), 0U);
  EXPECT_EQ(of("LDC R4, c[0x0][R1+0x210]").lane("R4", 0), 0x8091a2b3U);
  EXPECT_EQ(of("LDC R4, c[0x0][R1+0x210]").lane("R4", 1), 0x01020304U);
  EXPECT_EQ(of("LDC.64 R4, c[0x0][R1+0x210]").lane("R5", 1), 0xffU);
  EXPECT_EQ(of("LDC.64 R4, c[0x0][R1+0x214]").known("R4"), 0x55555555U) << "odd lanes load behind the end";
  EXPECT_EQ(of("LDC R4, c[0x0][R1+0x210]", 1).known("R4"), 0U) << "not aligned";
  EXPECT_EQ(of("LDC.U8 R4, c[0x0][R1+0x210]", 1).lane("R4", 0), 0xa2U);
  EXPECT_EQ(of("LDC.S8 R4, c[0x0][R1+0x210]", 3).lane("R4", 0), 0xffffff80U);
  EXPECT_EQ(of("LDC.U16 R4, c[0x0][R1+0x210]", 2).lane("R4", 1), 0x0102U);
  EXPECT_EQ(of("LDC.U16 R4, c[0x0][R1+0x210]", 3).known("R4"), 0U) << "across words";
}

}  // namespace
}  // namespace warpclock
