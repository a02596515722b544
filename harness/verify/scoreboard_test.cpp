#include "verify/scoreboard.hpp"

#include <gtest/gtest.h>

#include "code/testing/listing.hpp"

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

}  // namespace
}  // namespace warpclock
