#include "predict/last_block.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "model/testing/measured.hpp"
#include "predict/predict.hpp"

namespace warpclock {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

/// The first thread of each block adds 1 to the counter of its column; `then` is what it does with the old value in R5.
LoadedKernel counting(const std::string& then) {
  LoadedKernel kernel;
  kernel.listing = testing::make_listing(R"(
  S2R R0, SR_TID.X
  S2R R1, SR_CTAID.X
  LDC.64 R2, c[0x0][0x210]
  IMAD.WIDE R2, R1, 0x4, R2
  MOV R4, 0x1
  ISETP.NE.AND P0, PT, R0, RZ, PT
  @P0 EXIT
again:
  ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R4
)" + then + "\n  EXIT\n");
  kernel.listing.target = "sm_90a";
  kernel.facts.entry = true;
  kernel.facts.registers = 32;
  kernel.facts.parameters = {{0, 8}};
  return kernel;
}

PredictOptions in_8_columns_of_4() {
  PredictOptions options{.blocks = 32, .threads = 64};
  options.shape = {.block = {64, 1, 1}, .grid = {8, 4, 1}, .arguments = {}};
  options.shape.arguments.push_back({0, {.bytes = 4096, .type = CallType::U32, .fill = CallFill::Zeros}});
  options.level = MemoryLevel::L2;
  return options;
}

std::optional<ExecutedLaunch> last_of(const LoadedKernel& kernel) {
  const KernelLaunch launch = must(kernel_launch(kernel, in_8_columns_of_4().shape));
  return launch_of_last(kernel, launch.launch, must(kernel_path(kernel, {}, launch.launch)));
}

const std::string reads_what_others_stored =
    "  ISETP.NE.AND P1, PT, R5, 0x3, PT\n  @P1 EXIT\n  LDG.E R6, desc[UR4][R2.64+0x100]\n";

TEST(LastBlock, IsThatOfThoseThatCountAtOnePlace) {
  const LoadedKernel kernel = counting(reads_what_others_stored);
  const auto launch = last_of(kernel);
  ASSERT_TRUE(launch);
  EXPECT_THAT(launch->counted, ElementsAre(Pair(7, 3))) << "four blocks of a column";
  const auto patterns = [&](const ExecutedLaunch& one) { return must(kernel_path(kernel, {}, one)).executed.patterns; };
  EXPECT_TRUE(patterns(*launch).contains(10));
}

TEST(LastBlock, IsNoneWhereTheCounterHandsOutWork) {
  EXPECT_FALSE(last_of(counting("  ISETP.LT.AND P1, PT, R5, 0x40, PT\n  @P1 BRA `(again)")));
  EXPECT_FALSE(last_of(counting("  IADD3 R6, R5, 0x1, RZ"))) << "the old value decides nothing";
}

TEST(LastBlock, TakesTheLaunchLonger) {
  const Machine& h200 = testing::committed_machine("nvidia-h200");
  const LoadedKernel kernel = counting(reads_what_others_stored);
  PredictOptions alone = in_8_columns_of_4();
  alone.shape.grid = {32, 1, 1};
  const auto one = must(predict(kernel, h200, in_8_columns_of_4())), other = must(predict(kernel, h200, alone));
  ASSERT_TRUE(one.low && other.low);
  EXPECT_GT(*one.low, *other.low);
  EXPECT_THAT(one.assumed, Contains(HasSubstr("the last goes on for")));
  EXPECT_THAT(other.assumed, Not(Contains(HasSubstr("the last goes on for")))) << "each has its own counter";
}

}  // namespace
}  // namespace warpclock
