#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "advise/advisers.hpp"
#include "advise/testing/source.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/inspect.hpp"
#include "inspect/occupancy.hpp"
#include "inspect/testing/recorded.hpp"

namespace warpclock {
namespace {

using testing::committed;
using testing::leaf_value;

const RateTarget& target(const Advice& advice, double share) {
  return *std::ranges::find(advice.bandwidth->targets, share, &RateTarget::share);
}

TEST(BandwidthAdvice, GigabytesAreAtTheClockOfTheRateAndBelowTheBus) {
  for (const testing::CommittedGpu& one : testing::committed_gpus()) {
    const Advice advice = advise_bandwidth(testing::source_of(one), {.level = MemoryLevel::Dram});
    if (!advice.bandwidth->rate) continue;
    const StatedFacts& stated = one.machine.stated;
    const Leaf* rate = find_leaf(one.machine, "transfers/dram.load/rate.all_sms");
    ASSERT_NE(rate, nullptr);
    const auto& row = rate->rows.front();
    const Row* at = find_by(one.gpu.results.at(rate->record).rows, row, &Row::id);
    ASSERT_NE(at, nullptr) << row;
    EXPECT_EQ(advice.bandwidth->sm_mhz, at->clock.sm_mhz) << one.gpu.folder;
    EXPECT_DOUBLE_EQ(advice.bandwidth->gigabytes.value(), rate->value * stated.sms * at->clock.sm_mhz / 1e3);
    EXPECT_LE(*advice.bandwidth->gigabytes, 2 * stated.memory_clock_max_mhz * stated.memory_bus_bits / 8e3);
  }
}

TEST(BandwidthAdvice, HasTheFewestBytesOfARowThatReachesTheShare) {
  for (const auto& one : testing::committed_gpus()) {
    for (const MemoryLevel level : {MemoryLevel::L2, MemoryLevel::Dram}) {
      const Advice advice = advise_bandwidth(testing::source_of(one), {.level = level});
      std::map<std::int64_t, double> best;
      std::map<std::int64_t, std::int64_t> few_loads;  // rows with up to 4 loads, by their bytes
      double highest = 0;
      for (const RecordRow& at : rows_of(one.gpu, "bandwidth/in_flight", "rate")) {
        if ((whole(*at.row, "footprint") > 100000000) != (level == MemoryLevel::Dram)) continue;
        const std::int64_t bytes = 512 * whole(*at.row, "depth") * whole(*at.row, "warps");
        if (whole(*at.row, "depth") <= 4) ++few_loads[bytes];
        double& rate = best[bytes];
        rate = std::max(rate, at.estimate->value);
        highest = std::max(highest, at.estimate->value);
      }
      for (const double share : {0.9, 0.99}) {
        const auto fewest =
            std::ranges::find_if(best, [&](const auto& each) { return each.second >= share * highest; });
        EXPECT_EQ(target(advice, share).bytes.value(), fewest->first) << one.machine.folder;
        EXPECT_THAT(target(advice, share).row, HasSubstr("bandwidth/in_flight["));
      }
      ASSERT_EQ(advice.checks.size(), 2U);
      std::int64_t others = 0;  // which the row with the fewest loads predicts
      for (const auto& [bytes, rows] : few_loads) others += rows - 1;
      EXPECT_EQ(advice.checks[0].predictions, others);
      EXPECT_LE(advice.checks[0].mean_absolute, 0.1) << one.machine.folder;
    }
  }
}

TEST(BandwidthAdvice, AsksTheLawForOtherWarpsAndWidths) {
  const auto& gpu = committed("h200");
  const Advice advice =
      advise_bandwidth(testing::source_of(gpu), {.level = MemoryLevel::Dram, .bytes = 1 << 30, .warps = 8, .width = 4});
  const double latency = leaf_value(gpu.machine, "transfers/dram.load/latency");
  const double rate = leaf_value(gpu.machine, "transfers/dram.load/rate.all_sms");
  const RateTarget& most = target(advice, 0.9);
  const auto bytes = static_cast<double>(most.bytes.value());
  EXPECT_EQ(advice.bandwidth->most_loads, 4);
  EXPECT_EQ(most.asked_warps.value(), std::llround(std::ceil(bytes / (32 * 4 * 4))));
  EXPECT_FALSE(most.asked_loads) << "8 warps with 4 loads of 4 bytes have too few";
  const Advice more = advise_bandwidth(testing::source_of(gpu), {.level = MemoryLevel::Dram, .warps = 32});
  EXPECT_EQ(target(more, 0.9).asked_loads.value(), std::llround(std::ceil(bytes / (32 * 16 * 32))));
  EXPECT_NEAR(advice.bandwidth->cycles.value(), (1 << 30) / rate / 132 + latency, 1e-6);
  EXPECT_NEAR(advice.bandwidth->reached.value(), 1 - latency / *advice.bandwidth->cycles, 1e-9);
  // So many bytes reach just that share.
  const Advice again =
      advise_bandwidth(testing::source_of(gpu), {.level = MemoryLevel::Dram, .bytes = std::llround(*most.total_bytes)});
  EXPECT_NEAR(again.bandwidth->reached.value(), 0.9, 1e-4);
  EXPECT_THAT(advice.unknown, Contains(HasSubstr("no row has loads of other widths")));
}

TEST(BandwidthAdvice, AMissingRowIsNoNumber) {
  const auto& gpu = committed("h200");
  const Machine machine = testing::without(gpu.machine, "transfers", "dram.load", "latency");
  const Advice advice = advise_bandwidth({gpu.gpu, machine}, {.level = MemoryLevel::Dram, .bytes = 1 << 20});
  EXPECT_THAT(advice.unknown, Contains("not measured: transfers/dram.load/latency"));
  EXPECT_FALSE(advice.bandwidth->cycles || target(advice, 0.9).total_bytes);
  EXPECT_TRUE(target(advice, 0.9).bytes);
  const MeasuredGpu nothing;
  const Advice none = advise_bandwidth({nothing, gpu.machine}, {.level = MemoryLevel::Dram});
  EXPECT_THAT(none.unknown, Contains("not measured: bandwidth/in_flight from DRAM"));
  EXPECT_FALSE(target(none, 0.99).bytes);
  EXPECT_TRUE(none.checks.empty());
}

TEST(AttentionAdvice, ComparesExponentialsWithProducts) {
  for (const auto& one : testing::committed_gpus()) {
    for (const auto& [head, ratio] : {std::pair(64, 1.0), std::pair(128, 0.5), std::pair(256, 0.25)}) {
      const AttentionAdvice out = *advise_attention(testing::source_of(one), {.head = head})->attention;
      EXPECT_NEAR(out.ratio.value(), ratio, 0.01) << head;
      EXPECT_NEAR(out.exponential.value(), 512, 5);
      EXPECT_NEAR(out.tensor.value(), 8.0 * head, 1);
      EXPECT_GE(out.both.value(), std::max(*out.tensor, *out.exponential));
      EXPECT_LE(out.both.value(), *out.tensor + *out.exponential);
      EXPECT_GE(out.overlapped_low.value(), std::max(*out.tensor, *out.softmax));
      EXPECT_LE(*out.overlapped_low, out.overlapped_high.value());
      EXPECT_LE(*out.overlapped_high, out.serial.value());
      EXPECT_NEAR(out.polynomial_needed.value(), std::max(0.0, 1 - 1 / ratio), 0.02) << head;
    }
  }
}

TEST(AttentionAdvice, APolynomialTakesOverWhatBalancesThePipes) {
  const auto& gpu = committed("h200");
  for (const int degree : {1, 3, 5}) {
    const AttentionAdvice out = *advise_attention(testing::source_of(gpu), {.degree = degree})->attention;
    const double slots = 64.0 * 128 / 32 / 4;  // instructions of a sub-partition for one of each score
    const double share = out.polynomial.value();
    const auto busiest = [&](double part) {
      const double xu = 8 * (1 - part), fma = 2 + part * (3 + degree), alu = 2 + 1 + 2 * part;
      const double issue = 4.5 + part * (3 + degree);
      return slots * std::max({xu, fma, alu, issue});
    };
    EXPECT_NEAR(out.softmax.value(), busiest(0), 5);
    EXPECT_NEAR(out.softmax_balanced.value(), busiest(share), 5);
    for (int i = 0; i <= 100; ++i) EXPECT_GE(busiest(i / 100.0) + 5, busiest(share)) << i;
    EXPECT_GT(share, 0.1);
  }
}

TEST(AttentionAdvice, SaysHowFarOneRowPredictsAnother) {
  for (const auto& one : testing::committed_gpus()) {
    const Advice advice = advise_attention(testing::source_of(one), {}).value();
    ASSERT_EQ(advice.checks.size(), 2U);
    EXPECT_EQ(advice.checks[0].predictions, 1);
    EXPECT_LE(advice.checks[0].mean_absolute, 0.05);
    EXPECT_EQ(advice.checks[0].row, "wgmma/HGMMA.64x64x16.F32+4 MUFU.EX2");
  }
}

TEST(AttentionAdvice, AMissingRowIsNoNumber) {
  const auto& gpu = committed("h200");
  Machine machine = testing::without(gpu.machine, "instructions", "@PT MUFU.EX2 R#, R#", "interval");
  Advice advice = advise_attention({gpu.gpu, machine}, {}).value();
  EXPECT_THAT(advice.unknown, Contains("not measured: instructions/@PT MUFU.EX2 R#, R#/interval"));
  const AttentionAdvice& out = *advice.attention;
  EXPECT_FALSE(out.exponential || out.ratio || out.both || out.overlapped_low || out.softmax || out.polynomial);
  EXPECT_TRUE(out.tensor);

  machine = gpu.machine;
  machine.co_issue.clear();
  advice = advise_attention({gpu.gpu, machine}, {}).value();
  EXPECT_THAT(advice.unknown, Contains("not measured: MUFU.EX2 together with wgmma"));
  EXPECT_FALSE(advice.attention->both || advice.attention->overlapped_low == advice.attention->overlapped_high);
  EXPECT_TRUE(advice.attention->ratio);

  advice = advise_attention(testing::source_of(gpu), {.head = 80}).value();
  EXPECT_FALSE(advice.attention->tensor) << "no row has 80 columns";
}

TEST(AttentionAdvice, RefusesShapesThatThereAreNot) {
  const AdviceSource from = testing::source_of(committed("h200"));
  for (const std::int64_t head : {0, -128, 100, 257, 512})
    EXPECT_THAT(advise_attention(from, {.head = head}).error().text,
                HasSubstr("--head: wgmma of f16 has multiples of 16"));
  EXPECT_FALSE(advise_attention(from, {.keys = 4}));
  EXPECT_FALSE(advise_attention(from, {.degree = 0}));
  EXPECT_THAT(advise_attention(from, {.type = "bf61"}).error().text, HasSubstr("did you mean 'bf16'?"));
}

Inspection inspected(int threads, std::int64_t bytes = 0, const Machine* machine = nullptr) {
  InspectOptions what;
  what.threads = threads;
  what.dynamic_bytes = bytes;
  what.machine = machine;
  return inspect("kernels.cubin", testing::recorded_kernels(), what).value();
}

/// The step is enough, and anything between it and what the kernel has is not.
TEST(OccupancyAdvice, TheNextStepIsTheSmallest) {
  const auto& gpu = committed("h200");
  const SmLimits limits = sm_limits({90, true}).value();
  std::size_t steps = 0;
  for (const int threads : {32, 96, 128, 256, 512, 1024}) {
    for (const std::int64_t bytes : {0, 20000, 60000, 100000}) {
      const Inspection file = inspected(threads, bytes, &gpu.machine);
      const Advice advice = advise_occupancy(testing::source_of(gpu), file).value();
      for (const KernelOccupancy& one : advice.occupancy->kernels) {
        const auto blocks = [&](std::int64_t registers, std::int64_t shared) {
          return occupancy(limits, {.threads = threads,
                                    .registers = static_cast<int>(registers),
                                    .barriers = 1,
                                    .static_bytes = shared})
              .blocks;
        };
        EXPECT_EQ(blocks(one.registers, one.shared_bytes), one.blocks) << one.name;
        if (!one.next) continue;
        ++steps;
        EXPECT_EQ(blocks(one.next->registers, one.next->shared_bytes), one.next->blocks) << one.name;
        EXPECT_GT(one.next->blocks, one.blocks);
        if (one.next->what == "registers") {
          EXPECT_EQ(blocks(one.next->registers + 1, one.shared_bytes), one.blocks);
        }
        if (one.next->what == "shared memory") {
          EXPECT_EQ(blocks(one.registers, one.next->shared_bytes + 1), one.blocks);
        }
      }
    }
  }
  EXPECT_GT(steps, 20U);
}

TEST(OccupancyAdvice, HasTheMeasuredRatesOfBothNumbersOfWarps) {
  const auto& gpu = committed("h200");
  const Advice advice = advise_occupancy(testing::source_of(gpu), inspected(256, 100000, &gpu.machine)).value();
  const KernelOccupancy& one = advice.occupancy->kernels.front();
  ASSERT_TRUE(one.next);
  EXPECT_EQ(one.warps, 16);
  EXPECT_EQ(one.next->warps, 24);
  const auto rate = [&](int warps) {
    for (const RecordRow& at : rows_of(gpu.gpu, "bandwidth/in_flight", "rate"))
      if (whole(*at.row, "footprint") > 100000000 && whole(*at.row, "depth") == 1 && whole(*at.row, "warps") == warps)
        return at.estimate->value;
    return 0.0;
  };
  const auto gain =
      std::ranges::find_if(one.gains, [](const WarpGain& each) { return each.level == "DRAM" && each.loads == 1; });
  ASSERT_NE(gain, one.gains.end());
  EXPECT_EQ(gain->now, rate(16));
  EXPECT_NEAR(gain->next.value(), (rate(16) + rate(32)) / 2, 1e-9);
  EXPECT_FALSE(advice.used.empty());
}

TEST(OccupancyAdvice, BeyondTheCurveIsNotMeasured) {
  const auto& gpu = committed("h200");
  const Advice advice = advise_occupancy(testing::source_of(gpu), inspected(512, 60000, &gpu.machine)).value();
  const auto more = std::ranges::find_if(advice.occupancy->kernels,
                                         [](const KernelOccupancy& one) { return one.next && one.next->warps > 32; });
  ASSERT_NE(more, advice.occupancy->kernels.end());
  EXPECT_FALSE(more->gains.empty());
  for (const WarpGain& gain : more->gains) EXPECT_FALSE(gain.next);
  EXPECT_THAT(advice.unknown, Contains("not measured: the rate of more than 32 warps of an SM"));
}

TEST(OccupancyAdvice, SaysUpToHowManyWarpsALoopGetsFaster) {
  const auto& gpu = committed("h200");
  const Advice advice = advise_occupancy(testing::source_of(gpu), inspected(128, 0, &gpu.machine)).value();
  std::size_t loops = 0;
  for (const KernelOccupancy& one : advice.occupancy->kernels) {
    for (const LoopWarps& loop : one.loops) {
      ++loops;
      EXPECT_EQ(loop.warps % 4, 0);
      const auto each = static_cast<double>(loop.warps) / 4;
      EXPECT_GE(each * loop.issue, loop.chain);
      EXPECT_LT((each - 1) * loop.issue, loop.chain);
    }
  }
  EXPECT_GE(loops, 2U);
}

TEST(OccupancyAdvice, OfAnArchitectureThatIsNotKnownIsAnError) {
  const auto& gpu = committed("h200");
  Inspection file = inspected(128);
  file.arch = "sm_61";
  EXPECT_THAT(advise_occupancy(testing::source_of(gpu), file).error().text, HasSubstr("sm_61"));
  file.arch = "sm_90a";
  for (KernelInspection& kernel : file.kernels) kernel.occupancy.clear();
  EXPECT_EQ(advise_occupancy(testing::source_of(gpu), file).error().code, "kernel");
}

/// Each answer states its error against measured rows or whole kernels of the committed records.
TEST(Advice, IsHeldAgainstWhatWasMeasured) {
  struct Stated {
    Advice advice;
    std::string of;
    double mean, furthest;
  };
  for (const auto& one : testing::committed_gpus()) {
    const AdviceSource from = testing::source_of(one);
    for (const Stated& stated :
         {Stated{advise_bandwidth(from, {.level = MemoryLevel::Dram}), "whole kernels that add up", 0.2, 0.25},
          Stated{advise_bandwidth(from, {.level = MemoryLevel::L2}), "whole kernels that add up", 0.35, 0.5},
          Stated{advise_swizzle(from, {128, "ldmatrix"}).value(), "cycles of ldmatrix", 0.01, 0.02},
          Stated{advise_attention(from, {}).value(), "whole kernels of one warp group", 0.45, 0.6}}) {
      const auto check = std::ranges::find_if(stated.advice.checks,
                                              [&](const ModelCheck& each) { return each.of.contains(stated.of); });
      ASSERT_NE(check, stated.advice.checks.end()) << stated.of;
      EXPECT_LE(check->mean_absolute, stated.mean) << one.machine.folder << " " << check->of;
      EXPECT_LE(std::abs(check->furthest), stated.furthest) << one.machine.folder << " " << check->row;
    }
  }
}

}  // namespace
}  // namespace warpclock
