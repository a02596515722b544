#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/testing/matchers.hpp"
#include "capture/testing/hostile_capture.hpp"

namespace warpclock {
namespace {

Capture captured(std::string_view what, std::string_view by) {
  std::string text = testing::seen_text;
  text.replace(text.find(what), what.size(), by);
  Capture capture;
  assemble(capture, {read_spool(text)}, {{std::string(32, 'a'), {{"add", "code"}}}});
  return capture;
}

// The program got an error from the driver, and may well have gone on.
TEST(HostileCapture, LeavesOutLaunchesThatNoGpuRuns) {
  for (const char* extents :
       {"0 2 1 64 1 1 2 1 1", "132 65536 1 64 1 1 2 1 1", "132 2 1 64 32 1 2 1 1", "132 2 1 64 1 1 1000000 1 1"}) {
    const Capture capture = captured("132 2 1 64 1 1 2 1 1", extents);
    EXPECT_EQ(capture.launches.size(), 3U) << extents;
    EXPECT_THAT(capture.notes, Contains(HasSubstr("1 launch asked for what no GPU has")));
    EXPECT_TRUE(parse_capture(to_json(capture), "a")) << extents;
  }
  EXPECT_EQ(captured("other 0 4 1 1", "other 0 4 0 1").launches.size(), 4U) << "the other one of its kind is there";
}

TEST(HostileCapture, RefusesARecordWithALaunchThatNoGpuRuns) {
  Capture capture = captured("", "");
  capture.launches[0].cluster = {1'000'000, 1, 1};
  EXPECT_THAT(failure_of(parse_capture(to_json(capture), "a")),
              IsError("record", HasSubstr("a cluster 1 to 16 blocks")));
  capture.launches[0].cluster = {}, capture.launches[0].block = {1U << 31, 2, 2};
  EXPECT_THAT(failure_of(parse_capture(to_json(capture), "a")),
              IsError("record", HasSubstr("a block 1 to 1024 threads")));
}

// A minute of the fuzzer sees more; these are the same in each run.
TEST(HostileCapture, EndsWithoutACrash) {
  std::mt19937 random(54);
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    for (std::size_t i = 0; i < 200 + 4 * (random() % 48); ++i) bytes += static_cast<char>(random());
    ASSERT_EQ(testing::hostile_capture(bytes), "") << "round " << round;
  }
}

}  // namespace
}  // namespace warpclock
