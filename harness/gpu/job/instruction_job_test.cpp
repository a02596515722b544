#include "gpu/job/instruction_job.hpp"

#include "base/testing/matchers.hpp"
#include "ptx/experiment/kernel.hpp"

namespace warpclock {
namespace {

Trial trial(Question question, const std::string& cubin, const std::string& code = "verified", int registers = 20) {
  Trial made;
  made.experiment.question = question;
  made.experiment.ilp = question == Question::Latency ? 1 : 4;
  made.verdict.code = code;
  made.registers = registers;
  for (const int n : {6, 12, 24}) made.kernels.push_back({n, cubin + "_" + std::to_string(n), cubin});
  made.which = 0;
  return made;
}

std::vector<int> warps_of(const std::vector<Timing>& all, std::size_t trial) {
  std::vector<int> warps;
  for (const Timing& timing : all) {
    if (timing.trial == trial) warps.push_back(timing.warps);
  }
  return warps;
}

CompiledInstruction compiled_from(std::vector<Trial> trials) {
  CompiledInstruction compiled;
  compiled.trials = std::move(trials);
  return compiled;
}

TEST(Timings, ALatencyHasOneWarpAndThroughputsTheGrid) {
  const auto all = timings(
      compiled_from({trial(Question::Latency, "a"), trial(Question::Latency, "b"), trial(Question::Throughput, "t")}));
  EXPECT_THAT(warps_of(all, 0), ElementsAre(1));
  EXPECT_THAT(warps_of(all, 1), ElementsAre(1));
  EXPECT_EQ(warps_of(all, 2), grid_warps());
}

TEST(Timings, WhatIsNotVerifiedIsNotTimed) {
  EXPECT_THAT(
      timings(compiled_from({trial(Question::Latency, "a", "folded"), trial(Question::Throughput, "t", "count")})),
      IsEmpty());
  EXPECT_THAT(timings({}), IsEmpty());
}

TEST(TimingJob, ThroughputAtSomeWarpsIsAPartOfIt) {
  const CompiledInstruction compiled = compiled_from({trial(Question::Latency, "a"), trial(Question::Throughput, "t")});
  const std::vector<Timing> all = timings(compiled);
  const PtxInstruction instruction;
  const Job whole = timing_job("x", instruction, compiled, all);
  const Job part = throughput_at(whole, compiled, all, {8});
  ASSERT_EQ(part.kernels.size(), 3U);
  for (const JobKernel& kernel : part.kernels) {
    EXPECT_EQ(kernel.warps, 8);
    EXPECT_EQ(kernel.cubin_path, "t");
  }
  EXPECT_EQ(part.cubin_path, "t");

  Observation first, again;
  for (const JobKernel& kernel : whole.kernels) first.samples.push_back({kernel.n, {1}});
  for (const JobKernel& kernel : part.kernels) again.samples.push_back({kernel.n, {2}});
  const Observation both = with_throughput(first, again, part, compiled, all);
  ASSERT_EQ(both.samples.size(), whole.kernels.size());
  for (std::size_t i = 0; i < whole.kernels.size(); ++i) {
    const bool retimed = whole.kernels[i].cubin_path == "t" && whole.kernels[i].warps == 8;
    EXPECT_EQ(both.samples[i], (Series{whole.kernels[i].n, {retimed ? 2.0 : 1.0}}));
  }
}

TEST(TimingJob, AKernelOfTheSameNameInAnotherModuleIsAnother) {
  Trial latency = trial(Question::Latency, "a"), rate = trial(Question::Throughput, "t");
  for (std::size_t i = 0; i < 3; ++i) rate.kernels[i].symbol = latency.kernels[i].symbol;
  const CompiledInstruction compiled = compiled_from({latency, rate});
  const std::vector<Timing> all{{0, 1}, {1, 1}};
  const Job whole = timing_job("x", {}, compiled, all), part = throughput_at(whole, compiled, all, {1});
  Observation first, again;
  for (const JobKernel& kernel : whole.kernels) first.samples.push_back({kernel.n, {1}});
  for (const JobKernel& kernel : part.kernels) again.samples.push_back({kernel.n, {2}});
  const Observation both = with_throughput(first, again, part, compiled, all);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_THAT(both.samples[i].cycles, ElementsAre(i < 3 ? 1 : 2));
}

TEST(Timings, WarpsMustFitIntoTheRegisters) {
  const auto warps = [](int registers) {
    return warps_of(timings(compiled_from({trial(Question::Throughput, "t", "verified", registers)})), 0);
  };
  EXPECT_THAT(warps(62), ElementsAre(1, 4, 8, 16, 32)) << "64 of each thread are all of an SM";
  EXPECT_THAT(warps(63), ElementsAre(1, 4, 8, 16));
  EXPECT_THAT(warps(126), ElementsAre(1, 4, 8, 16));
  EXPECT_THAT(warps(127), ElementsAre(1, 4, 8));
  EXPECT_THAT(warps(254), ElementsAre(1, 4, 8));
}

PtxInstruction instruction_of(const std::string& kind, const std::string& mnemonic, const std::string& space = {}) {
  PtxInstruction instruction;
  instruction.kind = kind;
  instruction.mnemonic = mnemonic;
  if (!space.empty()) {
    Operand operand;
    operand.address = true;
    operand.space = space;
    instruction.operands.push_back(operand);
  }
  return instruction;
}

TEST(TimingJob, HasEachTimingsKernelsInTheirOrder) {
  const PtxInstruction add = instruction_of("arithmetic", "add.u32");
  const CompiledInstruction compiled = compiled_from({trial(Question::Latency, "a"), trial(Question::Throughput, "t")});
  const Job job = timing_job("integer/add", add, compiled, {{1, 8}, {0, 1}});
  EXPECT_EQ(job.id, "integer/add");
  EXPECT_EQ(job.cubin_path, "t");
  EXPECT_THAT(job.kernels,
              ElementsAre(JobKernel{6, "t_6", 8, "t"}, JobKernel{12, "t_12", 8, "t"}, JobKernel{24, "t_24", 8, "t"},
                          JobKernel{6, "a_6", 1, "a"}, JobKernel{12, "a_12", 1, "a"}, JobKernel{24, "a_24", 1, "a"}));
  EXPECT_GE(job.data.bytes, instruction_data_bytes);
  EXPECT_TRUE(job.timed);
  EXPECT_TRUE(job.at_once);
  EXPECT_THAT(job.counters, IsEmpty());
  EXPECT_THAT(timing_job("x", add, compiled, {}).kernels, IsEmpty());
}

TEST(TimingJob, WhatIsComparedComesAfterAllThatIsTimed) {
  CompiledInstruction compiled = compiled_from({trial(Question::Latency, "a"), trial(Question::Throughput, "t")});
  const std::vector<Timing> all = timings(compiled);
  const Job without = timing_job("x", {}, compiled, all);
  EXPECT_EQ(without.places, Places::None);
  compiled.trials[0].compared = ComparedKernels{{6, "largest", "early.cubin"}, {6, "largest", "patient.cubin"}};
  const Job job = timing_job("x", {}, compiled, all);
  EXPECT_EQ(job.places, Places::Written);
  ASSERT_EQ(job.kernels.size(), without.kernels.size() + 2);
  EXPECT_EQ(job.kernels[without.kernels.size()], (JobKernel{6, "largest", 1, "early.cubin"}));
  EXPECT_EQ(job.kernels.back(), (JobKernel{6, "largest", 1, "patient.cubin"}));
  EXPECT_EQ(throughput_at(job, compiled, all, {1}).places, Places::None);
}

TEST(TimingJob, LaunchesThatAccessMemoryHaveLinesOfTheirOwn) {
  const CompiledInstruction compiled = compiled_from({trial(Question::Throughput, "t")});
  const auto job = [&](const PtxInstruction& instruction) { return timing_job("x", instruction, compiled, {{0, 8}}); };
  const Job global = job(instruction_of("load", "ld.global.u32", "global"));
  EXPECT_GT(global.at_step, 0);
  EXPECT_GE(global.data.bytes, instruction_data_bytes + 64 * global.at_step) << "as many as a second look has";
  EXPECT_EQ(job(instruction_of("arithmetic", "add.u32")).data.bytes, global.data.bytes) << "filled once";
  EXPECT_EQ(throughput_at(global, compiled, {{0, 8}}, {8}).launch.launches, 64);
  PtxInstruction generic = instruction_of("atomic", "atom.add.u32", "global");
  generic.operands.front().space.clear();
  EXPECT_GT(job(generic).at_step, 0) << "generic addresses are global ones";
  EXPECT_EQ(job(instruction_of("load", "ld.local.u32", "local")).at_step, 0);
  EXPECT_EQ(job(instruction_of("fence", "fence.sc.gpu")).at_step, 0);
  EXPECT_EQ(throughput_at(job(instruction_of("arithmetic", "add.u32")), compiled, {{0, 8}}, {8}).launch.launches, 14);
}

TEST(TimingJob, RunsOnEverySmWhatKeepsToItsSm) {
  const CompiledInstruction compiled = compiled_from({trial(Question::Throughput, "t")});
  const auto everywhere = [&](const PtxInstruction& instruction) {
    const Job job = timing_job("x", instruction, compiled, {{0, 8}});
    EXPECT_EQ(job.launch.blocks, 1);
    return job.launch.blocks_per_sm == 1;
  };
  EXPECT_TRUE(everywhere(instruction_of("arithmetic", "add.u32")));
  EXPECT_TRUE(everywhere(instruction_of("load", "ld.shared.u32", "shared")));
  EXPECT_TRUE(everywhere(instruction_of("load", "ld.const.u32", "const")));
  EXPECT_TRUE(everywhere(instruction_of("mbarrier", "mbarrier.arrive.shared::cta.b64", "shared::cta")));
  EXPECT_FALSE(everywhere(instruction_of("load", "ld.global.u32", "global"))) << "blocks would meet in L2";
  EXPECT_FALSE(everywhere(instruction_of("atomic", "atom.shared::cluster.add.u32", "shared::cluster")));
  EXPECT_FALSE(everywhere(instruction_of("fence", "fence.sc.gpu")));
}

TEST(CountingJob, IsOfTheTwoLargestRepeatCountsOfEach) {
  const Trial a = trial(Question::Latency, "a"), b = trial(Question::Throughput, "b");
  const Job job = counting_job("integer/add", {largest_pair(a), largest_pair(b)}, {"smsp__inst_executed.sum"}, false);
  EXPECT_THAT(job.kernels, ElementsAre(JobKernel{12, "a_12", 0, "a"}, JobKernel{24, "a_24", 0, "a"},
                                       JobKernel{12, "b_12", 0, "b"}, JobKernel{24, "b_24", 0, "b"}));
  EXPECT_FALSE(job.timed) << "no time comes from a launch that is profiled";
  EXPECT_THAT(job.counters, ElementsAre("smsp__inst_executed.sum"));
  EXPECT_EQ(job.counted_together, 1);
}

TEST(CountingJob, AsPairsHasTheLargerOnEverySm) {
  const Trial a = trial(Question::Latency, "a");
  const Job job = counting_job("integer/add", {largest_pair(a), largest_pair(a)}, {"smsp__inst_executed.sum"}, true);
  const JobKernel smaller{12, "a_12", 0, "a"}, larger{24, "a_24", 0, "a", 0, 1};
  EXPECT_THAT(job.kernels, ElementsAre(smaller, larger, smaller, larger));
  EXPECT_EQ(job.launch.blocks, 1);
  EXPECT_EQ(job.counted_together, 2);
}

}  // namespace
}  // namespace warpclock
