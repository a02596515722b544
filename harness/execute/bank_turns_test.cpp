#include "execute/bank_turns.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "code/testing/listing.hpp"
#include "execute/profile.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

double turns(const char* text, std::uint32_t stride) {
  const Instruction instruction = testing::instruction(text);
  const Access access = access_of(instruction).value();
  LaneAddresses lanes{};
  std::vector<std::uint32_t> addresses;
  for (std::uint32_t lane = 0; lane < 32; ++lane) addresses.push_back(lane * stride), lanes[lane] = addresses.back();
  return l1_turns(instruction, access, addresses, lines_of(all_lanes, lanes, static_cast<std::uint64_t>(access.bytes)));
}

TEST(WordTurns, LanesTakeTurnsAtAWordAndSectorsHaveTurnsOfTheirOwn) {
  EXPECT_EQ(word_turns({}), 0U);
  EXPECT_EQ(word_turns({0, 4, 8, 28}), 1U) << "words of a sector";
  EXPECT_EQ(word_turns({0, 4, 8, 4, 4}), 3U);
  EXPECT_EQ(word_turns({0, 32, 4, 36, 32}), 1U + 2U);
}

/// Loads of 16 warps on one SM that L1 answers, H200; less than 2.64 cycles apart none issues.
TEST(L1Turns, AreAsManyAsTheMeasuredCyclesOfALoad) {
  const std::map<std::uint32_t, double> cycles = {
      {16, 4},    {32, 8},    {36, 3},   {48, 4},    {60, 4},   {64, 16},   {68, 5},    {80, 5},    {96, 8},
      {100, 7},   {112, 7},   {124, 8},  {128, 32},  {132, 8},  {136, 9},   {144, 9},   {160, 10},  {192, 16},
      {256, 32},  {260, 8},   {272, 9},  {320, 16},  {384, 32}, {512, 32},  {528, 8},   {1024, 32}, {1040, 8},
      {2000, 11}, {2048, 32}, {2064, 8}, {4096, 32}, {4112, 8}, {6000, 13}, {8192, 32}, {8208, 8}};
  for (const auto& [stride, measured] : cycles) {
    EXPECT_EQ(turns("s2 | LDG.E R4, desc[UR4][R2.64]", stride), measured) << stride;
    EXPECT_EQ(turns("s2 | LDG.E.U16 R4, desc[UR4][R2.64]", stride), measured) << stride;
  }
  for (const auto& [stride, measured] : std::map<std::uint32_t, double>{
           {16, 4}, {32, 8}, {48, 4}, {64, 16}, {80, 5}, {112, 7}, {128, 32}, {144, 9}, {192, 16}, {6000, 13}})
    EXPECT_EQ(turns("s2 | LDG.E.128 R4, desc[UR4][R2.64]", stride), measured) << stride;
  for (const std::uint32_t stride : {0, 4, 12}) EXPECT_EQ(turns("s2 | LDG.E R4, desc[UR4][R2.64]", stride), 1);
}

}  // namespace
}  // namespace warpclock
