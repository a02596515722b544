#include "ptx/experiment/initial_values.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace warpclock {
namespace {

std::uint64_t apply(const ValueMask& mask, std::uint64_t random) { return (random & mask.keep) | mask.set; }

float float_of(std::string_view value, std::uint64_t random) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(apply(value_mask("f32", RegisterClass::B32, value), random)));
}

double double_of(std::string_view value, std::uint64_t random) {
  return std::bit_cast<double>(apply(value_mask("f64", RegisterClass::B64, value), random));
}

constexpr std::uint64_t randoms[] = {0, ~std::uint64_t{0}, 0x0123456789abcdef, 0x8000000080000000, 0x5555555555555555};

TEST(ValueMask, RandomFloatsAreNormalAndFromOneToTwo) {
  for (const std::uint64_t random : randoms) {
    for (const char* value : {"random", ""}) {
      EXPECT_GE(float_of(value, random), 1.0F);
      EXPECT_LT(float_of(value, random), 2.0F);
      EXPECT_GE(double_of(value, random), 1.0);
      EXPECT_LT(double_of(value, random), 2.0);
    }
  }
}

TEST(ValueMask, SpecialFloatsAreWhatTheyAreCalled) {
  for (const std::uint64_t random : randoms) {
    EXPECT_EQ(float_of("zero", random), 0.0F);
    EXPECT_EQ(float_of("one", random), 1.0F);
    EXPECT_EQ(double_of("one", random), 1.0);
    EXPECT_EQ(std::fpclassify(float_of("denormal", random)), FP_SUBNORMAL);
    EXPECT_EQ(std::fpclassify(double_of("denormal", random)), FP_SUBNORMAL);
    EXPECT_EQ(float_of("infinity", random), std::numeric_limits<float>::infinity());
    EXPECT_EQ(double_of("infinity", random), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(float_of("nan", random)));
    EXPECT_TRUE(std::isnan(double_of("nan", random)));
  }
}

TEST(ValueMask, NarrowFloatsFillTheirRegister) {
  const auto one = [](std::string_view type, RegisterClass file) { return value_mask(type, file, "one").set; };
  EXPECT_EQ(one("f16x2", RegisterClass::B32), 0x3c003c003c003c00U);
  EXPECT_EQ(one("bf16x2", RegisterClass::B32), 0x3f803f803f803f80U);
  EXPECT_EQ(one("e4m3x2", RegisterClass::B16), 0x3838383838383838U);
  EXPECT_EQ(one("e5m2x4", RegisterClass::B32), 0x3c3c3c3c3c3c3c3cU);
  EXPECT_EQ(one("tf32", RegisterClass::B32), 0x3f8000003f800000U);
}

TEST(ValueMask, IntegersAreRandomOrOne) {
  const auto mask = [](std::string_view value, std::string_view type = "s32", RegisterClass file = RegisterClass::B32) {
    return value_mask(type, file, value);
  };
  for (const char* value : {"random", "", "denormal", "infinity", "nan", "bits"}) {
    EXPECT_EQ(mask(value).keep, ~std::uint64_t{0}) << value;
    EXPECT_EQ(mask(value).set, 0U) << value;
  }
  EXPECT_EQ(mask("one").set & 0xffffffff, 1U);
  EXPECT_EQ(mask("one", "u64", RegisterClass::B64).set, 1U);
  EXPECT_EQ(mask("one", "u16x2").set & 0xffffffff, 0x00010001U);
  EXPECT_EQ(mask("one", "u8x4").set & 0xffffffff, 0x01010101U);
  EXPECT_EQ(mask("zero").keep, 0U);
}

TEST(ValueMask, EveryWordHasAMeaningForEveryType) {
  for (const std::string& value : value_names()) {
    for (const char* type : {"f64", "f32", "f16", "bf16x2", "e4m3x2", "u32", "b64", "pred"}) {
      const ValueMask mask = value_mask(type, RegisterClass::B32, value);
      EXPECT_EQ(mask.lane, value == "lane") << type;
      EXPECT_EQ(mask.keep & mask.set & ~mask.keep, 0U);
    }
  }
  EXPECT_EQ(value_mask("f32", RegisterClass::B32, "bits").keep, ~std::uint64_t{0}) << "whatever they mean";
}

}  // namespace
}  // namespace warpclock
