#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

std::string with_operand(std::string_view text, const std::string& operand, const std::string& what) {
  return summary(text, {.operands = {{operand, what}}, .values = {}});
}

std::string with_value(std::string_view text, const std::string& operand, const std::string& value) {
  return summary(text, {.operands = {}, .values = {{operand, value}}});
}

TEST(Choices, AConstantTakesTheRegistersPlace) {
  const Choices choices{.operands = {{"b", "imm:3"}}, .values = {}};
  const PtxInstruction mul = described("mul.lo.s32 {d}, {a}, {b}", choices).value();
  EXPECT_EQ(mul.text, "mul.lo.s32 {d}, {a}, 3");
  EXPECT_EQ(summary(mul), "d=s32:b32 a<s32:b32 b:3");
  EXPECT_EQ(with_operand("mov.u32 {d}, {a}", "a", "imm:%laneid"), "d=u32:b32 a:%laneid");
  EXPECT_EQ(with_operand("shl.b32 {d}, {a}, 3", "b", "imm:4"), "d=b32:b32 a<b32:b32 b:4");
}

TEST(Choices, ATypeTakesTheTablesPlace) {
  EXPECT_EQ(with_operand("mov.b64 {d}, {a}", "a", "f64"), "d=b64:b64 a<f64:b64");
  EXPECT_EQ(with_operand("ld.shared.b32 {d}, [{a}]", "a", "b64"), "d=b32:b32 a<b64:b64@shared/4");
  EXPECT_EQ(with_operand("match.any.sync.b32 {d}, {a}, {mask}", "mask", "b32"), "d=b32:b32 a<b32:b32 mask<b32:b32");
}

TEST(Choices, AValueIsRemembered) {
  EXPECT_EQ(with_value("add.f32 {d}, {a}, {b}", "b", "denormal"), "d=f32:b32 a<f32:b32 b<f32:b32(denormal)");
  EXPECT_EQ(with_value("@{p} add.f32 {d}, {a}, {b}", "p", "zero"), "d=f32:b32 a<f32:b32 b<f32:b32 p<pred:pred(zero)");
}

TEST(Choices, WhatCannotBeChosenIsRefused) {
  EXPECT_EQ(with_operand("add.f32 {d}, {a}, {b}", "x", "imm:3"), "ptx: add.f32 has no operand 'x' (one of d, a, b)");
  EXPECT_EQ(with_operand("add.f32 {d}, {a}, {b}", "d", "imm:3"), "ptx: operand 'd' cannot be a constant");
  EXPECT_EQ(with_operand("ld.b32 {d}, [{a}]", "a", "imm:3"), "ptx: operand 'a' cannot be a constant");
  EXPECT_EQ(with_operand("st.v2.b32 [{a}], {b}", "b", "imm:3"), "ptx: operand 'b' cannot be a constant");
  EXPECT_EQ(with_operand("@{p} add.f32 {d}, {a}, {b}", "p", "imm:3"), "ptx: operand 'p' cannot be a constant");
  EXPECT_EQ(with_operand("add.f32 {d}, {a}, {b}", "b", "imm:3, 4"),
            "ptx: operand 'b': '3, 4' is not a constant of PTX");
  EXPECT_EQ(with_operand("add.f32 {d}, {a}, {b}", "b", "f23"),
            "ptx: operand 'b': 'f23' is neither imm:<constant> nor a type (did you mean 'f32'?)");
  EXPECT_EQ(with_operand("lop3.b32 {d}, {a}, {b}, {c}, {lut}", "lut", "b32"),
            "ptx: operand 'lut' is a constant, and has no register to be of type b32");
  EXPECT_EQ(with_operand("add.f32 {d}, {a}, 1.0", "b", "f32"),
            "ptx: operand 'b' is a constant, and has no register to be of type f32");
  EXPECT_EQ(with_value("add.f32 {d}, {a}, {b}", "b", "nana"),
            "ptx: operand 'b': unknown value 'nana' (did you mean 'nan'?)");
  EXPECT_EQ(with_value("add.f32 {d}, {a}, 1.0", "b", "nan"),
            "ptx: operand 'b' is the constant 1.0, which has no other value");
}

TEST(Choices, APhaseIsChosenForAnAddressThatIsWaitedAt) {
  const char* const wait = "mbarrier.test_wait.shared.b64 {p}, [{a}], {b}";
  EXPECT_EQ(with_value(wait, "a", "pending"), "p=pred:pred a<b32:b32@shared/8(pending) b<b64:b64(zero)");
  EXPECT_EQ(with_value(wait, "a", "zero"), "ptx: operand 'a': the phase of an mbarrier is complete or pending");
  EXPECT_EQ(with_value(wait, "b", "pending"),
            "ptx: operand 'b': 'pending' is for the address of an mbarrier that the instruction waits for");
  EXPECT_EQ(with_value("ld.shared.b32 {d}, [{a}]", "a", "zero"), "ptx: operand 'a' is an address, and has no value");
}

TEST(Choices, AConstantHoldsNothing) {
  const Choices choices{.operands = {{"b", "imm:3.0"}}, .values = {}};
  EXPECT_EQ(summary(described("div.rn.f32 {d}, {a}, {b}", choices).value()), "d=f32:b32 a<f32:b32 b:3.0");
  EXPECT_EQ(summary(described("div.rn.f32 {d}, {a}, 3.0").value()), "d=f32:b32 a<f32:b32 b:3.0");
}

TEST(Choices, ValueNamesAreThoseThatAreDocumented) {
  EXPECT_THAT(value_names(), ElementsAre("random", "zero", "one", "denormal", "infinity", "nan", "lane", "bits",
                                         "complete", "pending"));
}

}  // namespace
}  // namespace warpclock
