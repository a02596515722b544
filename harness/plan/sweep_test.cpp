#include "plan/sweep.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

std::vector<std::string> ids(const std::vector<Parameters>& points) {
  return mapped(points, [](const auto& each) { return to_string(each); });
}

using Ids = std::vector<std::string>;

Sweep sweep_of(std::vector<Axis> axes, std::vector<Parameters> points = {}) {
  Sweep sweep;
  sweep.axes = std::move(axes);
  sweep.points = std::move(points);
  return sweep;
}

TEST(Sweep, OfNothingIsOnePointWithoutParameters) { EXPECT_EQ(ids(must(expand({}))), Ids{""}); }

TEST(Sweep, TheFirstAxisIsTheSlowest) {
  EXPECT_EQ(ids(*expand(sweep_of({{"a", {2, 1}}, {"b", {"x", "y"}}}))),
            (Ids{"a=2,b=x", "a=2,b=y", "a=1,b=x", "a=1,b=y"}));
}

TEST(Sweep, RowsAreSlowerThanAxesAndKeepTheFirstRowsOrder) {
  const Sweep sweep = sweep_of({{"z", {1, 2}}}, {{{"m", 8}, {"k", 4}}, {{"k", 16}, {"m", 16}}});
  EXPECT_EQ(ids(*expand(sweep)), (Ids{"m=8,k=4,z=1", "m=8,k=4,z=2", "m=16,k=16,z=1", "m=16,k=16,z=2"}));
  const auto all = columns(sweep);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].name, "k");
  EXPECT_EQ(all[1].values, (std::vector<Value>{4, 16}));
}

TEST(Sweep, WhereKeepsWhatAnyClauseMatchesAndExceptDropsIt) {
  Sweep sweep = sweep_of({{"bytes", {4, 8, 16}}, {"cache", {"ca", "cg"}}});
  sweep.where = {{{{"cache", {"cg"}}, {"bytes", {16}}}}, {{{"cache", {"ca"}}}}};
  EXPECT_EQ(ids(*expand(sweep)),
            (Ids{"bytes=4,cache=ca", "bytes=8,cache=ca", "bytes=16,cache=ca", "bytes=16,cache=cg"}));
  sweep.except = {{{{"bytes", {4, 8}}}}};
  EXPECT_EQ(ids(*expand(sweep)), (Ids{"bytes=16,cache=ca", "bytes=16,cache=cg"}));
}

TEST(Sweep, RefusesWhatWouldGiveTwoCasesOneName) {
  EXPECT_FALSE(expand(sweep_of({{"a", {1, 1}}})));
  EXPECT_FALSE(expand(sweep_of({{"a", {1, "1"}}})));
  EXPECT_FALSE(expand(sweep_of({{"a", {1}}, {"a", {2}}})));
  EXPECT_FALSE(expand(sweep_of({{"a", {2}}}, {{{"a", 1}}})));
  EXPECT_FALSE(expand(sweep_of({}, {{{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1}}})));
  EXPECT_FALSE(expand(sweep_of({}, {{{"a", 1}, {"b", 2}}, {{"a", 2}}})));
  EXPECT_FALSE(expand(sweep_of({{"a", {}}})));
}

TEST(Sweep, AnAstronomicProductIsRefusedBeforeItIsBuilt) {
  Sweep sweep;
  for (int i = 0; i < 64; ++i) sweep.axes.push_back({"a" + std::to_string(i), {1, 2, 3, 4}});
  EXPECT_EQ(failure_of(expand(sweep)).text, "the sweep has more than 4096 points");
}

TEST(Sweep, OfManyParametersIsRefused) {
  Sweep sweep;
  for (std::size_t i = 0; i < max_parameters; ++i) sweep.axes.push_back({"a" + std::to_string(i), {1}});
  EXPECT_TRUE(expand(sweep));
  sweep.axes.push_back({"b", {1}});
  EXPECT_EQ(failure_of(expand(sweep)).text, "the sweep has more than 32 parameters");
}

TEST(Sweep, OfManyClausesIsRefused) {
  Sweep sweep{.axes = {{"a", {1, 2}}}};
  sweep.except.assign(max_clauses, Clause{{{"a", {1}}}});
  EXPECT_TRUE(expand(sweep));
  sweep.where.push_back(Clause{{{"a", {2}}}});
  EXPECT_EQ(failure_of(expand(sweep)).text, "the sweep has more than 256 clauses");
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

  Axis axis(const std::string& name) {
    Axis axis{name, {}};
    const int count = 1 + below(4);
    for (int i = 0; i < count; ++i) {
      axis.values.push_back(below(2) == 0 ? Value(std::int64_t{i}) : Value("w" + std::to_string(i)));
    }
    return axis;
  }

  Sweep sweep() {
    Sweep sweep;
    const int rows = below(4);
    for (int i = 0; i < rows; ++i) sweep.points.push_back({{"p", i}, {"q", "q" + std::to_string(below(3))}});
    const int axes = below(4);
    for (int i = 0; i < axes; ++i) sweep.axes.push_back(axis(std::string(1, static_cast<char>('a' + i))));
    return sweep;
  }

  /// A clause over some of the sweep's values.
  Clause clause(const Sweep& sweep) {
    Clause clause;
    for (const Axis& column : columns(sweep)) {
      Axis some{column.name, {}};
      for (const Value& value : column.values) {
        if (below(2) == 0) some.values.push_back(value);
      }
      if (!some.values.empty()) clause.any_of.push_back(some);
    }
    return clause;
  }

 private:
  std::mt19937 random_;
};

std::set<std::string> distinct(const Expected<std::vector<Parameters>>& points) {
  if (!points) return {};
  const Ids all = ids(*points);
  return {all.begin(), all.end()};
}

TEST(SweepProperty, TheProductHasEveryCombinationOnce) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const Sweep sweep = Generator(seed).sweep();
    const auto points = expand(sweep);
    ASSERT_TRUE(points) << seed << points.error().text;
    std::size_t expected = std::max<std::size_t>(sweep.points.size(), 1);
    for (const Axis& axis : sweep.axes) expected *= axis.values.size();
    EXPECT_EQ(points->size(), expected) << seed;
    EXPECT_EQ(distinct(points).size(), expected) << seed;
    const std::vector<Axis> all = columns(sweep);
    for (const Parameters& point : *points) {
      ASSERT_EQ(point.size(), all.size());
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(point[i].first, all[i].name) << seed;
    }
  }
}

TEST(SweepProperty, WhereAndExceptOfOneClausePartTheProduct) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Generator generator(seed);
    const Sweep whole = generator.sweep();
    const Clause clause = generator.clause(whole);
    Sweep kept = whole, dropped = whole, neither = whole;
    kept.where = {clause};
    dropped.except = {clause};
    neither.where = neither.except = {clause};
    const std::set<std::string> in = distinct(expand(kept)), out = distinct(expand(dropped));
    std::set<std::string> both = in;
    both.insert(out.begin(), out.end());
    EXPECT_EQ(both, distinct(expand(whole))) << seed;
    EXPECT_EQ(both.size(), in.size() + out.size()) << seed;
    EXPECT_FALSE(expand(neither)) << seed;
  }
}

TEST(SweepProperty, ClausesAreAUnion) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Generator generator(seed);
    Sweep first = generator.sweep();
    Sweep second = first, either = first;
    first.where = {generator.clause(first)};
    second.where = {generator.clause(second)};
    either.where = {first.where[0], second.where[0]};
    std::set<std::string> expected = distinct(expand(first));
    expected.merge(distinct(expand(second)));
    EXPECT_EQ(distinct(expand(either)), expected) << seed;
  }
}

}  // namespace
}  // namespace warpclock
