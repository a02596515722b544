#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "model/testing/measured.hpp"
#include "predict/predict.hpp"

namespace warpclock {
namespace {

// tiles.cu as ptxas 13.0 compiled it for sm_90a, and as nvdisasm 13.5 printed that with -hex: what warps leave for each
// other in shared memory decides their jumps.

GivenArgument number(int which, double value) { return {which, {.type = CallType::U32, .value = value}}; }

Prediction predicted(const std::string& name, const std::vector<int>& bytes_of_arguments, PredictOptions options) {
  LoadedKernel kernel;
  for (Listing& listing : must(parse_listings(testing::read("harness/predict/testdata/tiles.sass")))) {
    if (listing.kernel == name) kernel.listing = std::move(listing);
  }
  kernel.facts.entry = true;
  kernel.facts.registers = 32;
  int at = 0;
  for (const int bytes : bytes_of_arguments) {
    kernel.facts.parameters.push_back({at, bytes});
    at += bytes;
  }
  options.blocks = options.shape.grid[0] = 132;
  options.shape.grid[1] = options.shape.grid[2] = 1;
  options.threads = 160;
  options.level = MemoryLevel::L2;
  return must(predict(kernel, testing::committed_machine("nvidia-h100-80gb-hbm3"), options));
}

std::string reasons(const Prediction& prediction) {
  std::string all;
  for (const MissingNumber& one : prediction.missing) all += one.why + "\n";
  return all;
}

Prediction tiles(int count) {
  PredictOptions options;
  options.shape.arguments = {number(1, count), number(2, 100)};
  return predicted("tiles", {8, 4, 4}, options);
}

TEST(Streams, TheNextTileIsWhatAnotherWarpLeftInSharedMemory) {
  const Prediction few = tiles(132), more = tiles(132 * 5), last = tiles(132 * 5 + 1);
  ASSERT_TRUE(few.low && more.low && last.low) << reasons(last);
  constexpr double chain = 100 * (4 + 4 + 10);
  EXPECT_GT((*more.low - *few.low) / 4, chain) << "each trip of a tile waits for an FFMA and a jump";
  EXPECT_LT((*more.low - *few.low) / 4, 3 * chain);
  EXPECT_NEAR(*last.low - *more.low, (*more.low - *few.low) / 4, 100) << "one block has another tile";
}

Prediction ring(int pieces) {
  PredictOptions options;
  options.shape.arguments = {number(2, pieces)};
  return predicted("ring", {8, 8, 4}, options);
}

TEST(Streams, TheLastPieceOfARingIsWhatAnotherWarpLeftInSharedMemory) {
  const Prediction few = ring(20), more = ring(60);
  ASSERT_TRUE(few.low && more.low) << reasons(few);
  constexpr double bytes = 4096, rate = 30.3;  // bandwidth/read: bytes a cycle and SM, of all SMs
  const double piece = (*more.low - *few.low) / 40;
  EXPECT_GT(piece, bytes / (2 * rate));
  EXPECT_LT(piece, 2 * bytes / rate);
  for (const int loop : {0, 1}) {
    EXPECT_EQ(more.loops[static_cast<std::size_t>(loop)].trips, 60);
    EXPECT_NEAR(more.loops[static_cast<std::size_t>(loop)].low, piece, 0.2 * piece);
  }
}

TEST(Streams, TripsThatAreNotThoseOfTheValuesAreNoAnswer) {
  PredictOptions options;
  options.shape.arguments = {number(2, 20)};
  options.trips[0] = 20;
  EXPECT_TRUE(predicted("ring", {8, 8, 4}, options).low);
  options.trips[0] = 21;
  const Prediction other = predicted("ring", {8, 8, 4}, options);
  EXPECT_FALSE(other.low);
  EXPECT_THAT(reasons(other), ::testing::HasSubstr("has 20 trips by the values of the launch, and not 21 by --trips"));
}

TEST(Streams, ALongOneIsSimulatedInPart) {
  const Prediction whole = ring(900), part = ring(9000);
  ASSERT_TRUE(whole.low && part.low) << reasons(part);
  EXPECT_NEAR(*part.low, 10 * *whole.low, 0.02 * *part.low);
  EXPECT_THAT(part.assumed, ::testing::Contains(::testing::StartsWith("after the first 44 %")));
  EXPECT_THAT(whole.assumed, ::testing::Each(::testing::Not(::testing::StartsWith("after the first"))));
}

}  // namespace
}  // namespace warpclock
