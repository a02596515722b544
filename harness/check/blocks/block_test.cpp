#include "check/blocks/block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "check/case_row.hpp"
#include "check/study.hpp"
#include "code/toolkit.hpp"
#include "inspect/occupancy.hpp"
#include "model/testing/measured.hpp"
#include "predict/kernel_loops.hpp"

namespace warpclock {
namespace {

using ::testing::IsSupersetOf;

constexpr Arch hopper{90, true};
constexpr std::int64_t sms = 132;

/// The blocks of the first sources of seed 1, assembled once.
class BuiltBlocks : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    LoadOptions how;
    how.arch = hopper;
    how.nvdisasm = find_nvdisasm().value();
    builder_ = new CaseBuilder(".", how, folder_ / "cache");
    cases_ = block_cases(1, 60, sms, hopper);
    built_ = builder_->build(cases_);
  }
  static void TearDownTestSuite() {
    built_.clear();
    delete builder_;
  }

  static inline testing::TemporaryFolder folder_;
  static inline CaseBuilder* builder_ = nullptr;
  static inline std::vector<KernelCase> cases_;
  static inline std::vector<Expected<BuiltKernel>> built_;
};

TEST(Blocks, AreTheSameForASeedAndDifferForAnother) {
  const auto once = block_cases(1, 40, sms, hopper), again = block_cases(1, 40, sms, hopper);
  const auto other = block_cases(2, 40, sms, hopper), fewer = block_cases(1, 20, sms, hopper);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].id, again[i].id);
    EXPECT_EQ(once[i].ptx, again[i].ptx);
    EXPECT_NE(once[i].ptx, other[i].ptx);
    EXPECT_EQ(once[i].held_out, i % 2 == 1);
    ids.insert(once[i].id);
  }
  EXPECT_THAT(ids, SizeIs(once.size()));
  for (std::size_t i = 0; i < fewer.size(); ++i) {
    EXPECT_EQ(once[i].id, fewer[i].id);
    EXPECT_EQ(once[i].ptx, fewer[i].ptx);
  }
}

TEST(Blocks, CoverEveryFormOfBlock) {
  std::set<std::string> forms, mixes, sm_words;
  std::set<std::int64_t> warps, streams, ways;
  for (std::int64_t i = 0; i < 300; ++i) {
    const BlockPlan plan = plan_block(1, i);
    forms.insert(plan.straight ? "straight" : "loop");
    mixes.insert(plan.mix.begin(), plan.mix.end());
    sm_words.insert(plan.all_sms ? "all" : "one");
    warps.insert(plan.warps), streams.insert(plan.streams), ways.insert(plan.ways);
    EXPECT_GE(plan.operations, 8);
    EXPECT_LE(plan.operations, 300);
    EXPECT_LE(plan.threads(), 1024);
  }
  EXPECT_THAT(forms, SizeIs(2));
  EXPECT_THAT(mixes, SizeIs(8));
  EXPECT_THAT(sm_words, SizeIs(2));
  EXPECT_EQ(warps, (std::set<std::int64_t>{1, 4, 8, 16, 32, 64}));
  EXPECT_EQ(streams, (std::set<std::int64_t>{1, 2, 3, 4, 6, 8}));
  EXPECT_EQ(ways, (std::set<std::int64_t>{1, 2, 4, 8}));
}

TEST_F(BuiltBlocks, StayInRegistersAndHaveOneLoop) {
  std::set<std::string> opcodes;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    ASSERT_TRUE(built_[i]) << cases_[i].id << built_[i].error().message();
    const LoadedKernel& kernel = *built_[i]->kernel;
    const BlockPlan plan = plan_block(1, static_cast<std::int64_t>(i));
    std::set<std::string> own;
    for (const Instruction& each : kernel.listing.instructions) own.insert(each.opcode);
    EXPECT_THAT(own, Not(Contains("LDL"))) << cases_[i].id;
    EXPECT_THAT(own, Not(Contains("STL"))) << cases_[i].id;
    opcodes.insert(own.begin(), own.end());

    PredictOptions options;
    options.trips = cases_[i].trips;
    const auto loops = kernel_loops(kernel, options).value();
    // What follows EXIT is a jump to itself.
    ASSERT_EQ(std::ranges::count_if(loops, [](const KernelLoop& one) { return one.trips.has_value(); }), 1)
        << cases_[i].id;
    // An operation is an instruction at least, apart from a few that become one with the next.
    const auto length = static_cast<std::int64_t>(loops.front().jump - loops.front().header);
    EXPECT_GE(2 * length, plan.operations * plan.copies()) << cases_[i].id;

    const Occupancy fits = occupancy(*sm_limits(hopper), {.threads = static_cast<int>(plan.threads()),
                                                          .registers = kernel.facts.registers,
                                                          .barriers = kernel.facts.barriers,
                                                          .static_bytes = kernel.facts.shared_bytes,
                                                          .dynamic_bytes = 0});
    EXPECT_GE(fits.blocks, plan.blocks_per_sm()) << cases_[i].id;
  }
  EXPECT_THAT(opcodes, IsSupersetOf({"IADD3", "LOP3",  "SHF",   "ISETP", "SEL",  "PRMT", "FFMA", "FADD", "FMUL",
                                     "IMAD",  "HFMA2", "HADD2", "MUFU",  "POPC", "FLO",  "F2I",  "DFMA", "DADD",
                                     "DMUL",  "HMMA",  "IMMA",  "LDS",   "STS",  "LDSM", "SHFL"}));
}

TEST_F(BuiltBlocks, ArePredictedToOutlastTheirLaunch) {
  const Machine& machine = testing::committed_gpus().front().machine;
  for (std::size_t i = 0; i < 8; ++i) {
    const Row row = predicted_row(cases_[i], built_[i], machine);
    EXPECT_EQ(row.kernel.prediction.refused, "") << row.id;
    EXPECT_GT(estimate_in(row, "predicted")->low, 100'000) << row.id;
    EXPECT_LT(estimate_in(row, "predicted")->high, 4'000'000) << row.id;
    EXPECT_EQ(row.kernel.source, "blocks 0 to 19 of seed 1");
  }
}

}  // namespace
}  // namespace warpclock
