#include "capture/spool_text.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/testing/matchers.hpp"
#include "capture/capture_program.hpp"
#include "capture/testing/seen.hpp"

namespace warpclock {
namespace {

TEST(SpoolText, HasWhatAProcessSaw) {
  const Spooled seen = read_spool(testing::seen_text);
  EXPECT_EQ(seen.damaged, 0);
  EXPECT_EQ(seen.process.pid, 12);
  EXPECT_EQ(seen.process.parent, 7);
  EXPECT_EQ(seen.process.cupti, 130000);
  EXPECT_TRUE(seen.process.ended);
  const SpooledLaunch& launch = seen.launches.at(0);
  EXPECT_THAT(launch.grid, ElementsAre(132, 2, 1));
  EXPECT_THAT(launch.cluster, ElementsAre(2, 1, 1));
  EXPECT_EQ(launch.shared_bytes, 4096);
  EXPECT_THAT(launch.parameters,
              ElementsAre(CapturedParameter{0, "0020000000000000"}, CapturedParameter{8, "41000000"}));
  EXPECT_THAT(launch.ns, ElementsAre(2000, 2400, 1900));
  EXPECT_EQ(seen.functions.at(3).symbol, "add");
  EXPECT_EQ(seen.devices.at(0).arch, "sm_90");
  EXPECT_EQ(seen.devices.at(0).most_mhz, 1980);
}

TEST(SpoolText, LeavesOutWhatSaysNothing) {
  const std::string whole = testing::seen_text;
  const Spooled cut = read_spool(std::string_view(whole).substr(0, whole.size() - 2));
  EXPECT_EQ(cut.damaged, 1);
  EXPECT_FALSE(cut.process.ended);
  EXPECT_EQ(cut.launches.size(), 3U);
  for (const char* line : {"launch 1 2 0 1 1 1 32 1 1 0 0 0 0", "launch x", "time 5 0 1", "pointer 9 0 0 1 1",
                           "end 1 2", "launch 1 2 0 1 1 1 32 1 1 0 0 0 0 0 8:4", "time 0 1980 1 x", "order 7",
                           "ago 7 0:0:1", "ago 0 0:0", "ago 0 0:x:1", "ago 0 0:0:1:4", "what", "", "function 1 - 1 1"})
    EXPECT_EQ(read_spool(std::string(line) + "\n").damaged, std::string(line) == "end 1 2" ? 0 : 1) << line;
}

TEST(AssembledCapture, HasTimesAndBuffersOfEachLaunch) {
  Capture capture;
  assemble(capture, {read_spool(testing::seen_text)}, {{std::string(32, 'a'), {{"add", "code"}, {"other", "code"}}}});
  ASSERT_EQ(capture.launches.size(), 4U);
  const CapturedLaunch& one = capture.launches[0];
  EXPECT_EQ(one.times, (CapturedTimes{3, 6300, 1900, 2000, 2400, 1905}));
  EXPECT_THAT(one.pointers, ElementsAre(CapturedPointer{0, 0x1000, 0x4000, 0x1000, 64, std::string(32, 'b'), 7,
                                                        UsedBelow{0x1000, 2}}))
      << "of two of four runs";
  EXPECT_TRUE(one.cooperative);
  EXPECT_FALSE(one.overlaps);
  EXPECT_THAT(one.cluster, ElementsAre(2, 1, 1));
  EXPECT_THAT(capture.launches[1].missing, HasSubstr("more launches with other arguments than are kept"));
  EXPECT_THAT(capture.launches[2].missing, HasSubstr("does not say where the arguments are"));
  EXPECT_THAT(capture.launches[3].missing, HasSubstr("its launch was not seen"));
  EXPECT_EQ(capture.launches[0].after, 1) << "twice";
  EXPECT_EQ(capture.launches[1].after, 0) << "as often as after 2, and earlier";
  EXPECT_EQ(capture.launches[2].after, 0) << "in the next line as well";
  EXPECT_FALSE(capture.launches[3].after);
  EXPECT_EQ(capture.launches[3].times.runs, 2);
  ASSERT_EQ(capture.kernels.size(), 2U);
  EXPECT_EQ(capture.kernels[0], (CapturedKernel{"add", std::string(32, 'a'), ""}));
  EXPECT_EQ(capture.kernels[1], (CapturedKernel{"device", "", "no module with it was seen when it was loaded"}));
  EXPECT_THAT(capture.notes, ElementsAre("4 activity records had no room in CUPTI's buffers: these times are missing"));
}

TEST(AssembledCapture, TakesNoCubinWhereSeveralHaveTheKernelWithOtherCode) {
  const std::string first(32, 'a'), second(32, 'c'), two = testing::seen_text + ("code " + second) + "\n";
  const auto kernel = [&](const std::string& other) {
    Capture capture;
    assemble(capture, {read_spool(two)}, {{first, {{"add", "code"}}}, {second, {{"add", other}}}});
    return capture.kernels[0];
  };
  EXPECT_EQ(kernel("other"), (CapturedKernel{"add", "", "modules have 2 different kernels of this name"}));
  EXPECT_EQ(kernel("code"), (CapturedKernel{"add", first, ""})) << "a template that several files instantiate";
}

TEST(AssembledCapture, SaysWhichProcessesAreIncomplete) {
  Capture capture;
  assemble(capture,
           {read_spool("process 1 0 1 1\nwrong 6e6f\n"), read_spool("process 2 0 1 1\nlaunch 0 0 0 1 1 1 1 1")}, {});
  EXPECT_THAT(capture.notes,
              ElementsAre("1 line of what the processes saw could not be read", "nothing of process 1 was captured: no",
                          "process 2 did not come to its end: its last launches may have no times"));
}

TEST(AssembledCapture, TakesAnyText) {
  std::mt19937 random(52);
  const std::string whole = testing::seen_text;
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole;
    for (std::size_t k = 0; k < 1 + random() % 8; ++k) text[random() % text.size()] = "0 9a-x:\n"[random() % 8];
    Capture capture;
    assemble(capture, {read_spool(text)}, {{std::string(32, 'a'), {{"add", "code"}}}});
    for (const CapturedLaunch& one : capture.launches) {
      ASSERT_LT(one.kernel, std::ssize(capture.kernels));
      ASSERT_LT(one.device, std::ssize(capture.devices));
    }
  }
}

}  // namespace
}  // namespace warpclock
