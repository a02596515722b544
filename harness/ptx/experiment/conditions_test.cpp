#include "ptx/experiment/conditions.hpp"

#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

std::string conditions(const std::string& text, const Choices& choices = {}) {
  return join(conditions_of(must(described(text, choices))), "; ");
}

TEST(Conditions, OfAWaitSayWhetherThePhaseIsComplete) {
  const std::string one = "the lanes of a warp use one mbarrier";
  for (const char* wait : {"mbarrier.try_wait.shared::cta.b64 {p}, [{a}], {b}",
                           "mbarrier.test_wait.parity.shared::cta.b64 {p}, [{a}], 0"}) {
    EXPECT_EQ(conditions(wait), "the phase is complete; " + one);
    EXPECT_EQ(conditions(wait, {.operands = {}, .values = {{"a", "pending"}}}), "the phase is not complete; " + one);
  }
  EXPECT_EQ(conditions("mbarrier.arrive.shared.b64 {d}, [{a}]"), "no arrival completes the phase; " + one);
  EXPECT_EQ(conditions("mbarrier.inval.shared.b64 [{a}]"), one);
  EXPECT_EQ(conditions("mbarrier.pending_count.b64 {d}, {a}"), "");
}

TEST(Conditions, SayWhatTheTimeDependsOn) {
  EXPECT_EQ(conditions("atom.global.add.u32 {d}, [{a}], {b}"), "each thread has its own word");
  EXPECT_EQ(conditions("atom.shared.cas.b32 {d}, [{a}], {b}, {c}"),
            "each thread has its own word, and the comparison holds");
  EXPECT_EQ(conditions("atom.shared.cas.b32 {d}, [{a}], {b}, {c}", {.operands = {}, .values = {{"b", "one"}}}),
            "each thread has its own word");
  EXPECT_EQ(conditions("fence.acq_rel.gpu"), "no access is outstanding");
  EXPECT_EQ(conditions("cp.async.wait_group 0"), "no copy is outstanding");
  EXPECT_EQ(conditions("cp.async.commit_group"), "the group is empty");
  EXPECT_EQ(conditions("cp.async.ca.shared.global [{d}], [{a}], 16"), "the nearest cache that it uses has the line");
  EXPECT_EQ(conditions("cp.async.ca.shared.global [{d}], [{a}], 16, {p}",
                       {.operands = {{"p", "pred"}}, .values = {{"p", "one"}}}),
            "nothing is read");
  EXPECT_EQ(conditions("ld.global.b32 {d}, [{a}]"), "the nearest cache that it uses has the line");
  EXPECT_EQ(conditions("ld.const.b32 {d}, [{a}]"), "all lanes read one address, which the nearest cache has");
  EXPECT_EQ(conditions("match.any.sync.b32 {d}, {a}, 0xffffffff"), "all lanes hold different values");
  EXPECT_EQ(conditions("match.any.sync.b32 {d}, {a}, 0xffffffff", {.operands = {}, .values = {{"a", "zero"}}}),
            "all lanes hold one value");
  EXPECT_EQ(conditions("div.rn.f32 {d}, {a}, {b}"), "the numbers are normal");
  EXPECT_EQ(conditions("div.rn.f32 {d}, {a}, {b}", {.operands = {}, .values = {{"a", "denormal"}}}), "");
  EXPECT_EQ(conditions("bar.sync 0"), "the warps arrive together");
  EXPECT_EQ(conditions("nanosleep.u32 20"), "it sleeps");
  EXPECT_EQ(conditions("griddepcontrol.wait"), "there is no other grid to wait for");
}

TEST(Conditions, AreNoneWhereTheTimeDependsOnNothing) {
  for (const char* text : {"fma.rn.f32 {d}, {a}, {b}, {c}", "ld.shared.b32 {d}, [{a}]", "st.global.b32 [{a}], {b}",
                           "shfl.sync.idx.b32 {d}, {a}, {b}, 0x1f, 0xffffffff", "div.s32 {d}, {a}, {b}",
                           "rcp.approx.f32 {d}, {a}", "griddepcontrol.launch_dependents"}) {
    EXPECT_EQ(conditions(text), "") << text;
  }
}

}  // namespace
}  // namespace warpclock
