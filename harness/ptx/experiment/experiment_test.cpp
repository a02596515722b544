#include "ptx/experiment/experiment.hpp"

#include <gmock/gmock.h>

#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

/// The attempts for a throughput, in order.
std::vector<std::string> throughputs(const std::string& text, bool multiplies = false, std::int64_t size = 1) {
  const PtxInstruction one = instruction(text);
  std::vector<std::string> names;
  std::optional<Experiment> tried = throughput_experiment(one, multiplies, size);
  for (; tried && names.size() < 12; tried = next_experiment(one, *tried, multiplies, size)) {
    EXPECT_EQ(tried->question, Question::Throughput);
    names.push_back(fmt::format("{}{} x{} {}", tried->links.empty() ? "" : "chained ", tried->ilp, tried->trips,
                                name(tried->trick)));
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

TEST(LatencyExperiments, WhatIsItsOwnResultIsTheOnlyChain) {
  const PtxInstruction one = instruction("@{p} add.s32 {d}, {d}, {b}");
  const std::vector<Experiment> all = latency_experiments(one);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().name(one), "latency.d");
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

TEST(Throughputs, GoFromNothingButCopiesToMixtures) {
  EXPECT_THAT(throughputs("and.b32 {d}, {a}, {b}"),
              ElementsAre("chained 4 x8 ", "chained 24 x8 spread", "chained 1 x8 ", "chained 4 x8 woven FADD",
                          "chained 4 x8 woven LOP3", "chained 4 x8 guarded"));
  EXPECT_THAT(throughputs("fma.rn.f32 {d}, {a}, {b}, {c}", true),
              ElementsAre("chained 4 x8 ", "chained 24 x8 spread", "chained 1 x8 ", "chained 4 x8 woven LOP3",
                          "chained 4 x8 woven FADD", "chained 4 x8 guarded"))
      << "what is woven into a throughput runs on another pipe";
  EXPECT_THAT(throughputs("div.s32 {d}, {a}, {b}", false, 30),
              ElementsAre("chained 4 x4 ", "chained 24 x4 spread", "chained 1 x4 ", "chained 4 x4 refreshed",
                          "chained 4 x4 woven FADD", "chained 4 x4 woven LOP3", "chained 4 x4 refreshed LOP3",
                          "chained 4 x4 guarded"))
      << "what is long goes round less often";
  EXPECT_THAT(throughputs("setp.eq.s32 {p}, {a}, {b}"), testing::Not(testing::Contains(HasSubstr("spread"))))
      << "a predicate is no chain without something between";
}

TEST(Throughputs, WithoutALinkAreGuardedOrGathered) {
  EXPECT_THAT(throughputs("ld.global.u64 {d}, [{a}]"), ElementsAre("4 x2 guarded", "4 x2 gathered"));
  EXPECT_THAT(throughputs("st.global.u32 [{a}], {b}"), ElementsAre("4 x4 guarded"));
  EXPECT_THAT(throughputs("red.global.add.u32 [{a}], {b}"), ElementsAre("4 x4 ", "1 x4 refreshed", "4 x4 guarded"));
  EXPECT_THAT(throughputs("bar.sync 0"), ElementsAre("4 x4 ", "4 x4 guarded"));
  EXPECT_THAT(throughputs("mov.u32 {d}, %laneid"), ElementsAre("4 x8 guarded", "4 x8 gathered"));
}

TEST(SpreadCopies, AreAsManyAsThereAreRegistersFor) {
  const auto copies = [](const std::string& text) -> int {
    const PtxInstruction one = instruction(text);
    const auto found = spread_copies_of(one, latency_experiments(one).front().links.front());
    return found ? found->most() : 0;
  };
  EXPECT_EQ(copies("and.b32 {d}, {a}, {b}"), 72);
  EXPECT_EQ(copies("and.b64 {d}, {a}, {b}"), 36);
  EXPECT_EQ(copies("mul.wide.u32 {d}, {a}, {b}"), 24) << "two words of the result and one of the source";
  EXPECT_EQ(copies("setp.eq.s32 {p}, {a}, {b}"), 0);
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

/// The attempts for a latency after its plain chain, in order.
std::vector<std::string> tricks(const std::string& text, bool multiplies, std::int64_t size) {
  const PtxInstruction one = instruction(text);
  std::optional<Experiment> tried = latency_experiments(one).front();
  std::vector<std::string> names;
  while ((tried = next_experiment(one, *tried, multiplies, size)) && names.size() < 12) {
    EXPECT_EQ(tried->trips, 1) << "a latency's window is straight code";
    names.emplace_back(name(tried->trick));
  }
  return names;
}

TEST(NextExperiment, WeavesALatencyWithItsOwnPipe) {
  EXPECT_THAT(tricks("and.b32 {d}, {a}, {b}", false, 1), ElementsAre("woven LOP3", "woven FADD", "guarded"));
  EXPECT_THAT(tricks("add.f32 {d}, {a}, {b}", true, 1), ElementsAre("woven FADD", "woven LOP3", "guarded"));
}

TEST(NextExperiment, RefreshesWhatIsSeveralInstructionsFirst) {
  EXPECT_THAT(tricks("div.s32 {d}, {a}, {b}", false, 30),
              ElementsAre("refreshed", "woven LOP3", "woven FADD", "refreshed LOP3", "guarded"));
}

TEST(NextExperiment, LeavesAddressesAsTheyAre) {
  EXPECT_THAT(tricks("ld.global.u64 {d}, [{a}]", false, 1), ElementsAre("guarded"));
}

}  // namespace
}  // namespace warpclock
