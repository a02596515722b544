#include "verify/waits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "code/testing/listing.hpp"
#include "verify/chain.hpp"

namespace warpclock {
namespace {

using testing::index_of;
using testing::make_listing;

std::optional<Leak> leak_of(std::string_view assembly) {
  const Listing listing = make_listing(assembly);
  return find_leak(listing, index_of(listing, "CS2R R2"), index_of(listing, "CS2R R4"));
}

TEST(Scoreboard, NamesTheLoadAndItsWaiter) {
  const auto leak =
      leak_of("w3 | LDG.E R8, [R6.64]\nCS2R R2, SR_CLOCKLO\nNOP\nb3 | FADD R8, R8, R8\nCS2R R4, SR_CLOCKLO\nEXIT");
  ASSERT_TRUE(leak);
  EXPECT_EQ(leak->setter, 0U);
  EXPECT_EQ(leak->waiter, 3U);
  EXPECT_EQ(leak->scoreboard, 3);
}

TEST(Scoreboard, IsSilentWhenTheLoadWasWaitedForBefore) {
  EXPECT_FALSE(
      leak_of("w3 | LDG.E R8, [R6.64]\nb3 | FADD R9, R8, R8\nCS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\n"
              "CS2R R4, SR_CLOCKLO\nEXIT"));
  EXPECT_FALSE(
      leak_of("w3 | LDG.E R8, [R6.64]\nb3 | CS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\nCS2R R4, SR_CLOCKLO\nEXIT"))
      << "the opening read issues after its own wait";
  EXPECT_FALSE(
      leak_of("w3 | LDG.E R8, [R6.64]\nDEPBAR.LE SB3, 0x0\nCS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\n"
              "CS2R R4, SR_CLOCKLO\nEXIT"));
  EXPECT_FALSE(
      leak_of("w3 | LDG.E R8, [R6.64]\nDEPBAR.LE SB0, 0x1, {3}\nCS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\n"
              "CS2R R4, SR_CLOCKLO\nEXIT"));
  EXPECT_FALSE(leak_of("w3 | LDG.E R8, [R6.64]\nCS2R R2, SR_CLOCKLO\nb2 | FADD R8, R8, R8\nCS2R R4, SR_CLOCKLO\nEXIT"));
  EXPECT_FALSE(leak_of("CS2R R2, SR_CLOCKLO\nw3 | LDS R8, [R6]\nb3 | FADD R8, R8, R8\nCS2R R4, SR_CLOCKLO\nEXIT"));
}

TEST(Scoreboard, AWaitThatLeavesSomeOutstandingIsNone) {
  EXPECT_TRUE(
      leak_of("w3 | LDG.E R8, [R6.64]\nDEPBAR.LE SB3, 0x1\nCS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\n"
              "CS2R R4, SR_CLOCKLO\nEXIT"));
}

TEST(Scoreboard, CountsTheWaitOfTheClosingRead) {
  EXPECT_TRUE(leak_of("w3 | LDG.E R8, [R6.64]\nCS2R R2, SR_CLOCKLO\nb3 | CS2R R4, SR_CLOCKLO\nEXIT"));
}

TEST(Scoreboard, FollowsBothSidesOfABranch) {
  const std::string head = "@P0 BRA `(skip)\nw3 | LDG.E R8, [R6.64]\n";
  const std::string window = "CS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\nCS2R R4, SR_CLOCKLO\nEXIT";
  EXPECT_TRUE(leak_of(head + "skip:\n" + window));
  EXPECT_FALSE(leak_of(head + "b3 | NOP\nskip:\n" + window));
  EXPECT_FALSE(leak_of("BRA `(skip)\nw3 | LDG.E R8, [R6.64]\nskip:\n" + window)) << "no path leads to the load";
}

TEST(Scoreboard, FollowsTheBackEdgeOfThePasses) {
  EXPECT_TRUE(
      leak_of("pass:\nCS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\nCS2R R4, SR_CLOCKLO\nw3 | LDG.E R8, [R6.64]\n"
              "@P0 BRA `(pass)\nEXIT"));
}

TEST(Scoreboard, ReadSourcesCountFromPassToPassOnly) {
  EXPECT_FALSE(
      leak_of("r3 | STS [R6], R8\npass:\nCS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\nCS2R R4, SR_CLOCKLO\n"
              "@P0 BRA `(pass)\nEXIT"));
  EXPECT_TRUE(
      leak_of("pass:\nr3 | STS [R6], R8\nCS2R R2, SR_CLOCKLO\nb3 | FADD R8, R8, R8\nCS2R R4, SR_CLOCKLO\n"
              "@P0 BRA `(pass)\nEXIT"));
}

int cycles_between(const Listing& listing, std::size_t first, std::size_t last) {
  int cycles = waited_cycles(listing, first, last);
  for (std::size_t i = first; i < last; ++i) cycles += issue_distance(listing.instructions[i].control);
  return cycles;
}

/// Cycles per copy, taken from the middle of many copies.
int settled(const std::string& copy, std::size_t size) {
  std::string text;
  for (int i = 0; i < 6; ++i) text += copy;
  return cycles_between(make_listing(text), 3 * size, 4 * size);
}

/// "s7 | IMAD.HI.U32 R0, R0, R1, RZ\n"
std::string line(int stall, const std::string& sass) { return fmt::format("s{} | {}\n", stall, sass); }

TEST(Waits, AreWhatPatchedStallCountsTook) {
  const std::vector<std::pair<int, int>> chain{{14, 16}, {13, 15}, {12, 14}, {11, 13}, {10, 12}, {9, 11},
                                               {8, 10},  {7, 9},   {6, 9},   {5, 9},   {4, 9}};
  for (const auto& [stall, cycles] : chain) {
    EXPECT_EQ(settled(line(stall, "IMAD.HI.U32 R0, R0, R1, RZ"), 1), cycles) << stall;
  }
  const std::vector<std::pair<int, int>> mixed{{12, 19}, {10, 17}, {9, 16}, {8, 15}, {7, 14}, {6, 14}, {5, 14}};
  for (const auto& [stall, cycles] : mixed) {
    const std::string logic = line(stall, "LOP3.LUT R0, R0, R1, R2, 0x96, !PT");
    EXPECT_EQ(settled(line(5, "IMAD.HI.U32 R0, R0, R1, RZ") + logic, 2), cycles) << stall;
    EXPECT_EQ(settled(line(5, "IMAD.WIDE.U32 R0, R0, R4, RZ") + logic, 2), cycles) << stall;
    EXPECT_EQ(settled(line(5, "IMAD R0, R0, R1, RZ") + logic, 2), 5 + stall) << stall;
  }
  const std::vector<std::pair<int, int>> independent{{14, 32}, {5, 14}, {4, 12}, {3, 10}, {2, 9}};
  for (const auto& [stall, cycles] : independent) {
    const std::string other = line(stall, "IMAD.HI.U32 R2, R2, R1, RZ");
    EXPECT_EQ(settled(line(stall, "IMAD.HI.U32 R0, R0, R1, RZ") + other, 2), cycles) << stall;
  }
}

TEST(Waits, MakeWhatRecordedWindowsTookToTheCycle) {
  struct Recorded {
    std::string name, assembly;
  };
  std::vector<Recorded> all;
  for (const std::string& text : lines(testing::read("harness/verify/testdata/waits.txt"))) {
    if (text.empty() || text[0] == '#') continue;
    if (text[0] == ' ') {
      all.back().assembly += text + "\n";
    } else {
      all.push_back({text, ""});
    }
  }
  ASSERT_GE(all.size(), 9U);
  for (const auto& [name, assembly] : all) {
    const Listing listing = make_listing(assembly);
    const std::size_t last = listing.instructions.size() - 1;
    EXPECT_EQ(fmt::format("{}", cycles_between(listing, 0, last)), trim(name.substr(name.find(':') + 1))) << name;
  }
}

TEST(Waits, AreKnownOfWhatWasMeasuredAlone) {
  const std::string assembly = "s5 | IMAD.HI.U32 R0, R0, R1, RZ\ns5 | IMAD.HI.U32 R0, R0, R1, RZ";
  Listing listing = make_listing(assembly);
  EXPECT_EQ(waited_cycles(listing, 0, 1), 4);
  EXPECT_EQ(waited_cycles(listing, 0, 0), 0) << "what is before the first issue is not between";
  listing.target = "sm_90a";
  EXPECT_EQ(waited_cycles(listing, 0, 1), 4);
  for (const std::string target : {"sm_80", "sm_100a", "sm_120a", ""}) {
    listing.target = target;
    EXPECT_EQ(waited_cycles(listing, 0, 1), 0) << target;
  }
}

TEST(Waits, AreForFactorsAndNotForAddends) {
  const auto waited = [](const std::string& maker, const std::string& reader) {
    return waited_cycles(make_listing("s4 | " + maker + "\ns4 | " + reader), 0, 1);
  };
  EXPECT_EQ(waited("MOV R3, R9", "IMAD.WIDE.U32 R0, R3, R4, RZ"), 5);
  EXPECT_EQ(waited("MOV R3, R9", "IMAD.WIDE.U32 R0, R4, R3, RZ"), 5);
  EXPECT_EQ(waited("MOV R3, R9", "IMAD.WIDE.U32 R0, R4, R5, R2"), 2);
  EXPECT_EQ(waited("MOV R3, R9", "IMAD.WIDE.U32 R0, P0, R3, R4, RZ"), 5);
  EXPECT_EQ(waited("MOV R3, R9", "IMAD.WIDE.U32 R0, P0, R4, R5, R2"), 2);
  EXPECT_EQ(waited("MOV R3, R9", "IMAD R0, R3, R4, RZ"), 0);
  EXPECT_EQ(waited("IMAD.WIDE.U32 R2, R8, R9, RZ", "IMAD.WIDE.U32 R0, R2, R4, RZ"), 3) << "its lower half is earlier";
  EXPECT_EQ(waited("IMAD.WIDE.U32 R2, R8, R9, RZ", "IMAD.WIDE.U32 R0, R3, R4, RZ"), 5);
}

}  // namespace
}  // namespace warpclock
