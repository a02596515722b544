#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "verify/claims.hpp"

namespace warpclock {
namespace {

using testing::make_listing;

std::string why(std::string_view inside, Close close, std::vector<std::string> target,
                std::vector<std::string> required = {}) {
  const Listing listing = make_listing("CS2R R2, SR_CLOCKLO\n" + std::string(inside) + "\nCS2R R4, SR_CLOCKLO\nEXIT");
  Expectation expect;
  expect.target = std::move(target);
  expect.required = std::move(required);
  expect.close = close;
  return why_open(listing, Window(listing, 0, listing.instructions.size() - 2, expect), expect).value_or("closed");
}

std::string result(std::string_view inside, std::vector<std::string> required = {}) {
  return why(inside, Close::Result, {"LDS", "STS", "FFMA", "ISETP"}, std::move(required));
}

TEST(ClosedByResult, WhenEachResultIsReadOrOverwritten) {
  EXPECT_EQ(result("LDS R8, [R6]\nLOP3.LUT R9, R9, R8, RZ, 0x3c, !PT"), "closed");
  EXPECT_EQ(result("LDS.128 R8, [R6]\nLOP3.LUT R9, R9, R11, RZ, 0x3c, !PT"), "closed") << "they arrive together";
  EXPECT_EQ(result("LDS R8, [R6]\nLDS R8, [R7]\nLOP3.LUT R9, R9, R8, RZ, 0x3c, !PT"), "closed");
  EXPECT_EQ(result("LDS R8, [R6]\nMOV R8, R9"), "closed") << "the move waits for the load";
  EXPECT_EQ(result("ISETP.NE.AND P0, PT, R8, R9, PT\n@P0 MOV R9, R8"), "closed") << "a predicate is read by its guard";
  EXPECT_EQ(result(""), "closed") << "nothing is measured";
}

TEST(ClosedByResult, NamesTheResultThatIsPending) {
  EXPECT_THAT(result("LDS R8, [R6]\nLDS R10, [R6]\nLOP3.LUT R9, R9, R8, RZ, 0x3c, !PT"),
              HasSubstr("does not wait for R10 of 'LDS R10, [R6]' at 0x0020"));
  EXPECT_THAT(result("LOP3.LUT R9, R9, R8, RZ, 0x3c, !PT\nLDS R8, [R6]"), HasSubstr("R8"));
  EXPECT_EQ(result("FFMA R8, R8, R8, R8\nFADD R10, R8, R8"), "closed");
  EXPECT_THAT(result("FFMA R8, R8, R8, R8\nFADD R10, R8, R8", {"FADD"}), HasSubstr("R10"))
      << "the other half is measured too";
}

TEST(ClosedByResult, CannotHoldForStoresAlone) {
  EXPECT_THAT(result("STS [R6], R8"), HasSubstr("writes no register"));
  EXPECT_EQ(result("STS [R6], R8\nLDS R8, [R6]\nMOV R9, R8"), "closed");
}

std::string memory(std::string_view inside) { return why(inside, Close::Memory, {"LDGSTS", "STS", "UBLKCP"}); }

TEST(ClosedByMemory, WhenAWaitStandsBehindTheLastTarget) {
  EXPECT_EQ(memory("LDGSTS.E [R6], [R8.64]\nLDGDEPBAR\nDEPBAR.LE SB0, 0x0"), "closed");
  EXPECT_EQ(memory("STS [R6], R8\nBAR.SYNC.DEFER_BLOCKING 0x0"), "closed");
  EXPECT_EQ(memory("STS [R6], R8\nMEMBAR.SC.GPU"), "closed");
  EXPECT_EQ(memory("STS [R6], R8\nFENCE.VIEW.ASYNC.T"), "closed");
  EXPECT_EQ(memory("STS [R6], R8\nw0 | LDS R9, [R6]\nMOV R10, R9"), "closed");
  EXPECT_EQ(memory("UBLKCP.S.G [UR8], [UR4], UR6\nSYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R6+URZ], R8"), "closed");
}

TEST(ClosedByMemory, NotByAnythingLess) {
  const std::string open = "no wait for memory";
  EXPECT_THAT(memory("LDGSTS.E [R6], [R8.64]"), HasSubstr(open));
  EXPECT_THAT(memory("LDGSTS.E [R6], [R8.64]\nDEPBAR.LE SB0, 0x0"), HasSubstr(open)) << "never committed";
  EXPECT_THAT(memory("LDGSTS.E [R6], [R8.64]\nLDGDEPBAR\nDEPBAR.LE SB0, 0x1"), HasSubstr(open))
      << "one group in flight";
  EXPECT_THAT(memory("LDGDEPBAR\nDEPBAR.LE SB0, 0x0\nLDGSTS.E [R6], [R8.64]"), HasSubstr(open)) << "before the target";
  EXPECT_THAT(memory("STS [R6], R8\nw0 | LDS R9, [R6]"), HasSubstr(open)) << "nobody reads what was loaded";
  EXPECT_THAT(memory("STS [R6], R8\nFENCE.VIEW.ASYNC.S"), HasSubstr(open));
  EXPECT_THAT(memory("STS [R6], R8\nWARPSYNC.ALL"), HasSubstr(open));
  EXPECT_THAT(memory("UBLKCP.S.G [UR8], [UR4], UR6\nSYNCS.ARRIVE.TRANS64 R2, [R6+URZ], RZ"), HasSubstr(open));
}

TEST(ClosedByIssue, ClaimsNothing) { EXPECT_EQ(why("LDS R8, [R6]", Close::Issue, {"LDS"}), "closed"); }

}  // namespace
}  // namespace warpclock
