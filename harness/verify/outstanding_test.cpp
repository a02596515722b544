#include "verify/outstanding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "code/testing/listing.hpp"
#include "verify/chain.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What is under way after these instructions.
Outstanding after(std::string_view assembly) {
  const Listing listing = testing::make_listing(assembly);
  Outstanding state(32);
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const IssuedUse use = use_of(listing.instructions[i]);
    state.wait(use.awaited);
    state.issue(i, use, issue_distance(use.control));
  }
  return state;
}

/// "0: 4 R0 R1" for each: its producer, its cycles and its results.
std::vector<std::string> results(const Outstanding& state) {
  std::vector<std::string> all;
  for (const Work& work : state.works()) {
    std::string text = fmt::format("{}: {}", work.producer, work.elapsed);
    for (std::size_t place = 0; place < register_places; ++place) {
      if (work.results.test(place)) text += " " + to_string(register_at(place));
    }
    all.push_back(text);
  }
  return all;
}

TEST(Outstanding, EveryRegisterHasAPlace) {
  for (const char* name : {"R0", "R254", "UR0", "UR62", "P0", "P6", "UP0", "UP6"}) {
    EXPECT_EQ(to_string(register_at(place_of(parse_register(name).value()))), name);
  }
}

TEST(Outstanding, CountsCyclesSinceEachIssue) {
  EXPECT_THAT(results(after("s4 | IADD3 R0, R1, R2, R3\ns2 | DADD R4, R6, R8")), ElementsAre("0: 6 R0", "1: 2 R4 R5"));
  EXPECT_THAT(results(after("s15 | IADD3 R0, R1, R2, R3\ns15 | NOP\ns2 | NOP")), IsEmpty()) << "after 32 it is there";
  EXPECT_THAT(results(after("s1 y | IADD3 R0, R1, R2, R3")), ElementsAre("0: 2 R0"));
}

TEST(Outstanding, WhatIsOverwrittenIsAwaitedNoMore) {
  EXPECT_THAT(results(after("s1 | DADD R4, R6, R8\ns1 | MOV R5, R1")), ElementsAre("0: 2 R4", "1: 1 R5"));
  EXPECT_THAT(results(after("s1 | MOV R5, R2\ns1 | @P0 MOV R5, R1")), ElementsAre("0: 2 R5", "1: 1 R5"));
}

TEST(Outstanding, AWaitClearsAllThatSetItsScoreboard) {
  constexpr std::string_view loads =
      "s2 w0 | LDG.E R0, desc[UR4][R2.64]\ns2 w0 | LDG.E R1, desc[UR4][R2.64]\n"
      "s2 w1 | LDG.E R4, desc[UR4][R2.64]\n";
  EXPECT_THAT(results(after(std::string(loads) + "b0 s2 | NOP")), ElementsAre("2: 4 R4"));
  EXPECT_THAT(results(after(std::string(loads) + "s2 | DEPBAR.LE SB0, 0x1, {1}")), ElementsAre("1: 6 R1"));
  EXPECT_THAT(results(after("s1 w0 | LDG.E R0, desc[UR4][R2.64]\nb0 s1 | NOP")), ElementsAre("0: 2 R0"))
      << "right behind, a wait does not see it";
}

TEST(Outstanding, JoiningPathsKeepsTheLaterIssueAndAllThatIsUnderWay) {
  Outstanding one = after("s4 | MOV R0, R1"), same = one;
  EXPECT_FALSE(one.merge(same));
  EXPECT_TRUE(one.merge(after("s2 | MOV R0, R1\ns1 w2 | LDS R4, [R2]")));
  EXPECT_THAT(results(one), ElementsAre("0: 3 R0", "1: 1 R4"));
  EXPECT_EQ(one.ever_set(), 1U << 2);
  EXPECT_FALSE(one.merge(after("s15 | MOV R0, R1"))) << "more cycles are no news";
}

TEST(Outstanding, WhatWaitsIsReadFromTheMaskAndFromDepbar) {
  const auto awaited = [](std::string_view code) { return awaited_by(testing::instruction(code)); };
  EXPECT_EQ(awaited("b03 | FADD R0, R1, R2").all, 0b1001U);
  EXPECT_EQ(awaited("DEPBAR.LE SB3, 0x0, {5,4}").all, 0b111000U);
  EXPECT_EQ(awaited("DEPBAR.LE SB3, 0x2").counted, 3);
  EXPECT_EQ(awaited("DEPBAR.LE SB3, 0x2").left, 2U);
}

}  // namespace
}  // namespace warpclock
