#include <gtest/gtest.h>

#include "cli/options/options.hpp"

namespace warpclock {
namespace {

TEST(DeviceChoice, IsANumberOrAUuid) {
  for (const char* word : {"0", "12", "GPU-5f0c", "MIG-1"}) EXPECT_TRUE(is_device(word)) << word;
  for (const char* word : {"", "h200", "-1", "1a", "all"}) {
    EXPECT_FALSE(is_device(word)) << word;
    EXPECT_EQ(visible_devices(word, "").error().code, "usage") << word;
  }
}

TEST(DeviceChoice, CountsWhatTheSchedulerLeavesVisible) {
  EXPECT_EQ(visible_devices("3", ""), "3");
  EXPECT_EQ(visible_devices("GPU-5f0c", "2,3"), "GPU-5f0c");
  EXPECT_EQ(visible_devices("1", "2,3"), "3");
  EXPECT_EQ(visible_devices("0", "GPU-5f0c"), "GPU-5f0c");
  EXPECT_FALSE(visible_devices("2", "2,3"));
  EXPECT_FALSE(visible_devices("99999999999999999999", "2,3"));
}

}  // namespace
}  // namespace warpclock
