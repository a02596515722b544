#include "ptx/experiment.hpp"

#include <gmock/gmock.h>

#include "ptx/described_fixture.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PtxInstruction instruction(const std::string& text) { return described(text).value(); }

std::vector<std::string> latencies(const std::string& text) {
  const PtxInstruction one = instruction(text);
  std::vector<std::string> names;
  for (const Experiment& experiment : latency_experiments(one)) {
    EXPECT_EQ(experiment.question, Question::Latency);
    EXPECT_EQ(experiment.links.size(), 1U);
    const Link link = experiment.links.front();
    names.push_back(fmt::format("{} {}->{}{}", experiment.name(one), one.operands[link.from].name,
                                one.operands[link.to].name, direct(one, link) ? "" : " converted"));
  }
  return names;
}

std::vector<std::string> throughputs(const std::string& text, const std::vector<int>& ilps = {1, 4}) {
  const PtxInstruction one = instruction(text);
  std::vector<std::string> names;
  for (const Experiment& experiment : throughput_experiments(one, ilps)) {
    names.push_back(fmt::format("{}{} {}", experiment.name(one), experiment.links.empty() ? "" : " chained",
                                name(experiment.trick)));
  }
  return names;
}

TEST(LatencyExperiments, OneForEverySourceThatAResultReaches) {
  EXPECT_THAT(latencies("fma.rn.f32 {d}, {a}, {b}, {c}"),
              ElementsAre("latency.a d->a", "latency.b d->b", "latency.c d->c"));
  EXPECT_THAT(latencies("setp.eq.s32 {p}, {a}, {b}"),
              ElementsAre("latency.a p->a converted", "latency.b p->b converted"));
  EXPECT_THAT(latencies("setp.eq.and.s32 {p}, {a}, {b}, {c}").back(), "latency.c p->c");
  EXPECT_THAT(latencies("mul.wide.u32 {d}, {a}, {b}"),
              ElementsAre("latency.a d->a converted", "latency.b d->b converted"));
  EXPECT_THAT(latencies("mul.lo.s32 {d}, {a}, 8"), ElementsAre("latency.a d->a"));
}

TEST(LatencyExperiments, FewerRegistersAreFilledFromMore) {
  EXPECT_THAT(latencies("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}"),
              ElementsAre("latency.a d->a", "latency.b d->b", "latency.c d->c"));
}

TEST(LatencyExperiments, ThroughAnAddressOnlyLoadsAreChained) {
  EXPECT_THAT(latencies("ld.global.u64 {d}, [{a}]"), ElementsAre("latency.a d->a"));
  EXPECT_THAT(latencies("ld.shared.u8 {d}, [{a}]"), ElementsAre("latency.a d->a converted"));
  EXPECT_THAT(latencies("atom.global.add.u32 {d}, [{a}], {b}"), ElementsAre("latency.b d->b"));
  EXPECT_THAT(latencies("st.global.u32 [{a}], {b}"), IsEmpty());
  EXPECT_THAT(latencies("bar.sync 0"), IsEmpty());
  EXPECT_THAT(latencies("mov.u32 {d}, %laneid"), IsEmpty());
}

TEST(Chases, WhenTheLoadedValueCanBeAnAddress) {
  const auto chased = [](const std::string& text) {
    const PtxInstruction one = instruction(text);
    return chases(one, latency_experiments(one).front().links.front());
  };
  EXPECT_TRUE(chased("ld.global.u64 {d}, [{a}]"));
  EXPECT_TRUE(chased("ld.shared.u32 {d}, [{a}]"));
  EXPECT_FALSE(chased("ld.shared.u8 {d}, [{a}]")) << "a byte is no address";
  EXPECT_FALSE(chased("ld.local.v4.b8 {d}, [{a}]")) << "nor is one of four";
  EXPECT_TRUE(chased("ld.local.v2.b32 {d}, [{a}]"));
  EXPECT_FALSE(chased("ld.const.u64 {d}, [{a}]")) << "nobody can write it there";
  EXPECT_FALSE(chased("ld.global.u64 {d}, [{a}+8]"));
}

TEST(ReadElements, OfAVectorThatLeadsToAnAddressAll) {
  const auto read = [](const std::string& text) {
    const PtxInstruction one = instruction(text);
    return read_elements(one, latency_experiments(one).front().links.front());
  };
  EXPECT_EQ(read("ld.shared.v4.b8 {d}, [{a}]"), 4);
  EXPECT_EQ(read("ld.shared.v4.b32 {d}, [{a}]"), 1);
  EXPECT_EQ(read("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {d}, {a}, {b}, {c}"), 2);
  EXPECT_EQ(read("popc.b64 {d}, {a}"), 1);
}

TEST(ThroughputExperiments, ChainsOfTheirOwn) {
  EXPECT_THAT(throughputs("fma.rn.f32 {d}, {a}, {b}, {c}"), ElementsAre("throughput.ilp4 chained "))
      << "one chain is its latency's kernel";
  EXPECT_THAT(throughputs("setp.eq.s32 {p}, {a}, {b}"),
              ElementsAre("throughput.ilp1 chained woven FADD", "throughput.ilp4 chained woven FADD"));
  EXPECT_THAT(throughputs("ld.global.u64 {d}, [{a}]", {4}), ElementsAre("throughput.ilp4 guarded"));
  EXPECT_THAT(throughputs("st.global.u32 [{a}], {b}", {4}), ElementsAre("throughput.ilp4 guarded"));
  EXPECT_THAT(throughputs("bar.sync 0", {4}), ElementsAre("throughput.ilp4 "));
  EXPECT_THAT(throughputs("fma.rn.f32 {d}, {a}, {b}, {c}", {}), IsEmpty());
}

TEST(InPlace, UnlessSomethingIsWovenIn) {
  const PtxInstruction fma = instruction("fma.rn.f32 {d}, {a}, {b}, {c}");
  Experiment experiment = latency_experiments(fma).front();
  EXPECT_TRUE(in_place(fma, experiment));
  for (const Trick trick : {Trick::Refreshed, Trick::Guarded}) {
    experiment.trick = trick;
    EXPECT_TRUE(in_place(fma, experiment)) << name(trick);
    EXPECT_FALSE(is_woven(trick));
  }
  for (const Trick trick : {Trick::WovenAdd, Trick::WovenMajority}) {
    experiment.trick = trick;
    EXPECT_FALSE(in_place(fma, experiment)) << name(trick);
    EXPECT_TRUE(is_woven(trick));
  }
  EXPECT_FALSE(in_place(fma, {}));
}

/// Tricks after one another until there is none.
std::vector<std::string> tricks(const std::string& text, Question question, bool multiplies, bool several) {
  const PtxInstruction one = instruction(text);
  Experiment tried =
      question == Question::Latency ? latency_experiments(one).front() : throughput_experiments(one, {4}).front();
  std::vector<std::string> names;
  while (const auto next = next_trick(one, tried, multiplies, several)) {
    tried.trick = *next;
    names.emplace_back(name(*next));
    if (names.size() > 8) break;
  }
  return names;
}

TEST(NextTrick, WeavesWithItsOwnPipeForALatencyAndTheOtherForAThroughput) {
  const std::string logic = "and.b32 {d}, {a}, {b}", add = "add.f32 {d}, {a}, {b}";
  EXPECT_THAT(tricks(logic, Question::Latency, false, false), ElementsAre("woven LOP3", "woven FADD", "guarded"));
  EXPECT_THAT(tricks(logic, Question::Throughput, false, false), ElementsAre("woven FADD", "woven LOP3", "guarded"));
  EXPECT_THAT(tricks(add, Question::Latency, true, false), ElementsAre("woven FADD", "woven LOP3", "guarded"));
  EXPECT_THAT(tricks(add, Question::Throughput, true, false), ElementsAre("woven LOP3", "woven FADD", "guarded"));
}

TEST(NextTrick, RefreshesWhatIsSeveralInstructionsFirst) {
  EXPECT_THAT(tricks("div.s32 {d}, {a}, {b}", Question::Latency, false, true),
              ElementsAre("refreshed", "woven LOP3", "woven FADD", "refreshed LOP3", "guarded"));
}

TEST(NextTrick, GathersResultsThatNothingElseKeeps) {
  EXPECT_THAT(tricks("mov.u32 {d}, %laneid", Question::Throughput, false, false), ElementsAre("gathered"));
  EXPECT_THAT(tricks("st.global.u32 [{a}], {b}", Question::Throughput, false, false), IsEmpty());
}

TEST(NextTrick, LeavesAddressesAsTheyAre) {
  EXPECT_THAT(tricks("ld.global.u64 {d}, [{a}]", Question::Latency, false, false), ElementsAre("guarded"));
}

}  // namespace
}  // namespace warpclock
