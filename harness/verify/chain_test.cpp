#include "verify/chain.hpp"

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::make_listing;

std::expected<std::vector<std::size_t>, std::string> chain_of(std::string_view assembly, std::int64_t depth,
                                                              std::optional<int> operand = std::nullopt,
                                                              std::string_view target = "FFMA") {
  const Listing listing = make_listing(assembly);
  const DefUse uses = def_use(listing, 0, listing.instructions.size());
  return find_chain(listing, uses,
                    {.target = mapped(listing.instructions,
                                      [&](const Instruction& instruction) { return instruction.opcode == target; }),
                     .depth = depth,
                     .operand = operand});
}

TEST(DefUse, KnowsTheNearestWriterOfEachOperand) {
  const DefUse uses = def_use(make_listing("MOV R0, R9\nMOV R1, R9\nMOV R0, R1\nFADD R2, R0, R1"), 0, 4);
  EXPECT_THAT(uses.producers[3][0], ElementsAre(2U));
  EXPECT_THAT(uses.producers[3][1], ElementsAre(1U));
  EXPECT_TRUE(uses.producers[0][0].empty());
}

TEST(DefUse, APredicatedWriteKeepsTheOtherWriter) {
  const DefUse uses =
      def_use(make_listing("ISETP.NE.AND P0, PT, R8, R9, PT\nMOV R0, R9\n@P0 MOV R0, R1\nMOV R2, R0"), 0, 4);
  EXPECT_THAT(uses.producers[3][0], ElementsAre(1U, 2U));
  EXPECT_THAT(uses.producers[2].back(), ElementsAre(0U)) << "the guard";
}

TEST(Chain, AnswersTheTargetsOfAPath) {
  const auto path = chain_of("FFMA R0, R0, R1, R2\nMOV R3, R0\nFFMA R0, R3, R1, R2\nFFMA R0, R0, R1, R2", 3);
  ASSERT_TRUE(path) << path.error();
  EXPECT_THAT(*path, ElementsAre(0U, 2U, 3U));
}

TEST(Chain, MayRunThroughPredicatesAndUniformRegisters) {
  EXPECT_TRUE(chain_of("VOTE.ANY R0, PT, P0\nISETP.NE.AND P0, PT, R0, R1, PT\nVOTE.ANY R0, PT, P0", 2, 0, "VOTE"));
  EXPECT_TRUE(chain_of("REDUX.SUM UR4, R0\nMOV R0, UR4\nREDUX.SUM UR4, R0", 2, 0, "REDUX"));
  EXPECT_TRUE(chain_of("VOTE.ANY R0, PT, P0\nISETP.NE.AND P1, PT, R0, R1, PT\n@P1 VOTE.ANY R0, PT, P0", 2, {}, "VOTE"));
  EXPECT_FALSE(chain_of("VOTE.ANY R0, PT, P0\nISETP.NE.AND P1, PT, R0, R1, PT\n@P1 VOTE.ANY R0, PT, P0", 2, 0, "VOTE"));
}

TEST(Chain, EveryTargetStandsInAChainOfTheDepth) {
  const std::string two = "FFMA R0, R0, R1, R2\nFFMA R4, R4, R1, R2\nFFMA R0, R0, R1, R2\nFFMA R4, R4, R1, R2\n";
  EXPECT_TRUE(chain_of(two, 2));
  EXPECT_FALSE(chain_of(two, 4));
  EXPECT_FALSE(chain_of(two + "FFMA R6, R7, R1, R2", 2)) << "the last one is alone";
  EXPECT_FALSE(chain_of("FFMA R0, R0, R1, R2\nFFMA R4, R4, R1, R2\nFFMA R0, R0, R4, R2", 3)) << "a tree";
}

TEST(Chain, OneRegisterOfAWideResultIsEnough) {
  EXPECT_TRUE(chain_of("HMMA.16816.F32 R8, R4, R12, R16\nHMMA.16816.F32 R8, R4, R10, R16", 2, 1, "HMMA"));
  EXPECT_FALSE(chain_of("HMMA.16816.F32 R8, R4, R12, R16\nHMMA.16816.F32 R8, R4, R14, R16", 2, 1, "HMMA"));
}

TEST(Chain, SaysWhereItIsBroken) {
  EXPECT_THAT(
      chain_of("FFMA R0, R0, R1, R2\nFFMA R0, R0, R0, R2", 2, 0).error(),
      HasSubstr(
          "'FFMA R0, R0, R0, R2' at 0x0010 depends through its source operand 1 on 'FFMA R0, R0, R1, R2' at 0x0000"));
  EXPECT_THAT(
      chain_of("FFMA R0, R0, R1, R2\nFFMA R0, R3, R4, R2", 2, 0).error(),
      HasSubstr("'FFMA R0, R0, R1, R2' at 0x0000 is in a chain of 1 dependent targets through source operand 0"));
}

std::optional<double> distance(std::string_view assembly, const std::vector<std::size_t>& path, std::int64_t n) {
  const auto distance = encoded_distance(make_listing(assembly), path, n);
  return distance ? std::optional(distance->stalls) : std::nullopt;
}

TEST(EncodedDistance, AddsTheStallCountsBetweenRepeats) {
  EXPECT_EQ(distance("s15 | HMMA R0\ns9 | NOP\ns15 | HMMA R0\ns9 | NOP\ns2 | HMMA R0", {0, 2, 4}, 3), 24);
  EXPECT_EQ(distance("s4 | FFMA R0\ns5 | FFMA R0\ns9 | FFMA R0", {0, 1, 2}, 3), 4.5);
  EXPECT_EQ(distance("s4 | FFMA R0\ns5 | FFMA R0\ns6 | FFMA R0\ns7 | FFMA R0", {0, 1, 2, 3}, 2), 9)
      << "two links a repeat";
}

TEST(EncodedDistance, AnIssueTakesACycleAndTwoWithTheYieldHint) {
  EXPECT_EQ(distance("s0 | FFMA R0\ns5 | FFMA R0", {0, 1}, 2), 1);
  EXPECT_EQ(distance("s1 y | FFMA R0\ns5 | FFMA R0", {0, 1}, 2), 2);
  EXPECT_EQ(distance("s15 y | FFMA R0\ns5 | FFMA R0", {0, 1}, 2), 15);
}

TEST(EncodedDistance, AddsWhatTheHardwareWaits) {
  const auto distance = must(encoded_distance(
      make_listing("s5 | IMAD.HI.U32 R0, R0, R1, RZ\ns5 | IMAD.HI.U32 R0, R0, R1, RZ\ns5 | IMAD.HI.U32 R0, R0, R1, RZ"),
      {0, 1, 2}, 3));
  EXPECT_EQ(distance.stalls, 5);
  EXPECT_EQ(distance.waits, 4);
  EXPECT_EQ(distance.cycles(), 9);
}

TEST(EncodedDistance, IsUnknownWhereScoreboardsDecide) {
  EXPECT_FALSE(distance("s1 w0 | SHFL R0\ns1 b0 | SHFL R0", {0, 1}, 2));
  EXPECT_FALSE(distance("s1 | FFMA R0", {0}, 1));
  EXPECT_FALSE(distance("s1 | FFMA R0", {}, 4));
  EXPECT_FALSE(distance("s1 | FFMA R0\ns1 | FFMA R0\ns1 | FFMA R0", {0, 1, 2}, 2))
      << "no whole number of links a repeat";
}

TEST(EncodedDistance, IsUnknownOfWhatCompletesByGroup) {
  EXPECT_FALSE(
      distance("s4 | HGMMA.64x8x16.F32 R24, gdesc[UR4], R24\ns4 | HGMMA.64x8x16.F32 R24, gdesc[UR8], R24", {0, 1}, 2));
}

using testing::index_of;

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
