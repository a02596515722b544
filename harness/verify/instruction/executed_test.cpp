#include "verify/instruction/executed.hpp"

#include <gmock/gmock.h>

#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::make_listing;

TEST(Executed, CountsTheLoopOncePerPass) {
  const Listing listing = make_listing("NOP\n@!P0 BRA `(end)\npass:\nNOP\nNOP\n@P0 BRA `(pass)\nend:\nNOP\nEXIT");
  EXPECT_EQ(executed_instructions(listing, 1), 7);
  EXPECT_EQ(executed_instructions(listing, 3), 13);
}

TEST(Executed, CountsTheLoopInsideTheWindowOncePerTrip) {
  const Listing listing =
      make_listing("NOP\npass:\nNOP\ntrip:\nNOP\nNOP\n@P1 BRA `(trip)\nNOP\n@P0 BRA `(pass)\nNOP\nEXIT");
  EXPECT_EQ(executed_instructions(listing, 1, 4), 1 + 1 + 4 * 3 + 2 + 2);
  EXPECT_EQ(executed_instructions(listing, 2, 4), 1 + 2 * (1 + 4 * 3 + 2) + 2);
  EXPECT_EQ(executed_instructions(listing, 2), std::nullopt) << "two loops where one was asked for";
}

TEST(Executed, KnowsNothingOfOtherBranches) {
  EXPECT_EQ(executed_instructions(make_listing("pass:\nNOP\n@P1 BRA `(over)\nover:\n@P0 BRA `(pass)\nEXIT"), 1, 4),
            std::nullopt);
  EXPECT_EQ(executed_instructions(make_listing("pass:\nCALL.REL.NOINC `(f)\n@P0 BRA `(pass)\nEXIT\nf:\nNOP"), 1),
            std::nullopt);
  EXPECT_EQ(executed_instructions(make_listing("pass:\nNOP\nBRA `(pass)\nEXIT"), 1), std::nullopt);
  EXPECT_EQ(executed_instructions(make_listing("NOP\nEXIT"), 2), std::nullopt) << "no loop at all";
  EXPECT_EQ(executed_instructions(make_listing("trip:\nNOP\n@P0 BRA `(trip)\npass:\nNOP\n@P1 BRA `(pass)\nEXIT"), 1, 4),
            std::nullopt)
      << "one after the other";
}

}  // namespace
}  // namespace warpclock
