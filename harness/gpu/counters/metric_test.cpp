#include "gpu/counters/metric.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

Metric metric(const std::string& formula, std::vector<std::string> counters) {
  Metric made;
  made.name = "made";
  made.formula = formula;
  made.counters = std::move(counters);
  made.place = "configs/counters.yaml:3:5";
  return made;
}

Metric dram() {
  Metric made = metric("first", {"dram__bytes_read.sum"});
  made.name = "dram";
  made.chips = {{{"GB202", "GB203"}, {"dram__bytes_op_read.sum"}}, {{"GB20B"}, {}}};
  return made;
}

TEST(Metric, FollowsItsFormula) {
  const std::map<std::string, double> collected = {{"a", 3}, {"b", 4}};
  EXPECT_DOUBLE_EQ(evaluate(metric("first", {"b", "a"}), "GH100", collected).value(), 4);
  EXPECT_DOUBLE_EQ(evaluate(metric("sum", {"a", "b"}), "GH100", collected).value(), 7);
  EXPECT_DOUBLE_EQ(evaluate(metric("ratio", {"a", "b"}), "GH100", collected).value(), 0.75);
  EXPECT_DOUBLE_EQ(evaluate(metric("percent", {"a", "b"}), "GH100", collected).value(), 75);
}

TEST(Metric, IsUndefinedOverNothing) {
  EXPECT_THAT(failure_of(evaluate(metric("percent", {"hits", "all"}), "GH100", {{"hits", 0}, {"all", 0}})),
              IsError("metric-undefined", HasSubstr("all is zero")));
  EXPECT_EQ(evaluate(metric("ratio", {"hits", "all"}), "GH100", {{"hits", 1}, {"all", 0}}).error().code,
            "metric-undefined");
}

TEST(Metric, IsAbsentWithoutAValue) {
  const Metric sum = metric("sum", {"a", "b"});
  for (const double none : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(failure_of(evaluate(sum, "GH100", {{"a", 1}, {"b", none}})),
                IsError("metric-absent", HasSubstr("no value for b")));
  }
  EXPECT_EQ(evaluate(sum, "GH100", {{"a", 1}}).error().code, "metric-absent");
}

TEST(Metric, RejectsFormulasItCannotFollow) {
  const std::map<std::string, double> collected = {{"a", 3}, {"b", 4}, {"c", 5}};
  const Error unknown = failure_of(evaluate(metric("mean", {"a"}), "GH100", collected));
  EXPECT_EQ(unknown.code, "config");
  EXPECT_EQ(unknown.place, "configs/counters.yaml:3:5");
  EXPECT_EQ(evaluate(metric("ratio", {"a"}), "GH100", collected).error().code, "config");
  EXPECT_EQ(evaluate(metric("percent", {"a", "b", "c"}), "GH100", collected).error().code, "config");
}

TEST(Metric, DiffersByChip) {
  EXPECT_THAT(counters_on(dram(), "GH100"), ElementsAre("dram__bytes_read.sum"));
  EXPECT_THAT(counters_on(dram(), "GB203"), ElementsAre("dram__bytes_op_read.sum"));
  EXPECT_THAT(counters_on(dram(), "GB20B"), IsEmpty());
  EXPECT_DOUBLE_EQ(evaluate(dram(), "GB202", {{"dram__bytes_op_read.sum", 64}}).value(), 64);
  EXPECT_THAT(failure_of(evaluate(dram(), "GB20B", {{"dram__bytes_read.sum", 64}})),
              IsError("metric-absent", "GB20B cannot count dram"));
}

TEST(Metric, NamesWhatToCollectOnce) {
  const std::vector<Metric> metrics = {dram(), metric("percent", {"z", "a"})};
  EXPECT_THAT(counters_for({"made", "dram", "made"}, metrics, "GH100").value(),
              ElementsAre("a", "dram__bytes_read.sum", "z"));
  EXPECT_THAT(counters_for({"made", "dram"}, metrics, "GB20B").value(), ElementsAre("a", "z"));
  EXPECT_THAT(counters_for({}, metrics, "GH100").value(), IsEmpty());
  EXPECT_THAT(failure_of(counters_for({"made", "l1_hit_rat"}, metrics, "GH100")),
              IsError("config", HasSubstr("l1_hit_rat")));
}

}  // namespace
}  // namespace warpclock
