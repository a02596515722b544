#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

std::vector<int> live_in(const char* code) {
  const Listing listing = testing::make_listing(code);
  return live_registers(listing, flow_graph(listing));
}

TEST(LiveRegisters, AreThoseThatAreStillRead) {
  EXPECT_THAT(live_in(R"(
  MOV R0, 0x1
  MOV R1, 0x2
  FADD R2, R0, R1
  FADD R2, R2, R0
  STG.E [R4.64], R2
  EXIT
)"),
              ElementsAre(2, 3, 4, 4, 3, 0));
}

TEST(LiveRegisters, AWriteUnderAGuardKeepsTheValueBefore) {
  EXPECT_THAT(live_in("@P0 MOV R0, 0x1\n  STG.E [R4.64], R0\n  EXIT\n"), ElementsAre(3, 3, 0));
  EXPECT_THAT(live_in("  MOV R0, 0x1\n  STG.E [R4.64], R0\n  EXIT\n"), ElementsAre(2, 3, 0));
}

TEST(LiveRegisters, GoAroundALoop) {
  EXPECT_THAT(live_in(R"(
  MOV R0, RZ
again:
  FADD R0, R0, R1
  FADD R3, R0, R0
@P0 BRA `(again)
  EXIT
)"),
              ElementsAre(1, 2, 2, 2, 0))
      << "R1 is read in the next trip, and R3 never";
}

TEST(LiveRegisters, OfWideOperandsAreAllOfThem) {
  EXPECT_THAT(live_in("  HMMA.16816.F32 R8, R0, R4, R8\n  STG.E.128 [R12.64], R8\n  EXIT\n"), ElementsAre(12, 6, 0));
}

}  // namespace
}  // namespace warpclock
