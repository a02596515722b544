#include "record/refinement.hpp"

#include <gtest/gtest.h>

#include "base/lookup.hpp"
#include "record/testing/curve.hpp"

namespace warpclock {
namespace {

/// A level up to 200 KiB and another after it, with four points per octave from 16 KiB to 1 MiB, all multiples of 128
/// B.
Record two_levels(double within, double first = 34, double apart = 0) {
  Record record;
  record.probes = {{"memory/chase",
                    "memory",
                    "?",
                    {},
                    "footprint",
                    {{"latency", FeatureQuery::What::Levels, "footprint", {}, within, apart}}}};
  for (const std::int64_t lines : {128,  152,  181,  215,  256,  304,  362,  431,  512,  609,  724,  861, 1024,
                                   1218, 1448, 1722, 2048, 2435, 2896, 3444, 4096, 4871, 5793, 6889, 8192}) {
    record.cases.push_back(at_place("memory/chase", {{"path", "ca"}, {"footprint", lines * 128}},
                                    lines * 128 <= 200 * 1024 ? first : 280));
  }
  return record;
}

std::vector<std::int64_t> places(const std::vector<Refinement>& wanted) {
  return mapped(wanted, [](const Refinement& one) { return std::get<std::int64_t>(*find(one.point, "footprint")); });
}

TEST(Refinement, LiesInTheBracketOnTheAxissGrid) {
  const std::vector<Refinement> wanted = refinements(two_levels(1), 3);
  ASSERT_EQ(wanted.size(), 3U);
  EXPECT_EQ(wanted[0].probe, "memory/chase");
  EXPECT_EQ(to_string(*find(wanted[0].point, "path")), "ca");
  for (const std::int64_t bytes : places(wanted)) {
    EXPECT_GT(bytes, 1448 * 128);
    EXPECT_LT(bytes, 1722 * 128);
    EXPECT_EQ(bytes % 128, 0);
  }
}

TEST(Refinement, IsForFindsThatAskForIt) {
  EXPECT_TRUE(refinements(two_levels(0), 3).empty());
  EXPECT_TRUE(refinements(two_levels(20), 3).empty()) << "the bracket is narrower than that";
}

TEST(Refinement, IsOfLevelsAsFarApartAsIsAskedFor) {
  constexpr double first = 273;  // 2.6 % less
  EXPECT_TRUE(refinements(two_levels(1, first), 3).empty());
  EXPECT_EQ(refinements(two_levels(1, first, 2), 3).size(), 3U);
  EXPECT_TRUE(refinements(two_levels(1, first, 4), 3).empty());
}

}  // namespace
}  // namespace warpclock
