#include "gpu/device/device.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

TEST(DeviceSlug, IsLettersDigitsAndSingleDashes) {
  EXPECT_EQ(device_slug("NVIDIA H200"), "nvidia-h200");
  EXPECT_EQ(device_slug("NVIDIA GeForce RTX 5090"), "nvidia-geforce-rtx-5090");
  EXPECT_EQ(device_slug("  NVIDIA  A100-SXM4/80GB (rev.2) "), "nvidia-a100-sxm4-80gb-rev-2");
  EXPECT_EQ(device_slug("../../etc\xc3\xa9"), "etc");
  EXPECT_EQ(device_slug(""), "unknown-gpu");
  EXPECT_EQ(device_slug("///"), "unknown-gpu");
}

TEST(MigSlice, IsWhatTheNameSays) {
  EXPECT_EQ(mig_slice("NVIDIA H200 MIG 1g.18gb"), "MIG 1g.18gb");
  EXPECT_EQ(mig_slice("NVIDIA H200"), "");
}

TEST(DeviceArch, IsSpecificFromHopperOn) {
  EXPECT_EQ(to_string(device_arch(7, 5)), "sm_75");
  EXPECT_EQ(to_string(device_arch(8, 9)), "sm_89");
  EXPECT_EQ(to_string(device_arch(9, 0)), "sm_90a");
  EXPECT_EQ(to_string(device_arch(10, 3)), "sm_103a");
  EXPECT_EQ(to_string(device_arch(12, 1)), "sm_121a");
}

TEST(ThrottleNames, NameEachBitAndLeaveOutIdleness) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(throttle_names(0), Names{});
  EXPECT_EQ(throttle_names(0x1), Names{});
  EXPECT_EQ(throttle_names(0x5), Names{"sw-power-cap"});
  EXPECT_EQ(throttle_names(0x48), (Names{"hw-slowdown", "hw-thermal-slowdown"}));
  EXPECT_EQ(throttle_names(0x8000000000000200), (Names{"0x200", "0x8000000000000000"}));
}

TEST(Nvml, SaysWhatIsMissing) {
  EXPECT_EQ(failure_of(Nvml::open("0000:00:00.0", "libno-such-nvml.so.1")).code, "no-nvml");
  EXPECT_EQ(Nvml::open("0000:00:00.0", "libc.so.6").error().code, "no-nvml");
}

}  // namespace
}  // namespace warpclock
