#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "verify/claims.hpp"

namespace warpclock {
namespace {

using testing::index_of;
using testing::make_listing;

/// Passes with a load, a prefetch and a chain of FFMAs. `between` is inserted between the prefetch and the chain.
std::string passes(const std::string& between, int links = 4) {
  std::string text = "pass:\nw3 | LDG.E R8, [R6.64]\nCCTL.E.PF2 [R6]\n" + between;
  for (int i = 0; i < links; ++i) text += "s4 | FFMA R10, R10, R1, R1\n";
  return text + "CS2R R2, SR_CLOCKLO\nw2 | LDG.E R9, [R6.64+0x80]\nb2 | LOP3.LUT R0, R0, R9, RZ, 0x3c, !PT\n" +
         "CS2R R4, SR_CLOCKLO\n@P0 BRA `(pass)\nEXIT";
}

std::string why(const std::string& assembly, std::optional<std::int64_t> delay = {}) {
  const Listing listing = make_listing(assembly);
  Expectation expect;
  expect.before = {"CCTL.PF2", "FFMA"};
  if (delay) expect.delay = Product{{*delay}};
  const std::size_t open = index_of(listing, "CS2R R2");
  if (auto late = why_late_wait(listing, open, expect)) return *late;
  return why_other_delay(listing, open, expect, {}).value_or("");
}

TEST(Setup, WhenALoadIsWaitedForBehindTheAccess) {
  EXPECT_THAT(
      why(passes("b3 | IADD3 R0, R0, R8, RZ\n")),
      AllOf(HasSubstr("'IADD3 R0, R0, R8, RZ' at 0x0020 waits for 'LDG.E R8"), HasSubstr("between 'CCTL.E.PF2")));
  EXPECT_EQ(why(passes("")), "") << "leaky-window is not its business";
  EXPECT_EQ(why(passes("w4 | LDG.E R8, [R6.64]\nb4 | IADD3 R0, R0, R8, RZ\n")), "") << "begun behind the access";
}

TEST(Setup, WhenTheWaitStandsBehindTheKernelsEnd) {
  const std::string text = passes("@P1 BRA `(rare)\nback:\n") + "\nrare:\nb3 | IADD3 R0, R0, R8, RZ\nBRA `(back)";
  EXPECT_THAT(why(text), HasSubstr("waits for 'LDG.E R8"));
}

TEST(Setup, WhatWasBegunBeforeTheFirstPassCountsWithoutPassesOnly) {
  const std::string text = "w5 | LDG.E R1, [R4.64]\n" + passes("b5 | NOP\n");
  EXPECT_EQ(why(text), "");
  std::string once = text;
  once.replace(once.find("@P0 BRA `(pass)"), 15, "NOP");
  EXPECT_THAT(why(once), HasSubstr("waits for 'LDG.E R1"));
}

TEST(Setup, SharedMemoryAndSpecialRegistersTakeFewCycles) {
  std::string text = passes("b3 | IADD3 R0, R0, R8, RZ\n");
  text.replace(text.find("LDG.E R8, [R6.64]"), 17, "LDS R8, [R6]");
  EXPECT_EQ(why(text), "");
}

TEST(Setup, WhenTheDelayIsNotWhatTheControlFieldsEncode) {
  EXPECT_EQ(why(passes("", 4), 16), "");
  EXPECT_THAT(why(passes("", 4), 20), HasSubstr("17 cycles are encoded from 'CCTL.E.PF2 [R6]' at 0x0010"));
  EXPECT_EQ(why(passes("", 16 / 4 + delay_slack / 4 - 1), 16), "");
  EXPECT_THAT(why(passes("", 16 / 4 + delay_slack / 4), 16), HasSubstr("instead of 16 to 96"));
}

TEST(Setup, WhenNobodyKnowsHowLongTheDelayIs) {
  EXPECT_THAT(why(passes("MEMBAR.SC.GPU\n"), 16), HasSubstr("'MEMBAR.SC.GPU' at 0x0020 is in the delay"));
  EXPECT_THAT(why(passes("w4 | LDG.E R8, [R6.64]\n"), 16), HasSubstr("is in the delay"));
  EXPECT_EQ(why(passes("w4 | LDS R8, [R6]\n"), 16), "");
}

}  // namespace
}  // namespace warpclock
