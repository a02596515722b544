#include "measure/measure_instructions.hpp"

#include <gmock/gmock.h>

#include <utility>

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// 64 results, known to 3 %, at 4 and 16 warps; 63 at 8. `cycles`: of the launches with 4 and with 16 warps.
Row row(std::vector<double> with_4, std::vector<double> with_16) {
  Row row;
  row.estimates = {{"throughput", 64, 62, 66, "1/clk/SM", "rate", 6, ""}};
  row.instruction.curve = {{4, 4, 64}, {8, 4, 63}, {16, 4, 64}};
  InstructionRun run;
  run.measure = "throughput.ilp4";
  run.verdict = verified_code;
  run.samples[4] = {Series{.n = 8, .cycles = std::move(with_4)}};
  run.samples[8] = {Series{.n = 8, .cycles = {100, 200}}};
  run.samples[16] = {Series{.n = 8, .cycles = std::move(with_16)}};
  row.instruction.runs = {run};
  return row;
}

TEST(SecondLook, IsWhereLaunchesDiffer) {
  EXPECT_THAT(scattering_warps(row({1000, 1020}, {1000, 1000})), ElementsAre(4)) << "8 has a lower rate";
  EXPECT_THAT(scattering_warps(row({1000, 1020}, {990, 1000})), ElementsAre(4, 16));
}

TEST(SecondLook, WouldNotHelpWhereLaunchesTakeTheSameTime) {
  EXPECT_THAT(scattering_warps(row({1000, 1000.5}, {4000, 4000})), IsEmpty());
}

TEST(SecondLook, IsNotNeededOfWhatIsKnown) {
  Row known = row({1000, 1020}, {1000, 1020});
  known.estimates.front().low = 63.9;
  known.estimates.front().high = 64.1;
  EXPECT_THAT(scattering_warps(known), IsEmpty());
  known.instruction.curve[1].rate = 65;
  EXPECT_THAT(scattering_warps(known), ElementsAre(4, 8, 16)) << "another number of warps has a higher rate";
}

TEST(SecondLook, IsNotTakenWithoutAThroughput) {
  Row none = row({1000, 1020}, {1000, 1020});
  none.instruction.runs.front().verdict = "folded";
  EXPECT_THAT(scattering_warps(none), IsEmpty());
  EXPECT_THAT(scattering_warps(Row{}), IsEmpty());
}

}  // namespace
}  // namespace warpclock
