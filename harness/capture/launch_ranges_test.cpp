#include "capture/launch_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/testing/matchers.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

std::string hex_of(std::uint64_t value, int bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8U) text += {digits[value >> 4U & 15U], digits[value & 15U]};
  return text;
}

/// Four blocks of `pipeline` with 65 elements of each thread, from 0x10000 on and to 0x50000 on, of one allocation.
Capture capture() {
  Capture made;
  CapturedLaunch& launch = made.launches.emplace_back();
  launch.grid = {4, 1, 1}, launch.block = {32, 1, 1};
  launch.parameters = {{0, hex_of(0x10000, 8)}, {8, hex_of(0x50000, 8)}, {16, hex_of(65, 4)}};
  launch.pointers = {{0, 0, 0x100000, 0x10000, 0, "", 3, UsedBelow{64, 2}}, {8, 0x40000, 0x100000, 0x10000}};
  return made;
}

TEST(LaunchRanges, AreWhatALaunchAccesses) {
  const Machine& h200 = testing::committed_machine("nvidia-h200");
  const Capture one = capture();
  const LoadedKernel kernel = testing::recorded_kernel("pipeline");
  const AccessedRanges ranges = must(LaunchRanges(one, "").of(0, kernel, h200));
  ASSERT_EQ(ranges.size(), 2U);
  const AccessedRange& loaded = ranges.begin()->second;
  EXPECT_GT(loaded.bytes, 4 * 32 * 64);
  EXPECT_LE(loaded.bytes, 0x40000);
  EXPECT_EQ(loaded.stored, 0);
  EXPECT_EQ(loaded.ago, 3);
  EXPECT_EQ(loaded.below, (UsedBelow{64, 2}));
  EXPECT_EQ(loaded.address, 0x10000);
  const AccessedRange& stored = std::next(ranges.begin())->second;
  EXPECT_EQ(stored.stored, stored.bytes);
  EXPECT_FALSE(stored.ago);
}

TEST(LaunchRanges, OfALaunchThatCannotBeExecutedReachToTheNextPointer) {
  const Machine& h200 = testing::committed_machine("nvidia-h200");
  Capture one = capture();
  const AccessedRanges ranges = must(LaunchRanges(one, "").of(0, fail("capture", "gone"), h200));
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges.at(-1).bytes, 0x40000) << "it is no buffer of its options";
  EXPECT_EQ(ranges.at(-1).ago, 3);
  EXPECT_EQ(ranges.at(-1).below, (UsedBelow{64, 2}));
  EXPECT_EQ(ranges.at(-2).bytes, 0xc0000);
  one.launches[0].pointers[1].buffer_bytes = std::int64_t{1} << 40U;
  EXPECT_EQ(must(LaunchRanges(one, "").of(0, fail("capture", "gone"), h200)).size(), 1U) << "nobody accesses so much";
}

TEST(LaunchRanges, OfALaunchWhoseCodeCannotBeReadNowAreAnError) {
  const Machine& h200 = testing::committed_machine("nvidia-h200");
  const Capture one = capture();
  for (const char* code : {"io", "process", "closed", "timeout", "exception"})
    EXPECT_EQ(failure_of(LaunchRanges(one, "").of(0, fail(code, "not now"), h200)).code, code);
}

}  // namespace
}  // namespace warpclock
