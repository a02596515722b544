#include "ptx/catalogue/ids.hpp"

#include <gtest/gtest.h>

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

std::vector<std::string> names(const std::vector<std::string>& lines) {
  return names_of(mapped(lines, [&](const std::string& line) { return Form{line, {}}; }));
}

TEST(Ids, AreMnemonicsWhereThoseTellFormsApart) {
  EXPECT_THAT(names({"add.s32 {d}, {a}, {b}", "lop3.b32 {d}, {a}, {b}, {c}, 0x96", "bar.sync 0", "membar.gl"}),
              ElementsAre("add.s32", "lop3.b32", "bar.sync", "membar.gl"));
}

TEST(Ids, NameWhatIsNoPlainOperand) {
  EXPECT_THAT(names({"setp.lt.s32 {p}, {a}, {b}", "setp.lt.s32 {p}|{q}, {a}, {b}"}),
              ElementsAre("setp.lt.s32", "setp.lt.s32[p|q]"));
  EXPECT_THAT(names({"mov.u32 {d}, {a}", "mov.u32 {d}, %tid.x", "mov.u32 {d}, WARP_SZ"}),
              ElementsAre("mov.u32", "mov.u32[%tid.x]", "mov.u32[WARP_SZ]"));
  EXPECT_THAT(names({"mov.b64 {d}, {a}", "mov.b64 {d}, {{a}, {b}}", "mov.b64 {{d}, {e}}, {a}"}),
              ElementsAre("mov.b64", "mov.b64[{a,b}]", "mov.b64[{d,e}]"));
}

TEST(Ids, LeaveOutWhatAllHave) {
  EXPECT_THAT(
      names({"shfl.sync.idx.b32 {d}, {a}, {b}, {c}, 0xffffffff", "shfl.sync.idx.b32 {d}, {a}, 1, 0x1f, 0xffffffff"}),
      ElementsAre("shfl.sync.idx.b32", "shfl.sync.idx.b32[1,0x1f]"));
}

TEST(Ids, NameOperandsThatOthersLack) {
  EXPECT_THAT(names({"min.f32 {d}, {a}, {b}", "min.f32 {d}, {a}, {b}, {c}"}), ElementsAre("min.f32", "min.f32[c]"));
  EXPECT_THAT(
      names({"cp [{d}], [{a}], 4", "cp [{d}], [{a}], 16", "cp [{d}], [{a}], 16, {b}", "cp [{d}], [{a}], 16, {p}"}),
      ElementsAre("cp[4]", "cp[16]", "cp[16,b]", "cp[16,p]"));
}

TEST(Ids, NameChoices) {
  const Form plain{"mul.lo.s32 {d}, {a}, {b}", {}};
  const Form by_three{"mul.lo.s32 {d}, {a}, {b}", {.operands = {{"b", "imm:3"}}, .values = {{"a", "zero"}}}};
  EXPECT_THAT(names_of({plain, by_three}), ElementsAre("mul.lo.s32", "mul.lo.s32[b=imm:3,a=zero]"));
  EXPECT_THAT(names_of({by_three}), ElementsAre("mul.lo.s32[b=imm:3,a=zero]")) << "also alone";
}

TEST(Ids, AreEqualForFormsThatDifferInNamesOnly) {
  EXPECT_THAT(names({"neg.s32 {d}, {a}", "neg.s32 {x}, {y}"}), ElementsAre("neg.s32", "neg.s32"));
}

}  // namespace
}  // namespace warpclock
