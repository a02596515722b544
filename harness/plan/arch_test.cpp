#include "plan/arch.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

TEST(Arch, NamesReadBackAsWritten) {
  for (const char* name : {"sm_70", "sm_75", "sm_80", "sm_90", "sm_90a", "sm_100a", "sm_100f", "sm_121"}) {
    const auto arch = parse_arch(name);
    ASSERT_TRUE(arch) << name;
    EXPECT_EQ(to_string(*arch), name);
  }
}

TEST(Arch, RefusesWhatNvrtcDoesNotName) {
  for (const char* name :
       {"", "sm_", "sm_a", "90a", "sm_069", "sm_60", "sm_1000", "sm_90b", "sm_90aa", "sm_90f", "sm_100af", "sm_100fa",
        "sm_f", "SM_90", "sm_9 0", "sm_-90", "sm_+90", "sm_99999999999999999999", "compute_90"}) {
    const auto arch = parse_arch(name);
    ASSERT_FALSE(arch) << name;
    EXPECT_EQ(arch.error().code, "config");
    EXPECT_NE(arch.error().text.find("sm_90a"), std::string::npos) << "says what would be valid";
  }
}

TEST(Arch, TheSpecificVariantHasWhatThePlainOneHasAndNotTheOtherWayRound) {
  EXPECT_TRUE(has(Arch{90, true}, Arch{90, false}));
  EXPECT_TRUE(has(Arch{90, true}, Arch{90, true}));
  EXPECT_FALSE(has(Arch{90, false}, Arch{90, true}));
  EXPECT_FALSE(has(Arch{100, true}, Arch{90, true}));
  EXPECT_FALSE(has(Arch{100, true}, Arch{90, false}));
}

TEST(Arch, AFamilyIsBetweenThePlainOneAndTheSpecificOne) {
  const Arch plain{.sm = 100}, family{.sm = 100, .family = true}, specific{.sm = 100, .specific = true};
  EXPECT_TRUE(has(specific, family) && has(family, plain) && has(family, family));
  EXPECT_FALSE(has(plain, family) || has(family, specific));
  EXPECT_FALSE(has(Arch{.sm = 103, .family = true}, family));
}

}  // namespace
}  // namespace warpclock
