#include "ptx/catalogue/spelling.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "ptx/testing/testdata.hpp"

namespace warpclock {
namespace {

std::string spelled(std::string_view text, Spelled in) {
  return spelling_of(parse_ptx(text).value(), testing_table(), in);
}

TEST(Spelling, NamesOfRegistersAndPlaceholdersMakeNoDifference) {
  const auto names = [](std::string_view text) { return spelled(text, Spelled::Names); };
  EXPECT_EQ(names("fns.b32 {d}, {mask}, {base}, {offset}"), "fns.b32 $0, $1, $2, $3");
  EXPECT_EQ(names("fns.b32 {d}, {a}, {b}, {c}"), names("fns.b32 {d}, {mask}, {base}, {offset}"));
  EXPECT_EQ(names("fma.rn.f32 {d}, {a}, {b}, {a}"), "fma.rn.f32 $0, $1, $2, $1");
  EXPECT_EQ(names("ld.shared::cta.b32 {d}, [{a}]"), names("ld.shared.b32 {d}, [{x}]"));
  EXPECT_EQ(names("shfl.sync.up.b32 {d}|{p}, {a}, 0x1f, 0x0, 0xffffffff"), "shfl.sync.up.b32 $0|$1, $2, 31, 0, -1");
  EXPECT_NE(names("ld.shared.f32 {d}, [{a}]"), names("ld.shared.b32 {d}, [{a}]"));
  EXPECT_NE(names("ld.shared.b32 {d}, [{a}+4]"), names("ld.shared.b32 {d}, [{a}]"));
  EXPECT_EQ(names("mov.u32 {d}, %tid.x"), "mov.u32 $0, %tid.x");
}

TEST(Spelling, TypesOfOneWidthAreAlikeWhereTheTableSaysSo) {
  const auto types = [](std::string_view text) { return spelled(text, Spelled::Types); };
  EXPECT_EQ(types("@%p1 ld.weak.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16]"),
            types("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]"));
  EXPECT_EQ(types("st.global.u8 [{a}], {b}"), types("st.global.b8 [{a}], {b}"));
  EXPECT_NE(types("ld.global.s8 {d}, [{a}]"), types("ld.global.u8 {d}, [{a}]")) << "the sign is extended";
  EXPECT_NE(types("ld.global.f64 {d}, [{a}]"), types("ld.global.f32 {d}, [{a}]"));
  EXPECT_NE(types("add.f32 {d}, {a}, {b}"), types("add.s32 {d}, {a}, {b}"));
  EXPECT_NE(types("shfl.sync.down.b32 {d}, {a}, 16, 0x1f, 0xffffffff"),
            types("shfl.sync.down.b32 {d}, {a}, 1, 0x1f, 0xffffffff"));
}

TEST(Spelling, ConstantsMayDifferUnlessTheyAreTheSizeOfACopy) {
  const auto constants = [](std::string_view text) { return spelled(text, Spelled::Constants); };
  EXPECT_EQ(constants("shfl.sync.down.b32 {d}, {a}, 16, 0x1f, 0xffffffff"), "shfl.sync.down.b32 $0, $1, #, #, #");
  EXPECT_NE(constants("shfl.sync.down.b32 {d}, {a}, {b}, 0x1f, 0xffffffff"),
            constants("shfl.sync.down.b32 {d}, {a}, 16, 0x1f, 0xffffffff"));
  EXPECT_NE(constants("cp.async.ca.shared.global [{d}], [{a}], 8"),
            constants("cp.async.ca.shared.global [{d}], [{a}], 4"));
  EXPECT_EQ(spelled("mul.wide.s32 {d}, {a}, 4", Spelled::Operands),
            spelled("mul.wide.s32 {d}, {a}, {b}", Spelled::Operands));
}

}  // namespace
}  // namespace warpclock
