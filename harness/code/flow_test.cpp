#include "code/flow.hpp"

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::make_listing;

TEST(Flow, FollowsJumps) {
  const Listing listing =
      make_listing("top:\nNOP\n@P0 BRA `(top)\nBRA.U !UP0, `(end)\nBRA `(end)\nNOP\nend:\n@P0 EXIT\nEXIT");
  EXPECT_THAT(successors(listing, 0), ElementsAre(1U));
  EXPECT_THAT(successors(listing, 1), ElementsAre(2U, 0U));
  EXPECT_THAT(successors(listing, 2), ElementsAre(3U, 5U)) << "the condition is an operand";
  EXPECT_THAT(successors(listing, 3), ElementsAre(5U));
  EXPECT_THAT(successors(listing, 5), ElementsAre(6U));
  EXPECT_THAT(successors(listing, 6), IsEmpty());
}

TEST(Flow, ACallReturnsBehindItselfAndAReturnLeaves) {
  const Listing listing = make_listing("CALL.REL.NOINC `(f)\nEXIT\nf:\nNOP\nRET.REL.NODEC R10 `(k)");
  EXPECT_THAT(successors(listing, 0), ElementsAre(1U, 2U));
  EXPECT_THAT(successors(listing, 3), IsEmpty());
}

TEST(Flow, WhereAWarpMeetsAgainIsNoJump) {
  const Listing listing = make_listing("BSSY B0, `(end)\nWARPSYNC.COLLECTIVE R1, `(end)\nend:\nBSYNC B0\nEXIT");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(is_jump(listing.instructions[i]));
  EXPECT_THAT(successors(listing, 0), ElementsAre(1U));
}

TEST(Flow, AJumpOutOfTheSectionHasNoTarget) {
  const Listing listing = make_listing("BRA `(elsewhere)\nBRX R4 -0x10\nend:\nEXIT");
  EXPECT_EQ(target_index(listing, listing.instructions[0]), listing.instructions.size());
  EXPECT_THAT(successors(listing, 0), IsEmpty());
}

TEST(Flow, TheWidestLoopIsTheOneAroundTheOthers) {
  const Listing listing = make_listing(
      "NOP\nouter:\nNOP\ninner:\nNOP\n@P0 BRA `(inner)\nNOP\n@P1 BRA `(outer)\n@P0 BRA `(end)\nNOP\nend:\nEXIT");
  EXPECT_EQ(widest_loop(listing, 0, listing.instructions.size()), std::pair(std::size_t{1}, std::size_t{6}));
  EXPECT_EQ(widest_loop(listing, 2, 5), std::pair(std::size_t{2}, std::size_t{4}))
      << "what begins outside is no loop of it";
  EXPECT_EQ(widest_loop(listing, 6, listing.instructions.size()), std::nullopt) << "a branch forward is none";
}

}  // namespace
}  // namespace warpclock
