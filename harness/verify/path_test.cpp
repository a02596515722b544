#include "verify/path.hpp"

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::index_of;
using testing::make_listing;

std::vector<std::size_t> path_of(const std::string& code) {
  const Listing listing = make_listing(code);
  return longest_path(listing, 0, listing.instructions.size());
}

std::set<std::size_t> unread_of(const std::string& code) {
  const Listing listing = make_listing(code);
  return unread_results(def_use(listing, 0, listing.instructions.size()));
}

TEST(LongestPath, FollowsRegistersAndNotTheOrder) {
  EXPECT_THAT(path_of(R"(
    FFMA R1, R1, R2, R3
    FFMA R4, R4, R2, R3
    FFMA R1, R1, R2, R3
    FADD R5, R1, R4
  )"),
              ElementsAre(0, 2, 3));
}

TEST(LongestPath, EndsWhereARegisterIsWrittenAnew) {
  EXPECT_THAT(path_of(R"(
    FFMA R1, R1, R2, R3
    FFMA R1, R2, R2, R3
    FFMA R1, R1, R2, R3
  )"),
              ElementsAre(1, 2));
}

TEST(LongestPath, GoesThroughPredicatesAndGuards) {
  EXPECT_THAT(path_of(R"(
    ISETP.NE.AND P0, PT, R1, RZ, PT
    @P0 FADD R2, R2, R3
    FADD R4, R2, R3
  )"),
              ElementsAre(0, 1, 2));
}

TEST(LongestPath, GoesThroughABarrierThatReduces) {
  const char* const code = R"(
    ISETP.NE.U32.AND P0, PT, R6, RZ, PT
    BAR.RED.POPC.DEFER_BLOCKING 0x0, P0
    B2R.RESULT R6
    ISETP.NE.U32.AND P0, PT, R6, RZ, PT
  )";
  EXPECT_THAT(path_of(code), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(path_of("FADD R1, R1, R2\nBAR.SYNC 0x0\nB2R.RESULT R6"), ElementsAre(0)) << "it reduces nothing";
}

TEST(LongestPath, KeepsWhatAGuardedWriteMayLeave) {
  EXPECT_THAT(path_of(R"(
    FADD R2, R2, R3
    @P0 FADD R2, R5, R5
    FADD R4, R2, R3
  )"),
              ElementsAre(0, 2));
}

TEST(LongestPath, GoesThroughCalls) {
  const auto path = path_of(R"(
    FADD R2, R2, R3
    CALL.REL.NOINC `(sub)
    FADD R8, R9, R9
sub:
    EXIT
  )");
  EXPECT_THAT(path, ElementsAre(0, 1, 2));
}

TEST(LongestPath, OfNothingIsNothing) {
  const Listing listing = make_listing("NOP\n");
  EXPECT_THAT(longest_path(listing, 0, 0), IsEmpty());
}

TEST(UnreadResults, AreThoseThatNobodyReadsOrOverwrites) {
  EXPECT_THAT(unread_of(R"(
    POPC R1, R2
    POPC R3, R1
  )"),
              ElementsAre(1));
  EXPECT_THAT(unread_of(R"(
    POPC R1, R2
    POPC R1, R3
    LOP3.LUT R4, R1, R5, RZ, 0x3c, !PT
  )"),
              ElementsAre(2))
      << "who writes the register next waits for the first";
  EXPECT_THAT(unread_of("STG.E [R2.64], R4\n"), IsEmpty()) << "a store has no result";
}

}  // namespace
}  // namespace warpclock
