#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "cli/options/options.hpp"

namespace warpclock {
namespace {

TEST(ArchChoice, AcceptsWhatPeopleWrite) {
  for (const char* name : {"sm_90a", "90a", "SM_90A", "sm90a", "compute_90a", " sm_90a ", "H100", "h200", "GH200"}) {
    const auto arch = named_arch(name);
    ASSERT_TRUE(arch) << name << ": " << arch.error().text;
    EXPECT_EQ(to_string(*arch), "sm_90a") << name;
  }
  EXPECT_EQ(named_arch("90").value(), (Arch{90, false}));
  EXPECT_EQ(named_arch("A100").value(), (Arch{80, false}));
}

TEST(ArchChoice, RefusesWithTheListOfTheKnown) {
  for (const char* name : {"", "sm_", "90b", "V200", "sm_9 0", "smith", "sm_60", "sm_99", "sm_80a", "sm_1000"}) {
    EXPECT_THAT(failure_of(named_arch(name)), IsError("usage", AllOf(HasSubstr("sm_90[a]"), HasSubstr("H100"))))
        << name;
  }
  EXPECT_THAT(named_arch("sm_99").error().text, HasSubstr(" does not know sm_99: say sm_"));
}

TEST(ArchChoice, TakesEachOnce) {
  EXPECT_THAT(named_archs("sm_90a,H100, 80").value(), ElementsAre(Arch{90, true}, Arch{80, false}));
  EXPECT_EQ(named_archs("ALL").value(), verified_archs());
  EXPECT_FALSE(named_archs("sm_90a,"));
}

}  // namespace
}  // namespace warpclock
