#include "gpu/counters/counters_error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/testing/matchers.hpp"
#include "gpu/counters/counters.hpp"

namespace warpclock {
namespace {

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
