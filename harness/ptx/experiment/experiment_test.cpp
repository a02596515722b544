#include "ptx/experiment/experiment.hpp"

#include "base/testing/matchers.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

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

/// "chained 4 x8": chains, trips.
std::string throughput(const std::string& text, std::int64_t size = 1) {
  const PtxInstruction one = instruction(text);
  const Experiment found = throughput_experiment(one, size);
  EXPECT_EQ(found.question, Question::Throughput);
  return fmt::format("{}{} x{}", found.links.empty() ? "" : "chained ", found.ilp, found.trips);
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

TEST(Throughput, IsOfFourChainsIfThereIsALink) {
  EXPECT_EQ(throughput("and.b32 {d}, {a}, {b}"), "chained 4 x8");
  EXPECT_EQ(throughput("div.s32 {d}, {a}, {b}", 30), "chained 4 x4") << "what is long goes round less often";
}

TEST(Throughput, WithoutALinkIsOfFourCopies) {
  EXPECT_EQ(throughput("ld.global.u64 {d}, [{a}]"), "4 x2") << "nothing reads the copies' results";
  EXPECT_EQ(throughput("st.global.u32 [{a}], {b}"), "4 x4") << "the first of two stores is dead code";
  EXPECT_EQ(throughput("mov.u32 {d}, %laneid"), "4 x8");
  EXPECT_EQ(throughput("red.global.add.u32 [{a}], {b}"), "4 x4");
  EXPECT_EQ(throughput("bar.sync 0"), "4 x4");
}

TEST(InPlace, IsADirectLink) {
  const PtxInstruction fma = instruction("fma.rn.f32 {d}, {a}, {b}, {c}"),
                       convert = instruction("cvt.rn.f16.f32 {d}, {a}");
  EXPECT_TRUE(in_place(fma, latency_experiments(fma).front()));
  EXPECT_FALSE(in_place(convert, latency_experiments(convert).front()));
  EXPECT_FALSE(in_place(fma, {}));
}

}  // namespace
}  // namespace warpclock
