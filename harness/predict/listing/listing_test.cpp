#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "base/json/json_writer.hpp"
#include "base/testing/matchers.hpp"
#include "execute/execution.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "predict/listing/annotated_listing.hpp"
#include "predict/listing/trace.hpp"
#include "predict/predict.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

/// As the command line has it: --launch BLOCKS,32 --arg 2=65 --buffer 0=1MiB,1=4KiB.
PredictOptions launched(std::int64_t blocks) {
  PredictOptions options{.blocks = blocks, .threads = 32};
  options.shape.block = {32, 1, 1}, options.shape.grid = {static_cast<int>(blocks), 1, 1};
  options.given.values = {{2, "65"}};
  options.given.buffers = {{0, {1 << 20, ""}}, {1, {4096, ""}}};
  options.annotate = true;
  return options;
}

Prediction annotated(PredictOptions options, const std::string& kernel = "pipeline") {
  return must(predict(testing::recorded_kernel(kernel), testing::committed_machine("nvidia-h200"), options));
}

TEST(AnnotatedListing, IsTheAcceptedText) {
  Sheet sheet{.tables = {annotated_listing(annotated(launched(132)))}};
  testing::expect_golden("annotated.txt", to_text(sheet, Style(false)), "predict");
}

TEST(AnnotatedListing, CountsWhatIsExecuted) {
  // Blocks that are simulated, that are so many that only some are, and loops of which only some trips are.
  for (const std::int64_t blocks : {1, 132, 132 * 32 * 20}) {
    const Prediction one = annotated(launched(blocks));
    const auto& kernel = testing::recorded_kernel("pipeline");
    ASSERT_EQ(one.instructions.size(), kernel.listing.instructions.size());
    std::map<std::int64_t, double> executed;
    for (const AnnotatedInstruction& each : one.instructions) executed[each.address] = each.executed;
    const auto warps = static_cast<double>(blocks);
    EXPECT_EQ(executed[0x0000], warps);
    EXPECT_EQ(executed[0x0120], warps) << "the jump over the loop";
    EXPECT_EQ(executed[0x0240], 64 * warps) << "in the loop";
    EXPECT_EQ(executed[0x0300], warps) << "the end";
    EXPECT_EQ(executed[0x0310], 0) << "behind the end";
  }
  PredictOptions longer = launched(132);
  longer.given.values = {{2, "5001"}};
  const Prediction one = annotated(longer);
  const auto load = std::ranges::find(one.instructions, 0x0240, &AnnotatedInstruction::address);
  EXPECT_EQ(load->executed, 5000 * 132) << "of which 64 trips were simulated";
}

TEST(AnnotatedListing, AddsUpToTheTimeOfTheWarps) {
  const Prediction one = annotated(launched(132));
  double shares = 0, cycles = 0;
  for (const AnnotatedInstruction& each : one.instructions) {
    shares += each.share;
    cycles += each.cycles * each.executed / 132;
    EXPECT_LE(each.wait, each.cycles) << each.text;
    EXPECT_EQ(each.wait > 0, !each.why.empty()) << each.text;
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  // A warp alone is what the kernel takes, but for the launch before and the stores after it.
  EXPECT_NEAR(cycles, *one.low, 0.05 * *one.low);
}

TEST(AnnotatedListing, HasTheSectorsOfEachLevel) {
  const auto copy_of = [](const Prediction& one) {
    return *std::ranges::find(one.instructions, 0x01f0, &AnnotatedInstruction::address);
  };
  const AnnotatedInstruction warm = copy_of(annotated(launched(132)));
  EXPECT_EQ(warm.l1, 16) << "16 bytes of each lane";
  EXPECT_EQ(warm.l2, 16) << "past L1";
  EXPECT_EQ(warm.dram, std::nullopt);
  PredictOptions cold = launched(132);
  cold.level = MemoryLevel::Dram;
  const Prediction one = annotated(cold);
  ASSERT_TRUE(copy_of(one).dram.has_value());
  EXPECT_LE(*copy_of(one).dram, 16);
  EXPECT_GT(*copy_of(one).dram, 0);
  EXPECT_THAT(to_text(annotated_sheet(one), Style(false)), HasSubstr("  DRAM  instruction\n"));
}

TEST(AnnotatedListing, IsLeftOutWithoutANumber) {
  PredictOptions options{.blocks = 132, .threads = 32};
  options.annotate = true;
  const Prediction one = annotated(options);
  ASSERT_FALSE(one.low);
  EXPECT_THAT(one.instructions, IsEmpty());
  EXPECT_THAT(to_text(annotated_sheet(one), Style(false)), Not(HasSubstr("listing")));
  PredictOptions unsized = launched(132);
  unsized.given.buffers.clear();
  const Prediction wide = annotated(unsized);
  ASSERT_FALSE(wide.low) << "the range from L2 to DRAM is too wide";
  EXPECT_THAT(wide.instructions, IsEmpty());
}

TEST(Trace, HasATrackForEachWarpAndUnit) {
  PredictOptions options = launched(132);
  options.blocks = 132 * 8, options.shape.grid = {132 * 8, 1, 1};
  options.timeline = 2000;
  const Prediction one = annotated(options);
  const Json trace = json_of(trace_text({one, one}));
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> tracks;
  std::map<std::pair<int, int>, double> ends;
  std::map<std::string, std::size_t> names;
  double last = 0;
  std::size_t issues = 0;
  for (const Json& event : trace["traceEvents"]) {
    const int pid = event["pid"], tid = event["tid"];
    if (event["ph"] == "M") {
      EXPECT_EQ(ends.size(), 0U) << "names come first";
      if (event["name"] == "process_name") processes[pid] = event["args"]["name"];
      if (event["name"] == "thread_name") tracks[{pid, tid}] = event["args"]["name"];
      continue;
    }
    ASSERT_EQ(event["ph"], "X");
    const double begin = event["ts"], cycles = event["dur"];
    EXPECT_GE(begin, last) << "sorted by time";
    EXPECT_GT(cycles, 0);
    last = begin;
    ASSERT_TRUE(processes.contains(pid) && tracks.contains({pid, tid}));
    EXPECT_GE(begin, (ends[{pid, tid}])) << "those of a track do not overlap: " << tracks[{pid, tid}];
    ends[{pid, tid}] = begin + cycles;
    ++names[event["name"]];
    if (tracks[{pid, tid}] == "issue slot") ++issues;
  }
  EXPECT_EQ(issues, 2 * one.timeline.size()) << "each issue is in the slot of its sub-partition";
  EXPECT_EQ(processes.size(), 8U) << "four sub-partitions of each";
  EXPECT_EQ(processes[1], "pipeline: sub-partition 0");
  std::set<std::string> of_first;
  for (const auto& [at, name] : tracks)
    if (at.first == 1) of_first.insert(name);
  EXPECT_THAT(of_first, ::testing::IsSupersetOf({"warp 0", "warp 4", "issue slot", "pipe lsu", "pipe tensor", "L2"}));
  EXPECT_THAT(of_first, Not(Contains("warp 1")));
  EXPECT_GT(names["scoreboard"], 0U) << "what a warp waits for is between its issues";
  EXPECT_EQ(trace["otherData"]["generator"], "warpclock");
}

TEST(Trace, OfNothingIsATraceWithoutEvents) { EXPECT_THAT(json_of(trace_text({}))["traceEvents"], IsEmpty()); }

}  // namespace
}  // namespace warpclock
