#include <gtest/gtest.h>

#include <algorithm>

#include "advise/advisers.hpp"
#include "advise/testing/source.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using testing::committed;
using testing::leaf_value;

Advice advised(const testing::CommittedGpu& one, const std::string& tile, MemoryLevel from,
               const std::string& type = "f16") {
  return advise_pipeline(testing::source_of(one), {tile, type, from}).value();
}

/// The time t with copies * t = latency + queue * load / (1 - load), where load = rate / t.
double turn_by_halving(double latency, double copies, double rate, double queue) {
  double low = rate, high = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double t = (low + high) / 2, load = rate / t;
    (copies * t < latency + queue * load / (1 - load) ? low : high) = t;
  }
  return high;
}

TEST(PipelineAdvice, IsTheFormulaOverTheRowsThatItNames) {
  for (const auto& one : testing::committed_gpus()) {
    for (const MemoryLevel from : {MemoryLevel::L2, MemoryLevel::Dram}) {
      const Advice advice = advised(one, "128x256x64", from);
      const PipelineAdvice& out = *advice.pipeline;
      const Machine& machine = one.machine;
      const std::string copies = "transfers/tensor.load." + path_word(from) + "/latency.";
      const double bytes = (128 + 256) * 64 * 2;
      const double tensor = 8 * leaf_value(machine, "instructions/wgmma.m64n256k16.f32.f16.a_shared/interval");
      const double copy = leaf_value(machine, copies + "fixed") + bytes * leaf_value(machine, copies + "per_byte") +
                          leaf_value(machine, "synchronization/block.mbarrier_try.apart_4/one_way");
      const double rate =
          bytes / leaf_value(machine, from == MemoryLevel::L2 ? "transfers/tensor.load.l2/rate.all_sms"
                                                              : "transfers/bulk.load.dram/rate.all_sms");
      EXPECT_EQ(out.step_bytes, 49152);
      EXPECT_EQ(out.warp_groups, 2);
      EXPECT_EQ(out.accumulators, 128);
      EXPECT_DOUBLE_EQ(out.tensor.value(), tensor);
      EXPECT_NEAR(out.copy.value(), copy, 1e-9);
      EXPECT_NEAR(out.rate.value(), rate, 1e-9);
      ASSERT_GE(out.choices.size(), 3U);
      const std::string bulk = "transfers/bulk.load." + path_word(from) + "/";
      const double at_90 = leaf_value(machine, bulk + "in_flight") / (0.9 * bytes / rate);
      const double idle = leaf_value(machine, copies + "fixed") + bytes * leaf_value(machine, copies + "per_byte");
      EXPECT_NEAR(out.queue.value(), std::max(0.0, (at_90 - idle) / 9), 1e-6);
      EXPECT_NEAR(out.choices[0].cycles.value(), turn_by_halving(tensor + copy, 1, rate, *out.queue), 1e-6);
      // The multiplies of a step run on while the next are issued, and hold their buffer until then.
      EXPECT_EQ(out.choices[1].cycles, out.choices[0].cycles);
      EXPECT_NEAR(out.choices[2].cycles.value(), std::max(tensor, turn_by_halving(copy, 1, rate, *out.queue)), 1e-6);
      const double peak = leaf_value(machine, "instructions/wgmma.m64n256k16.f32.f16.a_shared/throughput");
      EXPECT_NEAR(out.choices[1].share.value(), 128.0 * 256 * 64 / peak / *out.choices[1].cycles, 1e-9);
      for (const StageChoice& choice : out.choices) {
        EXPECT_EQ(choice.fits, choice.shared_bytes <= 227 * 1024);
        EXPECT_LE(choice.share.value(), 1.01);
      }
    }
  }
}

TEST(PipelineAdvice, TheBestIsTheFewestStagesNearTheShortest) {
  const PipelineAdvice out = *advised(committed("h200"), "128x128x64", MemoryLevel::Dram).pipeline;
  double shortest = 1e9;
  for (const StageChoice& choice : out.choices) {
    if (choice.fits) shortest = std::min(shortest, *choice.cycles);
  }
  const auto best = std::ranges::find(out.choices, out.best.value(), &StageChoice::stages);
  ASSERT_NE(best, out.choices.end());
  EXPECT_TRUE(best->fits && *best->cycles <= 1.05 * shortest);
  for (auto fewer = out.choices.begin(); fewer != best; ++fewer) EXPECT_GT(*fewer->cycles, 1.05 * shortest);
  EXPECT_EQ(out.choices.back().limit, "rate of DRAM");
}

TEST(PipelineAdvice, NamesTheLimit) {
  const auto& gpu = committed("h200");
  EXPECT_EQ(advised(gpu, "256x256x64", MemoryLevel::L2).pipeline->choices.at(2).limit, "tensor cores");
  EXPECT_EQ(advised(gpu, "64x64x64", MemoryLevel::L2).pipeline->choices.at(0).limit, "latency of the copy");
  EXPECT_EQ(advised(gpu, "64x64x16", MemoryLevel::Dram).pipeline->choices.at(1).limit, "latency of the copy");
}

TEST(PipelineAdvice, AMissingRowIsNoNumber) {
  const auto& gpu = committed("h100");
  for (const auto& [section, entry, leaf] :
       {std::tuple("transfers", "bulk.load.l2", "in_flight"),
        std::tuple("instructions", "wgmma.m64n128k16.f32.f16.a_shared", "interval"),
        std::tuple("transfers", "tensor.load.l2", "latency.fixed"),
        std::tuple("transfers", "tensor.load.l2", "rate.all_sms"),
        std::tuple("synchronization", "block.mbarrier_try.apart_4", "one_way")}) {
    const Machine machine = testing::without(gpu.machine, section, entry, leaf);
    const Advice advice = advise_pipeline({gpu.gpu, machine}, {"128x128x64", "f16", MemoryLevel::L2}).value();
    EXPECT_THAT(advice.unknown, Contains(std::string("not measured: ") + section + "/" + entry + "/" + leaf));
    EXPECT_EQ(advice.pipeline->best, std::nullopt);
    for (const StageChoice& choice : advice.pipeline->choices) EXPECT_FALSE(choice.cycles || choice.share) << leaf;
  }
}

TEST(PipelineAdvice, AWidthThatWasNotMeasuredIsNotReplacedByAnother) {
  const Advice advice = advised(committed("h200"), "128x224x64", MemoryLevel::L2);
  EXPECT_THAT(advice.unknown, Contains("not measured: instructions/wgmma.m64n224k16.f32.f16.a_shared/interval"));
  EXPECT_EQ(advice.pipeline->tensor, std::nullopt);
}

TEST(PipelineAdvice, WiderTilesAreSeveralMultiplies) {
  const PipelineAdvice out = *advised(committed("h200"), "64x384x64", MemoryLevel::L2).pipeline;
  EXPECT_EQ(out.multiply, "wgmma.m64n192k16.f32.f16.a_shared");
  EXPECT_EQ(out.multiplies, 8);
}

TEST(PipelineAdvice, EachTypeHasItsMultiply) {
  const auto& gpu = committed("h200");
  for (const std::string& type : pipeline_types()) {
    const PipelineAdvice out = *advised(gpu, "128x128x64", MemoryLevel::L2, type).pipeline;
    EXPECT_TRUE(out.tensor) << type;
    EXPECT_NE(find_entry(gpu.machine, "instructions", out.multiply), nullptr) << out.multiply;
  }
}

TEST(PipelineAdvice, RefusesTilesThatAreNone) {
  const AdviceSource from = testing::source_of(committed("h200"));
  const auto said = [&](const std::string& tile, const std::string& type = "f16") {
    const auto advice = advise_pipeline(from, {tile, type, MemoryLevel::L2});
    EXPECT_FALSE(advice) << tile;
    return advice ? "" : advice.error().message();
  };
  for (const char* tile : {"", "128", "128x128", "128x128x64x2", "0x128x64", "-64x128x64", "axbxc", "128x128x64 ",
                           "99999999999999999999x8x16", "8192x128x64"})
    EXPECT_THAT(said(tile), HasSubstr("--tile is MxNxK")) << tile;
  EXPECT_THAT(said("100x128x64"), HasSubstr("multiple of 64"));
  EXPECT_THAT(said("128x100x64"), HasSubstr("multiple of 8"));
  EXPECT_THAT(said("128x128x24"), HasSubstr("multiple of 16 deep"));
  EXPECT_THAT(said("128x1024x16"), HasSubstr("registers of each thread"));
  EXPECT_THAT(said("128x128x64", "f61"), HasSubstr("did you mean 'f16'?"));
}

/// The error of the model of stages, over every prediction of the picture.
TEST(StagesModel, HasAMeanAbsoluteErrorOfAtMostThreeAndAHalfPercentOnEachGpu) {
  ASSERT_GE(testing::committed_gpus().size(), 2U);
  for (const auto& one : testing::committed_gpus()) {
    const Advice advice = advised(one, "128x128x64", MemoryLevel::Dram);
    ASSERT_EQ(advice.checks.size(), 3U) << one.machine.folder;
    const ModelCheck& all = advice.checks[1];
    EXPECT_EQ(all.of, "cycles of a tile over stages, cp.async and FFMA");
    EXPECT_GE(all.predictions, 54) << one.machine.folder;
    EXPECT_GT(all.mean_absolute, 0) << one.machine.folder;
    EXPECT_LE(all.mean_absolute, 0.035) << one.machine.folder;
  }
}

/// A leaf without a verified row fails here, whichever answer uses it.
TEST(PipelineAdvice, NamesRowsThatTheRecordsHave) {
  for (const auto& one : testing::committed_gpus()) {
    for (const MemoryLevel from : {MemoryLevel::L2, MemoryLevel::Dram}) {
      const Advice advice = advised(one, "128x128x64", from);
      EXPECT_GE(advice.used.size(), 6U);
      for (const UsedNumber& used : advice.used) {
        const Record& record = one.gpu.results.at(used.record);
        EXPECT_EQ(used.gpu, record.device.name);
        EXPECT_EQ(used.date, record.provenance.date);
        for (const std::string& id : used.rows) {
          const auto row = std::ranges::find(record.rows, id, &Row::id);
          ASSERT_NE(row, record.rows.end()) << id;
          EXPECT_TRUE(row->outcome == Outcome::Measured && row->window.verified()) << id;
        }
      }
    }
  }
}

/// Copies and multiplies together, each SM with its own tiles.
TEST(StagesModel, HoldsForBulkCopiesWithWgmma) {
  for (const auto& one : testing::committed_gpus()) {
    const ModelCheck check = advised(one, "128x128x64", MemoryLevel::L2).checks.at(0);
    EXPECT_EQ(check.of, "cycles of a tile over stages, bulk copies and wgmma from L2");
    EXPECT_GE(check.predictions, 12);
    EXPECT_LE(check.mean_absolute, 0.12) << one.machine.folder << " " << check.row;
    EXPECT_LE(std::abs(check.furthest), 0.27) << check.row;
  }
}

/// Tiles that SMs share, as in a product of matrices, against whole kernels.
TEST(PipelineAdvice, OfSharedTilesIsHeldAgainstKernelsThatMultiplyMatrices) {
  for (const auto& one : testing::committed_gpus()) {
    const AdviceSource from = testing::source_of(one);
    const PipelineQuestion question{"128x128x64", "f16", MemoryLevel::L2, Tiles::Shared};
    const Advice advice = advise_pipeline(from, question).value();
    const PipelineAdvice& out = *advice.pipeline;
    EXPECT_EQ(out.tiles, "shared");
    const auto best = std::ranges::find(out.choices, out.best.value(), &StageChoice::stages);
    ASSERT_NE(best, out.choices.end());
    const double own = advised(one, "128x128x64", MemoryLevel::L2).pipeline->choices.back().share.value();
    EXPECT_GT(best->share.value(), own + 0.1) << "SMs that share tiles get more bytes than each for itself";
    const auto whole = std::ranges::find_if(out.measured, [](const MeasuredKernel& kernel) {
      return kernel.row.starts_with("hgemm_bulk[") && kernel.stages == 4;
    });
    ASSERT_NE(whole, out.measured.end());
    // The kernel also fills its pipeline, writes its sums, and waits for its last wave.
    EXPECT_LT(whole->share, best->share.value());
    EXPECT_GT(whole->share, 0.7 * best->share.value());
    const ModelCheck& check = advice.checks.at(0);
    EXPECT_THAT(check.of, HasSubstr("whole kernels that multiply matrices"));
    EXPECT_GE(check.predictions, 11);
    EXPECT_LE(check.mean_absolute, 0.15) << one.machine.folder << " " << check.row;
    EXPECT_LE(std::abs(check.furthest), 0.35) << check.row;
  }
}

TEST(PipelineAdvice, TilesFromDramAreNotShared) {
  const auto advice =
      advise_pipeline(testing::source_of(committed("h200")), {"128x128x64", "f16", MemoryLevel::Dram, Tiles::Shared});
  EXPECT_THAT(failure_of(advice), IsError("option", HasSubstr("--tiles own")));
}

}  // namespace
}  // namespace warpclock
