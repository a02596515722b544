#include "ptx/experiment/conversion.hpp"

#include <gtest/gtest.h>

#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

struct Linked {
  PtxInstruction instruction;
  Link link;

  [[nodiscard]] std::string reg(std::size_t operand, int element) const {
    return fmt::format("{}{}", instruction.operands[operand].name, element);
  }
  [[nodiscard]] std::string converted() const {
    return conversion(instruction, link, [this](std::size_t i, int element) { return reg(i, element); });
  }
};

/// The link from the result of an instruction to its first source.
Linked link_of(const std::string& text) {
  Linked linked{described(text).value(), {}};
  linked.link = latency_experiments(linked.instruction).front().links.front();
  return linked;
}

std::string converted(const std::string& text) { return link_of(text).converted(); }

TEST(Conversion, TakesTheLowPartOfWhatIsWider) {
  EXPECT_EQ(converted("mul.wide.u32 {d}, {a}, {b}"), "{ .reg .b32 y; mov.b64 {a0, y}, d0; }");
  EXPECT_EQ(converted("cvt.rn.f16.f32 {d}, {a}"), "{ .reg .b16 l, h; mov.b32 {l, h}, a0; mov.b32 a0, {d0, h}; }")
      << "the other half is the source's own";
  EXPECT_EQ(converted("cvt.u64.u32 {d}, {a}"), "{ .reg .b32 y; mov.b64 {a0, y}, d0; }");
  EXPECT_EQ(converted("cvt.u32.u64 {d}, {a}"), "{ .reg .b32 x, y; mov.b64 {x, y}, a0; mov.b64 a0, {d0, y}; }");
  EXPECT_EQ(converted("cvt.f32.f16 {d}, {a}"), "{ .reg .b16 h; mov.b32 {a0, h}, d0; }");
}

TEST(Conversion, GoesInAndOutOfPredicates) {
  EXPECT_EQ(converted("setp.eq.s32 {p}, {a}, {b}"), "selp.b32 a0, a0, 1, p0;");
  EXPECT_EQ(converted("setp.eq.s64 {p}, {a}, {b}"), "selp.b64 a0, a0, 1, p0;");
  EXPECT_EQ(converted("selp.b32 {d}, 1, 0, {c}"), "setp.ne.b32 c0, d0, 0;");
}

TEST(Conversion, AddsALoadedZeroToTheAddress) {
  EXPECT_EQ(converted("ld.global.u8 {d}, [{a}]"), "{ .reg .u64 z; cvt.u64.u32 z, d0; add.u64 a0, a0, z; }");
  EXPECT_EQ(converted("ld.const.u64 {d}, [{a}]"), "add.u64 a0, a0, d0;");
}

std::int64_t count(const std::string& text, const std::string& what) {
  std::int64_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Conversion, ReadsAllOfAVectorThatLeadsToAnAddress) {
  const std::string bytes = link_of("ld.shared.v4.b8 {d}, [{a}]").converted();
  EXPECT_EQ(count(bytes, "or.b32"), 3) << bytes;
  const std::string constant = link_of("ld.const.v2.b64 {d}, [{a}]").converted();
  EXPECT_EQ(count(constant, "or.b32"), 3) << constant;
  EXPECT_EQ(count(constant, "add.u32"), 1) << constant;
  EXPECT_EQ(count(link_of("ld.global.v2.b16 {d}, [{a}]").converted(), "add.u64"), 1);
}

}  // namespace
}  // namespace warpclock
