#include "predict/testing/hostile.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "predict/predict.hpp"
#include "predict/prediction_output.hpp"

namespace warpclock {
namespace {

const PredictOptions foreign_launch{.blocks = 132, .threads = 64, .level = MemoryLevel::L2};

Expected<Prediction> foreign_prediction(LoadedKernel kernel, const PredictOptions& options = foreign_launch) {
  static const Machine machine = testing::hostile_machine();
  kernel.listing.target = "sm_90a";
  return predict(kernel, machine, options);
}

Expected<Prediction> foreign_prediction(const std::string& code) {
  LoadedKernel kernel;
  kernel.listing = testing::make_listing(code);
  return foreign_prediction(std::move(kernel));
}

std::string foreign_error(const std::string& code) {
  const auto prediction = foreign_prediction(code);
  return prediction ? "no error" : prediction.error().message();
}

TEST(Hostile, ALoopWithoutAnExitHasNoNumber) {
  for (const std::string code : {"loop:\ns1 | BRA `(loop)", "loop:\ns1 | NOP\ns1 | BRA `(loop)\ns1 | EXIT"}) {
    const auto prediction = must(foreign_prediction(code));
    EXPECT_FALSE(prediction.low) << code;
    EXPECT_THAT(to_text(prediction_sheet(prediction), Style(false)),
                HasSubstr("unknown: loop 0 (0x0000) is left in a way that"));
  }
}

TEST(Hostile, ACallOfItselfHasNoNumber) {
  const auto prediction = must(foreign_prediction("k:\ns1 | CALL.REL.NOINC `(k)\ns1 | EXIT"));
  EXPECT_FALSE(prediction.low);
  EXPECT_THAT(to_text(prediction_sheet(prediction), Style(false)),
              HasSubstr("unknown: what a call leads to is not followed: CALL at 0x0000"));
}

TEST(Predict, FollowsCallsThatWarpsExecute) {
  const auto calling = [](int times) {
    std::string code;
    for (int i = 0; i < times; ++i)
      code += fmt::format("s1 | MOV R20, {:#x}\ns1 | CALL.REL.NOINC `(.L_0)\n", 32 * (i + 1));
    return must(foreign_prediction(code + "s1 | EXIT\n.L_0:\ns9 | NOP\ns1 | RET.REL.NODEC R20 `(k)"));
  };
  const Prediction one = calling(1), two = calling(2);
  ASSERT_TRUE(one.low && two.low) << to_text(prediction_sheet(one), Style(false));
  // A second time: what the function takes, two jumps, and the address to return to.
  EXPECT_NEAR(*two.low - *one.low, 9 + 1 + 2 * 10, 4);
  EXPECT_THAT(one.assumed, IsEmpty());
}

TEST(Predict, SaysThatALoopMayWaitForOthers) {
  const auto cause = [](const std::string& load) {
    const auto prediction = must(foreign_prediction("loop:\ns2 w0 | " + load +
                                                    " R2, desc[UR4][R4.64]\ns13 b0 | ISETP.NE.AND P0, PT, R2, RZ, PT\n"
                                                    "s5 | @P0 BRA `(loop)\ns5 | EXIT"));
    EXPECT_FALSE(prediction.low);
    return to_text(prediction_sheet(prediction), Style(false));
  };
  EXPECT_THAT(cause("LDG.E.STRONG.SYS"),
              HasSubstr("0 (0x0000) has no trip count (it may wait until the host or another "
                        "block writes what LDG.E.STRONG.SYS at 0x0000 reads)"));
  EXPECT_THAT(cause("LDG.E"), HasSubstr("0 (0x0000) has no trip count; add --trips 0=N"));
  EXPECT_THAT(cause("LDG.E.STRONG.SM"), HasSubstr("0 (0x0000) has no trip count; add --trips 0=N"));
}

TEST(Predict, NamesFirstWhatWidensItsRangeMost) {
  const auto names = [](int times) {
    std::string code = "s2 w0 | B2R.RESULT R5, P0\ns2 b0 | LOP3.LUT R9, R5, R9, RZ, 0x3c, !PT\n";
    for (int i = 0; i < times; ++i) code += "s2 w0 | S2R R6, SR_TID.X\ns2 b0 | LOP3.LUT R9, R6, R9, RZ, 0x3c, !PT\n";
    std::string all;
    for (const UnknownCost& one : must(foreign_prediction(code + "s1 | EXIT")).unknown) all += one.instruction + " ";
    return all;
  };
  EXPECT_EQ(names(1), "LOP3.LUT B2R.RESULT B2R.RESULT S2R S2R ");
  EXPECT_EQ(names(90), "LOP3.LUT S2R S2R B2R.RESULT B2R.RESULT ");
}

TEST(Predict, SaysThatItDoesNotCoverBulkCopiesFromSharedMemory) {
  for (const std::string name :
       {"UBLKRED.G.S.ADD [UR8], [UR6], UR4", "UBLKCP.G.S [UR8], [UR6], UR4", "UTMAREDG.2D.ADD [UR8], [UR4]"}) {
    const auto prediction = must(foreign_prediction("s1 | " + name + "\ns1 | EXIT"));
    EXPECT_FALSE(prediction.low) << name;
    ASSERT_EQ(prediction.missing.size(), 1U);
    EXPECT_THAT(prediction.missing[0].why, HasSubstr("are waited for: " + name.substr(0, name.find_first_of(". "))));
    EXPECT_TRUE(prediction.bounds.empty() && prediction.waits.empty()) << "they are no answer";
  }
  EXPECT_THAT(foreign_prediction("s1 | FFMA R7, R9, R7, R10\ns1 | EXIT")->assumed, IsEmpty());
}

TEST(Hostile, AKernelWithoutInstructionsIsAnError) {
  EXPECT_EQ(failure_of(foreign_prediction(LoadedKernel{})).message(), "the kernel has no instructions");
}

TEST(Hostile, ThousandsOfLoopsAreAnError) {
  std::string code;
  for (int i = 0; i < 2000; ++i) code += fmt::format("l{0}:\ns1 | @P0 BRA `(l{0})\n", i);
  EXPECT_EQ(foreign_error(code + "s1 | EXIT"), "the kernel has 2000 loops, and no more than 500 are simulated");
}

/// Each loop is around the next one.
std::string nested_loops(int count) {
  std::string code;
  for (int i = 0; i < count; ++i) code += fmt::format("l{}:\ns1 | NOP\n", i);
  for (int i = count - 1; i >= 0; --i) code += fmt::format("s1 | @P0 BRA `(l{})\n", i);
  return code + "s1 | EXIT";
}

TEST(Hostile, LoopsThatAreNestedTooDeeplyAreAnErrorAtOnce) {
  EXPECT_EQ(foreign_error(nested_loops(600)), "the kernel has 600 loops, and no more than 500 are simulated");
  EXPECT_EQ(foreign_error(nested_loops(5000)), "the loops of the kernel are nested too deeply to be followed");
  EXPECT_EQ(foreign_error(nested_loops(20'000)),
            "the kernel jumps back to 20000 places, and no more than 10000 are followed");
}

TEST(Hostile, NamesGetNoControlBytesToATerminal) {
  LoadedKernel kernel;
  kernel.listing = testing::make_listing("s1 | EXIT");
  kernel.listing.kernel = "k\x1b[2J\xff\n";
  const auto prediction = must(foreign_prediction(std::move(kernel)));
  EXPECT_THAT(to_text(prediction_sheet(prediction), Style(false)), HasSubstr("k\\x1b[2J\\xff"));
  EXPECT_THAT(to_json({prediction}), HasSubstr("k\\u001b[2J"));
}

TEST(Hostile, ScoreboardsThatAreNotThereAreIgnored) {
  const auto none = foreign_prediction("s2 | LDGDEPBAR\ns2 | LDS R8, [R6]\ns1 | EXIT");
  const auto seventh = foreign_prediction("s2 w6 | LDGDEPBAR\ns2 w6 r6 | LDS R8, [R6]\ns1 | EXIT");
  ASSERT_TRUE(none && seventh);
  EXPECT_EQ(none->low, seventh->low);
}

TEST(Hostile, NoCodeBreaksThePrediction) {
  std::mt19937 random(1);
  int predictions = 0;
  for (int run = 0; run < 150; ++run) {
    std::string bytes(10 + random() % 200, '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
    testing::HostileBytes from(bytes);
    LoadedKernel kernel;
    const PredictOptions options = testing::hostile_launch(from, kernel.facts);
    auto listings = must(parse_listings(testing::hostile_listing(from)));
    if (listings.empty()) continue;
    kernel.listing = listings.front();
    const auto prediction = foreign_prediction(std::move(kernel), options);
    if (!prediction) {
      EXPECT_FALSE(prediction.error().text.empty());
      continue;
    }
    ++predictions;
    EXPECT_LE(prediction->low.value_or(0), prediction->high.value_or(0));
  }
  EXPECT_GT(predictions, 20);
}

}  // namespace
}  // namespace warpclock
