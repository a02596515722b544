#include "compile/compiler/nvrtc.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

using testing::arch;

TEST(Nvrtc, SaysWhatItIs) {
  EXPECT_GE(std::stoi(nvrtc_version()), 12);
  EXPECT_TRUE(nvrtc_identity().starts_with(nvrtc_version() + " /")) << nvrtc_identity();
  ASSERT_FALSE(supported_sms().empty());
  EXPECT_TRUE(std::ranges::is_sorted(supported_sms()));
  EXPECT_EQ(newest_known_arch(), (Arch{supported_sms().back(), false}));
}

TEST(TargetFor, IsMachineCodeWhereTheArchitectureIsKnown) {
  EXPECT_EQ(target_for(arch("sm_90a")).value(), (Target{{90, true}, false}));
  EXPECT_EQ(compile_options({{90, true}, false}).front(), "-arch=sm_90a");
}

TEST(TargetFor, IsPtxOfTheNewestKnownOneForAGpuFromTheFuture) {
  EXPECT_EQ(target_for({998, true}).value(), (Target{newest_known_arch(), true}));
  EXPECT_EQ(compile_options({{100, false}, true}).front(), "-arch=compute_100");
}

TEST(TargetFor, RefusesWhatNeverWas) {
  EXPECT_EQ(target_for({80, true}).error().code, "unsupported-arch");
  const Error old = target_for({35, false}).error();
  EXPECT_EQ(old.code, "unsupported-arch");
  EXPECT_NE(old.text.find("sm_90"), std::string::npos) << old.text;
}

}  // namespace
}  // namespace warpclock
