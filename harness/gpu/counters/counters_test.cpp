#include "gpu/counters/counters.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

class HostCounters : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!counters_built()) GTEST_SKIP() << "this build has no CUPTI";
  }
};

bool driver_here() {
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

TEST(Counters, AnswerThatThereAreNoneWithoutADriver) {
  if (driver_here()) GTEST_SKIP() << "this machine has a driver";
  unsetenv("WARPCLOCK_COUNTERS");
  unsetenv("WARPCLOCK_NO_COUNTERS");
  EXPECT_THAT(failure_of(Counters::open(nullptr)), IsError("counters-absent", HasSubstr("no hardware counters")));
}

TEST(Counters, TheBuildWithoutCuptiAnswersTheSameWay) {
  if (counters_built()) GTEST_SKIP() << "this build has CUPTI";
  EXPECT_THAT(counter_chips(), IsEmpty());
  EXPECT_EQ(unknown_metrics("GH100", {"smsp__inst_executed.sum"}).error().code, "counters-absent");
  EXPECT_EQ(counter_passes("GH100", {"smsp__inst_executed.sum"}).error().code, "counters-absent");
}

TEST_F(HostCounters, KnowsChips) {
  const std::vector<std::string> chips = counter_chips();
  EXPECT_THAT(chips, Contains("GA100"));
  EXPECT_THAT(chips, Contains("GH100"));
  EXPECT_THAT(chips, Contains("GB100"));
}

TEST_F(HostCounters, TellsUnknownMetricsApart) {
  const auto unknown =
      must(unknown_metrics("GH100", {"nope__metric.sum", "smsp__inst_executed.sum", "dram__bytes_read.sum",
                                     "dram__bytes_op_read.sum", "l1tex__t_sector_hit_rate.pct"}));
  EXPECT_THAT(unknown, ElementsAre("nope__metric.sum", "dram__bytes_op_read.sum"));
}

TEST_F(HostCounters, RejectsEveryMisspelling) {
  const std::vector<std::string> wrong = {"",
                                          "smsp__inst_executed",
                                          "smsp__inst_executed.bogus",
                                          "smsp__inst_executed.sum.bogus",
                                          "smsp__inst_executed.sum ",
                                          "smsp__inst_executed.pct",
                                          "l1tex__t_sector_hit_rate.sum"};
  EXPECT_EQ(must(unknown_metrics("GH100", wrong)), wrong);
}

TEST_F(HostCounters, KnowsNothingOfAnUnknownChip) {
  EXPECT_EQ(failure_of(unknown_metrics("GX999", {"smsp__inst_executed.sum"})).code, "counters-absent");
}

TEST_F(HostCounters, CountsPasses) {
  EXPECT_EQ(counter_passes("GH100", {}), 0u);
  EXPECT_EQ(counter_passes("GH100", {"smsp__inst_executed.sum"}), 1u);
  // Seen on an H200: this set took two passes.
  EXPECT_EQ(counter_passes("GH100", {"l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct",
                                     "lts__t_sectors_op_read.sum", "lts__t_sectors_srcunit_tex_lookup_hit.sum",
                                     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "dram__bytes_read.sum",
                                     "smsp__inst_executed.sum", "sm__cycles_elapsed.max", "gpc__cycles_elapsed.max"}),
            2u);
  EXPECT_THAT(failure_of(counter_passes("GH100", {"smsp__inst_executed.sum", "nope__metric.sum"})),
              IsError("counters-unknown", HasSubstr("nope__metric.sum")));
}

class CountersEnvironment : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }

  static void clear() {
    unsetenv("WARPCLOCK_COUNTERS");
    unsetenv("WARPCLOCK_NO_COUNTERS");
  }
};

TEST_F(CountersEnvironment, SaysHowToGrantPermission) {
  const Error refused = counters_refused();
  EXPECT_EQ(refused.code, "counters-refused");
  EXPECT_THAT(refused.text, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(refused.text, HasSubstr("CAP_SYS_ADMIN"));
  EXPECT_THAT(refused.text, HasSubstr("container"));
}

TEST_F(CountersEnvironment, AsksForNothingWhenUnset) {
  EXPECT_FALSE(counters_switched_off());
  setenv("WARPCLOCK_NO_COUNTERS", "0", 1);
  EXPECT_FALSE(counters_switched_off());
  setenv("WARPCLOCK_NO_COUNTERS", "", 1);
  EXPECT_FALSE(counters_switched_off());
}

TEST_F(CountersEnvironment, PlaysARefusal) {
  setenv("WARPCLOCK_COUNTERS", "refused", 1);
  EXPECT_EQ(failure_of(Counters::open(nullptr)).code, "counters-refused");
}

TEST_F(CountersEnvironment, PlaysAMachineWithoutThem) {
  setenv("WARPCLOCK_COUNTERS", "absent", 1);
  EXPECT_THAT(failure_of(Counters::open(nullptr)), IsError("counters-absent", HasSubstr("WARPCLOCK_COUNTERS=absent")));
}

TEST_F(CountersEnvironment, SwitchesThemOff) {
  setenv("WARPCLOCK_NO_COUNTERS", "1", 1);
  EXPECT_THAT(failure_of(Counters::open(nullptr)), IsError("counters-absent", HasSubstr("WARPCLOCK_NO_COUNTERS")));
}

}  // namespace
}  // namespace warpclock
