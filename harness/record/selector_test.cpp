#include "record/selector.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/kernels.hpp"
#include "record/testing/machine.hpp"

namespace warpclock {
namespace {

using ::testing::Pair;
using Kind = Selector::Kind;

std::vector<std::pair<std::string, double>> numbers(const Record& table, const Selector& selector) {
  std::vector<std::pair<std::string, double>> all;
  for (const Selected& one : selected(table, selector)) all.emplace_back(one.name, one.value);
  return all;
}

TEST(Selector, MeansEstimatesOfVerifiedInstructions) {
  Record table = testing::example_instructions();
  const Selector adds{.kind = Kind::Instruction, .probe = "fp32/*", .name = "latency.b"};
  EXPECT_THAT(numbers(table, adds), ElementsAre(Pair(table.rows[0].id, 4), Pair(table.rows[1].id, 4)));
  for (InstructionRun& run : table.rows[0].instruction.runs) run.verdict = "count";
  EXPECT_THAT(numbers(table, adds), ElementsAre(Pair(table.rows[1].id, 4)));
  table.rows[1].outcome = Outcome::Rejected;
  EXPECT_THAT(numbers(table, adds), IsEmpty());
}

TEST(Selector, MeansNumbersOfFormsAndOfTheirRelations) {
  const Record table = testing::example_machine();
  const auto of = [&](const std::string& id, const std::string& name) {
    return numbers(table, {.kind = Kind::Form, .probe = id, .name = name});
  };
  EXPECT_THAT(of("@PT MUFU.RCP #, #", "latency.0"), ElementsAre(Pair("@PT MUFU.RCP #, #", 22.96)));
  EXPECT_THAT(of("@PT FFMA*", "minimum_stall.2"), ElementsAre(Pair("@PT FFMA #, #, #, #", 4)));
  EXPECT_THAT(of("@PT FFMA*", "interval"), ElementsAre(Pair("@PT FFMA #, #, #, #", 2)));
  EXPECT_THAT(of("dependences/LDS->FFMA.A", "latency.0"), ElementsAre(Pair("dependences/LDS->FFMA.A", 23)));
  EXPECT_THAT(of("pairs/FFMA+LDS", "interval"), ElementsAre(Pair("pairs/FFMA+LDS", 4.25)));
  EXPECT_THAT(of("fetch/FFMA", "interval"), IsEmpty());
}

TEST(Selector, MeansKernelsThatWereMeasured) {
  const Record table = testing::example_kernels();
  const auto of = [&](const std::string& name, const Parameters& with) {
    Selector selector{.kind = Kind::Kernel, .probe = "copy", .name = name};
    for (const auto& [parameter, value] : with) selector.with.push_back({parameter, value, {}, {}});
    return numbers(table, selector);
  };
  EXPECT_THAT(of("cycles", {}), ElementsAre(Pair("copy[variant=plain]", 1002), Pair("copy[variant=cold]", 2000)));
  EXPECT_THAT(of("cycles", {{"variant", "cold"}}), ElementsAre(Pair("copy[variant=cold]", 2000)));
  EXPECT_THAT(of("cublas", {}), ElementsAre(Pair("copy[variant=plain]", 82)));
}

TEST(Selector, OfASecondRowHasTheParametersOfTheFirst) {
  const Selector second{
      .probe = "a/{scope}", .name = "b", .with = {{"bytes", Value("{bytes}"), {}, {}}, {"path", Value("ca"), {}, {}}}};
  const auto bound = bound_to({{"scope", "gpu"}, {"bytes", std::int64_t{16}}}, second);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->probe, "a/gpu");
  EXPECT_EQ(bound->with.at(0).equals, Value(std::int64_t{16}));
  EXPECT_EQ(bound->with.at(1).equals, Value("ca"));
  EXPECT_FALSE(bound_to({{"scope", "gpu"}}, second));
  EXPECT_FALSE(bound_to({{"bytes", std::int64_t{16}}}, second));
}

TEST(Selector, TellsTablesApartAndReadsStars) {
  const Parameters none;
  const auto is = [&](const Selector& selector, Kind of, const std::string& name) {
    return means(selector, RowName{of, name, none}, {});
  };
  const Selector probe{.probe = "a/b", .name = "c"}, half{.kind = Kind::Half, .probe = "a/b*", .name = "c"};
  EXPECT_TRUE(is(probe, Kind::Cases, "a/b"));
  EXPECT_FALSE(is(probe, Kind::Instruction, "a/b"));
  EXPECT_FALSE(is(probe, Kind::Cases, "a/bc"));
  EXPECT_TRUE(is(half, Kind::Cases, "a/bc"));
}

}  // namespace
}  // namespace warpclock
