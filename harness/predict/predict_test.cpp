#include "predict/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "predict/launch_placement.hpp"
#include "predict/prediction_output.hpp"
#include "predict/program/launch_cost.hpp"
#include "predict/program/memory_cost.hpp"
#include "predict/program/program.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;

Prediction predicted(const std::string& kernel, PredictOptions options, const std::string& folder = "nvidia-h200") {
  if (!options.level) options.level = MemoryLevel::L2;
  return must(predict(testing::recorded_kernel(kernel), testing::committed_machine(folder), options));
}

LoadedKernel assembled(const std::string& code) {
  LoadedKernel made;
  made.listing = testing::make_listing(code);
  made.listing.target = "sm_90a";
  made.facts.entry = true;
  made.facts.registers = 32;
  return made;
}

TEST(Predict, GivesTripsOfALoopAndNoTotalWithoutTheirNumber) {
  const PredictOptions options{.blocks = 132, .threads = 32};
  const Prediction one = predicted("pipeline", options);
  ASSERT_EQ(one.loops.size(), 1U);
  EXPECT_FALSE(one.low);
  EXPECT_GT(one.loops[0].low, 45) << "docs/inspect.md: one trip takes 45 cycles at least";
  EXPECT_THAT(to_text(prediction_sheet(one), Style(false)),
              HasSubstr("unknown: loop 0 (0x0180, kernels.cu:29) has no trip count; add --trips 0=N"));
  EXPECT_TRUE(one.limiter.empty() && one.bounds.empty() && one.waits.empty()) << "they are no answer";
}

TEST(Predict, AddsUpTripsAndWaves) {
  PredictOptions options{.blocks = 132, .threads = 32};
  options.trips[0] = 100;
  const Prediction few = predicted("pipeline", options);
  options.trips[0] = 200;
  const Prediction more = predicted("pipeline", options);
  EXPECT_NEAR(*more.low - *few.low, 100 * few.loops[0].low, 0.02 * *few.low);
  options.blocks = 132 * std::int64_t{more.blocks_per_sm} * 2;
  const Prediction waves = predicted("pipeline", options);
  EXPECT_EQ(waves.waves, 2);
  EXPECT_LE(*waves.low, 2.001 * *waves.sm_low) << "the next blocks begin when the first of the others end";
  EXPECT_GT(*waves.low, 1.9 * *waves.sm_low);
}

TEST(Predict, OneWaveEndsWithTheSmThatGetsLeastOfL2) {
  const Machine& h100 = testing::committed_machine("nvidia-h100-80gb-hbm3");
  const LaunchCost four = launch_cost(h100, 4), five = launch_cost(h100, 5), eight = launch_cost(h100, 8);
  EXPECT_NEAR(four.start, 484 - 260, 1) << "synchronization/launch_cycles[warps=1]";
  EXPECT_NEAR(four.apart, 19, 2) << "synchronization/launch_blocks[warps=4,blocks_per_sm=8]";
  EXPECT_NEAR(four.next, 490, 5) << "synchronization/launch_next[warps=4,blocks_per_sm=8]";
  EXPECT_EQ(five.apart, eight.apart) << "the next row";
  const Instruction load = parse_instruction("LDG.E.128 R4, desc[UR4][R2.64]").value();
  const auto busy = [&](bool at_once, MemoryLevel level) {
    const auto cost = MemoryCosts(h100, {.at_once = at_once}).of(load, assumed_pattern(load), {level, 1});
    return cost->paths.back().busy;
  };
  const auto mean_to_slowest = [&](const std::string& path) {
    return find_leaf(h100, path + "/rate.all_sms")->value / find_leaf(h100, path + "/rate.slowest_sm")->value;
  };
  EXPECT_GT(mean_to_slowest("transfers/l2.load"), 1.01);
  EXPECT_NEAR(busy(true, MemoryLevel::L2) / busy(false, MemoryLevel::L2), mean_to_slowest("transfers/l2.load"), 1e-9);
  EXPECT_GT(mean_to_slowest("transfers/dram.load"), 1.01);
  EXPECT_NEAR(busy(true, MemoryLevel::Dram) / busy(false, MemoryLevel::Dram), mean_to_slowest("transfers/dram.load"),
              1e-9);
}

/// Lines that all SMs read come to the slowest SM at the rate of `bandwidth/read[share=all]`.
TEST(Predict, OneWaveEndsWithTheSmThatGetsLeastOfSharedLines) {
  const Machine& h100 = testing::committed_machine("nvidia-h100-80gb-hbm3");
  const auto value = [&](const char* leaf) { return find_leaf(h100, leaf)->value; };
  const double mean = value("transfers/l2.load/rate.all_sms.same_lines"),
               slowest = value("transfers/l2.load/rate.slowest_sm.same_lines");
  EXPECT_LT(slowest, mean);
  const auto busy = [&](const char* text, bool at_once) {
    const Instruction access = parse_instruction(text).value();
    AccessPattern pattern = assumed_pattern(access);
    pattern.sharers = 132;
    const MemoryCosts costs(h100, {.at_once = at_once});
    const MemoryAnswer l2{MemoryLevel::L2, 1};
    const auto cost = costs.of(access, pattern, l2).value();
    return cost.paths.front().busy / cost.paths.front().bytes;
  };
  EXPECT_NEAR(busy("LDG.E.128 R4, desc[UR4][R2.64]", true), 1 / slowest, 1e-6);
  EXPECT_NEAR(busy("LDG.E.128 R4, desc[UR4][R2.64]", false), 1 / mean, 1e-6);
}

/// A loop of loads of shared memory with a copy of 16 bytes of each lane: it takes 20 turns with the copy and 16
/// without, of rows of 64 bytes and of 512; without BYPASS 24, and 28 for rows of 64 bytes (H200).
TEST(Predict, ACopyTakesTheTurnsOfItsStoreAndWithoutBypassOfItsLoad) {
  const auto turns = [](const std::string& text, double l1) {
    Listing listing = testing::make_listing("s2 | " + text + "\ns5 | EXIT");
    listing.target = "sm_90a";
    ProgramOptions options;
    options.patterns[0] = assumed_pattern(listing.instructions[0]);
    options.patterns[0].l1_turns = l1;
    return make_program(listing, CostTable(testing::committed_machine("nvidia-h200")), options)->steps[0].unit_busy.low;
  };
  EXPECT_EQ(turns("LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]", 4), 4);
  EXPECT_EQ(turns("LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]", 8), 4);
  EXPECT_EQ(turns("LDGSTS.E.128 [R5], desc[UR4][R2.64]", 4), 8);
  EXPECT_EQ(turns("LDGSTS.E.128 [R5], desc[UR4][R2.64]", 8), 12);
}

TEST(Predict, TakesTheLevelThatIsSaid) {
  PredictOptions options{.blocks = 132, .threads = 32};
  options.trips[0] = 100;
  const double l2 = *predicted("pipeline", options).low;
  options.level = MemoryLevel::Dram;
  const double dram = *predicted("pipeline", options).low;
  EXPECT_GT(dram, l2 + 100 * 200);
  EXPECT_NE(dram, *predicted("pipeline", options, "nvidia-h100-80gb-hbm3").low) << "each GPU has its rows";
}

TEST(Predict, WhatL2NoLongerHasComesFromDram) {
  const auto after = [](std::map<int, double> in_l2) {
    PredictOptions options{.blocks = 132, .threads = 32};
    options.shape.arguments = {{0, {.bytes = 1 << 20, .type = CallType::U32}},
                               {1, {.bytes = 1 << 20, .type = CallType::U32}},
                               {2, {.type = CallType::I32, .value = 65}}};
    options.in_l2 = std::move(in_l2);
    return must(predict(testing::recorded_kernel("pipeline"), testing::committed_machine("nvidia-h200"), options));
  };
  const Prediction warm = after({}), half = after({{0, 0.5}}), cold = after({{0, 0.0}});
  ASSERT_TRUE(warm.low && half.low && cold.low);
  EXPECT_GT(*half.low, *warm.low);
  EXPECT_GT(*cold.low, *half.low);
  EXPECT_EQ(after({{0, 1.0}}).low, warm.low);
  EXPECT_THAT(cold.level, AllOf(HasSubstr("warmed it, but for "), HasSubstr("which DRAM answers")));
  EXPECT_THAT(warm.level, Not(HasSubstr("but for")));
}

TEST(Predict, TakesTripsFromExecutedInstructions) {
  PredictOptions options{.blocks = 132, .threads = 32};
  const Listing& listing = testing::recorded_kernel("pipeline").listing;
  for (const Instruction& each : listing.instructions) {
    const bool inside = each.address >= 0x180 && each.address < 0x290;
    options.executed.by_address[static_cast<std::int64_t>(each.address)] = inside ? 132 * 7 : 132;
  }
  const Prediction one = predicted("pipeline", options);
  EXPECT_EQ(one.loops[0].trips, 7);
  EXPECT_EQ(one.loops[0].trips_from, "--counts");
}

TEST(Predict, RefusesWhatDoesNotFitOrHasNoWindow) {
  const auto message = [](const PredictOptions& options) {
    const auto refused =
        predict(testing::recorded_kernel("pipeline"), testing::committed_machine("nvidia-h200"), options);
    return refused ? std::string() : refused.error().message();
  };
  EXPECT_THAT(message({.threads = 32, .dynamic_bytes = 1 << 20}), HasSubstr("not one block"));
  EXPECT_THAT(message({.threads = 32, .window = true}), HasSubstr("does not read the clock twice"));
}

TEST(Predict, WritesWhatItsSchemaDescribes) {
  PredictOptions options{.blocks = 132, .threads = 64};
  options.trips[0] = 3;
  options.timeline = 10;
  const Prediction one = predicted("tail", options);
  EXPECT_EQ(one.timeline.size(), 10U);
  EXPECT_THAT(to_json({one}), HasSubstr("\"record\": \"predict\""));
  EXPECT_THAT(prediction_schema(), HasSubstr("\"warpclock prediction\""));
  EXPECT_FALSE(one.bounds.empty());
  EXPECT_TRUE(std::ranges::is_sorted(one.bounds, std::ranges::greater{}, &LowerBound::share));
}

// An SM holds 2,048 threads: 4,096 bytes of each do not fit into L2. What the kernel spills of them does not fit into
// L1.
TEST(Predict, SpillsGoWhereLocalMemoryHasRoom) {
  PredictOptions options{.blocks = std::int64_t{132} * 16, .threads = 128, .annotate = true};
  options.trips[0] = 16;
  LoadedKernel kernel = testing::recorded_kernel("spills");
  const auto with_stack = [&](std::int64_t bytes) {
    kernel.facts.stack_bytes = bytes;
    return must(predict(kernel, testing::committed_machine("nvidia-h100-80gb-hbm3"), options));
  };
  const Prediction fits = with_stack(176), beyond_l2 = with_stack(4096);
  EXPECT_EQ(fits.limiter, "L2") << "all bytes of 53 stores a trip";
  EXPECT_EQ(beyond_l2.limiter, "DRAM");
  EXPECT_GT(*beyond_l2.low, 1.5 * *fits.low);
  const auto loads_beyond_l1 = [&](const Prediction& one) {
    const auto& code = kernel.listing.instructions;
    return std::ranges::count_if(one.instructions, [&](const AnnotatedInstruction& each) {
      return code[static_cast<std::size_t>(&each - one.instructions.data())].opcode == "LDL" && each.l2.has_value();
    });
  };
  EXPECT_GT(loads_beyond_l1(fits), 0);
  options.blocks = 132;
  EXPECT_EQ(loads_beyond_l1(with_stack(212)), 0) << "L1 has room for what one block spills";
}

TEST(Predict, LoadsForTheLastTimeCostWhatOthersDo) {
  PredictOptions options{.blocks = 1, .threads = 32};
  options.trips[0] = 16;
  const Prediction alone = predicted("spills", options, "nvidia-h100-80gb-hbm3");
  const auto is_gap = [](const UnknownCost& one) {
    return one.instruction == "LDL.LU" && one.what == "issue interval";
  };
  EXPECT_TRUE(std::ranges::none_of(alone.unknown, is_gap));
  EXPECT_FALSE(alone.unknown.empty()) << "the range is wide enough for its reasons to be listed";
}

TEST(Predict, L1HasWhatSharedMemoryLeavesOfIt) {
  const auto l1 = [](std::int64_t dynamic, int threads) {
    const PredictOptions options{.blocks = 132, .threads = threads, .dynamic_bytes = dynamic};
    KernelFacts facts;
    facts.registers = 32;
    return must(place_launch(facts, testing::committed_machine("nvidia-h200"), options)).l1_bytes;
  };
  EXPECT_NEAR(l1(74 << 10, 1024), 87012, 100) << "memory/carveout[carveout=71]";
  EXPECT_NEAR(l1(50 << 10, 1024), 119761, 1) << "memory/carveout[carveout=57]";
  EXPECT_NEAR(l1(0, 1024), 245633, 1);
  EXPECT_NEAR(l1(110 << 10, 1024), 21 << 10, 500) << "no row has as much shared memory";
}

/// What L2 gives takes fewer cycles of an SM that its tensor cores slow: of a trip as of all.
TEST(Predict, HasLoopsAndTotalByTheClockThatTensorCoresLeave) {
  const LoadedKernel kernel = assembled(
      "loop:\ns1 w0 | LDG.E.128 R8, desc[UR4][R2.64]\ns1 w1 | LDG.E.128 R12, desc[UR4][R2.64+0x2000]\n"
      "s1 b0 b1 | HMMA.16816.F32 R16, R20, R24, R16\ns5 | @P0 BRA `(loop)\ns5 | EXIT");
  const auto with = [&](double part) {
    Machine machine = testing::committed_machine("nvidia-h200");
    for (Entry& clock : machine.clocks) {
      if (clock.name == "sm.tensor")
        clock.leaves = {{.name = "mhz", .value = part * find_leaf(machine, "clocks/sm/mhz")->value}};
    }
    PredictOptions options{.blocks = 132, .threads = 1024, .level = MemoryLevel::L2};
    options.trips[0] = 200;
    options.strides = {{0x0, 16}, {0x10, 16}};
    return must(predict(kernel, machine, options));
  };
  const Prediction whole = with(1), half = with(0.5);
  ASSERT_TRUE(whole.low && half.low) << to_text(prediction_sheet(whole), Style(false));
  EXPECT_LT(*half.low, 0.8 * *whole.low);
  EXPECT_NEAR(half.loops[0].low / whole.loops[0].low, *half.low / *whole.low, 0.01);
  EXPECT_EQ(half.loops.size(), 1U);
  EXPECT_EQ(half.assumed, whole.assumed) << "once";
}

TEST(Predict, RunsALoopWithSeveralJumpsBackAsOftenAsTheLastSays) {
  const LoadedKernel kernel = assembled(
      "loop:\ns5 | @P1 BRA `(skip)\ns4 | FFMA R7, R9, R7, R10\ns5 | BRA `(loop)\nskip:\n"
      "s4 | FFMA R7, R9, R7, R10\ns5 | @P0 BRA `(loop)\ns5 | EXIT");
  PredictOptions options;
  options.threads = 32;
  options.blocks = 1;
  options.trips[0] = 8;
  EXPECT_LT(must(predict(kernel, testing::committed_gpus().front().machine, options)).high.value_or(1e9), 8 * 100);
}

TEST(Predict, RunsALoopThatIsLeftByExitAloneAsOftenAsAnother) {
  const auto cycles = [](const std::string& end) {
    const LoadedKernel kernel = assembled("loop:\ns4 | FFMA R7, R9, R7, R10\n" + end);
    PredictOptions options{.blocks = 1, .threads = 32};
    options.trips[0] = 1000;
    const auto prediction = must(predict(kernel, testing::committed_gpus().front().machine, options));
    return prediction.low.value_or(0);
  };
  const double jumps = cycles("s5 | @P0 BRA `(loop)\ns5 | EXIT"),
               ends = cycles("s5 | @P0 EXIT\ns5 | BRA `(loop)\ntrap:\ns5 | BRA `(trap)");
  EXPECT_GT(jumps, 1000 * 4);
  EXPECT_NEAR(ends - jumps, 1000 * 5, 100) << "a stall count more in each trip";
}

TEST(Predict, RunsALoopThatHasOneTripBeforeItWithOneTripLessThanTheOtherLoop) {
  const std::string meet = "s1 | BAR.SYNC.DEFER_BLOCKING 0x1, 0x40\n";
  const LoadedKernel kernel = assembled(
      "s4 | S2R R0, SR_TID.X\ns13 | ISETP.GE.U32.AND P0, PT, R0, 0x20, PT\ns5 | @P0 BRA `(second)\n" + meet +
      "first:\n" + meet + "s5 | @P1 BRA `(first)\ns1 | EXIT\nsecond:\n" + meet + "s5 | @P1 BRA `(second)\ns1 | EXIT");
  PredictOptions options;
  options.threads = 64;
  options.blocks = 1;
  options.trips = {{0, 7}, {1, 8}};
  const auto prediction = must(predict(kernel, testing::committed_gpus().front().machine, options));
  EXPECT_NEAR(prediction.loops[0].low, prediction.loops[1].low, 1);
}

}  // namespace
}  // namespace warpclock
