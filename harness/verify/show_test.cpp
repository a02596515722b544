#include <gtest/gtest.h>

#include "code/testing/listing.hpp"
#include "verify/wording.hpp"

namespace warpclock {
namespace {

TEST(Show, IsOneLineAnInstruction) {
  const Listing listing = testing::make_listing(
      "NOP\ns5 | CS2R R2, SR_CLOCKLO\ns15 y w0 r3 | @!P0 LDG.E R8, [R6.64]\nb035 | CS2R R4, SR_CLOCKLO\nEXIT");
  Verdict verdict;
  verdict.open = 1;
  verdict.close = 3;
  EXPECT_EQ(show_window(listing, verdict),
            "address  stall  yield  W  R  wait   SASS\n"
            "000010       5  -      -  -  -      CS2R R2, SR_CLOCKLO\n"
            "000020      15  yes    0  3  -      @!P0 LDG.E R8, [R6.64]\n"
            "000030       1  -      -  -  0,3,5  CS2R R4, SR_CLOCKLO\n");
}

TEST(Show, IsEmptyWhereThereIsNoWindow) {
  EXPECT_EQ(show_window(testing::make_listing("EXIT"), {}), "");
  Verdict beyond;
  beyond.close = 7;
  EXPECT_EQ(show_window(testing::make_listing("EXIT"), beyond), "");
}

}  // namespace
}  // namespace warpclock
