#include "plan/config/stanza.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "plan/plan.hpp"
#include "plan/testing/corpus.hpp"

namespace warpclock {
namespace {

constexpr const char* whole = R"(family: async_copy
probes:
  - name: latency
    asks: How long from issue to visible?
    kernel: async_copy/copy.cu
    suites: [smoke, full]
    needs: {min: sm_80, only: [sm_90a, sm_100a], why: "cp.async is sm_80 and later"}
    sweep:
      points:
        - {bytes: 16, cache: cg}
        - {bytes: 4, cache: ca}
      warps: {pow2: [1, 4]}
      where: {cache: cg}
      except: [{bytes: 16, warps: [2]}]
    repeat: [2, 4, 8]
    launch: {blocks: [2, sms], warps: [warps], cluster: 2, shared_bytes: [warps, 1 KiB], warmups: 3, launches: 7}
    data: {bytes: [warps, 64 MiB], fill: pointers, stride: 256, cold: true}
    window:
      - archs: [sm_90a]
        when: [{cache: cg}]
        target: "LDGSTS.{BYTES}"
        count: [n, 2]
        also: LDS
        required: [LDGDEPBAR]
        exactly: [{opcode: "MOV.{CACHE}", count: [n, 3]}]
        before: ["CCTL.{CACHE}", FFMA]
        delay: [bytes, 2]
        chain: true
        depth: 4
        operand: 1
        loop: true
        close: memory
        operands: {in_one_bank: {"1": [90, 100], "2": [0, 10]}, reuse: [50, 150]}
        label: "with {cache}"
      - target: [LDGSTS, LDG]
    measures:
      - {name: latency, method: slope, unit: cycles, work: [warps, 2], note: "{bytes} bytes"}
      - {name: rate, method: rate, unit: B/clk/SM, work: [bytes, 32], unsteady: a cache fills,
         limit: [{archs: [sm_90], when: {warps: 1}, value: 64, source: of L1}, {archs: [sm_80], value: 32, source: of sm_80}, {value: 128, source: of L2}]}
      - {name: copied, method: rate, unit: B/clk/SM, work: [bytes, 32], limit: {of: memory, source: its bus}}
      - {name: window, method: elapsed, unit: cycles, work: n}
      - {name: seen, method: fact, unit: count, source: seen}
      - {name: hits, method: counter, unit: "%", source: hits}
    facts: [seen, lost]
    counters: [hits]
    premises:
      - {text: nothing lost, value: lost, equals: 0}
      - {text: "{cache} hits", value: hits, at_least: 99.5, when: {cache: cg}}
    chart: {x: warps, y: rate, series: bytes, log_x: true}
)";

constexpr const char* metrics = R"(metrics:
  - name: hits
    counters: [a.sum, b.sum]
    chips: [{for: [GB202], counters: [c.sum, d.sum]}, {for: [GB10B], counters: []}]
    formula: percent
    unit: "%"
    text: Share that L1 had.
)";

TEST(Suite, ReadsEveryKey) {
  const auto suite = must(load_suite({{"configs/async_copy.yaml", whole}, {"configs/counters.yaml", metrics}}));
  ASSERT_EQ(suite.probes.size(), 1U);
  const Probe& probe = suite.probes.front();
  EXPECT_EQ(probe.family, "async_copy");
  EXPECT_EQ(probe.kernel, "async_copy/copy.cu");
  EXPECT_EQ(probe.place, "configs/async_copy.yaml:3:5");
  EXPECT_EQ(probe.suites, (std::vector<std::string>{"smoke", "full"}));
  EXPECT_EQ(probe.needs.min_sm, 80);
  EXPECT_EQ(probe.needs.only, (std::vector<Arch>{{90, true}, {100, true}}));
  EXPECT_EQ(probe.sweep.axes.front().values, (std::vector<Value>{1, 2, 4}));
  EXPECT_EQ(probe.launch.blocks.factors, (std::vector<Value>{2, "sms"}));
  EXPECT_EQ(probe.launch.launches, 7);
  EXPECT_EQ(probe.data.fill, "pointers");
  ASSERT_EQ(probe.windows.size(), 2U);
  EXPECT_EQ(probe.windows[1].expect.count.factors, std::vector<Value>{"n"}) << "the default";
  EXPECT_EQ(probe.windows[1].expect.depth.factors, std::vector<Value>{"n"}) << "the default";
  EXPECT_EQ(probe.chart.series, "bytes");
  ASSERT_EQ(probe.premises.size(), 1U);
  ASSERT_EQ(probe.premises_when.size(), 1U);
  EXPECT_EQ(probe.premises_when[0].second.bound, 99.5);
  ASSERT_EQ(suite.metrics.size(), 1U);
  EXPECT_EQ(suite.metrics[0].chips[0].counters[1], "d.sum");
  EXPECT_TRUE(suite.metrics[0].chips[1].counters.empty());
}

TEST(Suite, ResolvesEveryKeyIntoTheCase) {
  const auto suite = must(load_suite({{"configs/async_copy.yaml", whole}, {"configs/counters.yaml", metrics}}));
  const auto cases = must(plan(suite, Arch{90, true}));
  ASSERT_EQ(cases.size(), 2U) << "warps 1 and 4 of the first row";
  const Case& four = cases.at(1);
  EXPECT_EQ(four.id, "async_copy/latency[bytes=16,cache=cg,warps=4]");
  EXPECT_EQ(four.probe, "async_copy/latency");
  EXPECT_EQ(four.repeats, (std::vector<std::int64_t>{2, 4, 8}));
  EXPECT_EQ(four.launch.blocks_per_sm, 2);
  EXPECT_EQ(four.launch.warps, 4);
  EXPECT_EQ(four.launch.cluster, 2);
  EXPECT_EQ(four.launch.shared_bytes, 4096);
  EXPECT_EQ(four.launch.warmups, 3);
  EXPECT_EQ(four.data.bytes, std::int64_t{256} << 20);
  EXPECT_EQ(four.data.stride, 256);
  EXPECT_TRUE(four.data.cold);
  EXPECT_EQ(four.expect.target, std::vector<std::string>{"LDGSTS.16"});
  EXPECT_EQ(four.expect.also, (std::vector<std::string>{"LDS", "LDGDEPBAR", "MOV.CG"}))
      << "what is required may be there";
  ASSERT_EQ(four.expect.exactly.size(), 1U);
  EXPECT_EQ(four.expect.exactly[0].opcode, "MOV.CG");
  EXPECT_EQ(four.expect.exactly[0].count.factors, (std::vector<Value>{"n", 3}));
  EXPECT_EQ(four.expect.before, (std::vector<std::string>{"CCTL.CG", "FFMA"}));
  EXPECT_EQ(four.expect.delay->factors, (std::vector<Value>{"bytes", 2}));
  EXPECT_EQ(four.expect.count.factors, (std::vector<Value>{"n", 2}));
  EXPECT_TRUE(four.expect.chain);
  EXPECT_EQ(four.expect.operand, 1);
  EXPECT_TRUE(four.expect.loop);
  EXPECT_EQ(four.expect.close, Close::Memory);
  ASSERT_TRUE(four.expect.operands);
  ASSERT_EQ(four.expect.operands->in_one_bank.size(), 2U);
  EXPECT_EQ(four.expect.operands->in_one_bank.at(1).low, 90);
  EXPECT_EQ(four.expect.operands->in_one_bank.at(2).high, 10);
  ASSERT_TRUE(four.expect.operands->reuse);
  EXPECT_EQ(four.expect.operands->reuse->high, 150);
  EXPECT_EQ(four.label, "with cg");
  ASSERT_EQ(four.measures.size(), 6U);
  EXPECT_EQ(four.measures[0].work, 8);
  EXPECT_EQ(four.measures[0].note, "16 bytes");
  EXPECT_EQ(four.measures[1].work, 512);
  EXPECT_EQ(four.measures[1].unsteady, "a cache fills");
  EXPECT_EQ(four.measures[1].warps, 8) << "of two blocks on an SM";
  EXPECT_EQ(four.measures[0].warps, 0) << "of a rate alone";
  EXPECT_EQ(four.measures[1].limit, (Limit{128, false, "of L2", true})) << "the first that is for four warps and sm_90";
  EXPECT_EQ(four.measures[2].limit, (Limit{0, true, "its bus", true})) << "a plan knows no device";
  EXPECT_EQ(four.measures[3].work, 8) << "n of elapsed is the largest repeat count";
  EXPECT_EQ(four.measures[5].source, "hits");
  ASSERT_EQ(four.premises.size(), 2U);
  EXPECT_EQ(four.premises[1].text, "cg hits");
  EXPECT_EQ(four.premises[1].relation, Relation::AtLeast);
  EXPECT_FALSE(four.skip);
}

TEST(Suite, DefaultsAreWhatTheHeaderSays) {
  const auto suite =
      must(load_suite({{"configs/f.yaml", corpus::family()}, {"configs/counters.yaml", corpus::metrics()}}));
  const auto cases = must(plan(suite, Arch{80, false}));
  ASSERT_EQ(cases.size(), 4U);
  const Case& first = cases.front();
  EXPECT_EQ(first.kernel, "f/p.cu");
  EXPECT_EQ(suite.probes[0].suites, std::vector<std::string>{"full"});
  EXPECT_EQ(first.launch.blocks, 1);
  EXPECT_EQ(first.launch.blocks_per_sm, 0);
  EXPECT_EQ(first.launch.warps, 1);
  EXPECT_EQ(first.launch.shared_bytes, 0);
  EXPECT_EQ(first.launch.warmups, 1);
  EXPECT_EQ(first.launch.launches, 31);
  EXPECT_EQ(first.data.bytes, 1 << 20);
  EXPECT_EQ(first.data.fill, Fill::Unit);
  EXPECT_EQ(first.expect.close, Close::Result);
  EXPECT_FALSE(first.expect.chain);
  EXPECT_EQ(first.measures[0].work, 1);
}

TEST(Suite, FilesShareOneSpaceOfNames) {
  corpus::Configs configs = {{"configs/a.yaml", corpus::family()},
                             {"configs/b.yaml", corpus::family()},
                             {"configs/counters.yaml", corpus::metrics()}};
  EXPECT_EQ(failure_of(load_suite(configs)).message(),
            "configs/b.yaml:3:5: probe 'f/p' is given twice (first at configs/a.yaml:3:5)");
  configs.erase("configs/b.yaml");
  configs["configs/more/counters.yaml"] = corpus::metrics();
  const auto metric = load_suite(configs);
  ASSERT_FALSE(metric);
  EXPECT_EQ(metric.error().message(),
            "configs/more/counters.yaml:2:5: metric 'hits' is given twice (first at configs/counters.yaml:2:5)");
}

TEST(Suite, SaysWhenNoFileDefinesMetrics) {
  const Error suite = failure_of(load_suite({{"configs/f.yaml", corpus::family()}}));
  EXPECT_EQ(suite.message(), "configs/f.yaml:10:16: counters[0]: unknown metric 'hits' (no counters.yaml defines any)");
}

TEST(Suite, TheCommittedConfigsLoadAndPlanEverywhere) {
  const auto suite = must(load_suite(corpus::committed()));
  for (const Arch& arch : {Arch{75, false}, Arch{80, false}, Arch{86, false}, Arch{90, false}, Arch{90, true},
                           Arch{100, true}, Arch{120, true}, Arch{130, true}}) {
    for (const char* name : {"smoke", "full"}) {
      EXPECT_FALSE(must(plan(suite, arch, {name, {}})).empty());
    }
  }
}

/// A question is read alone, in lists and in a search.
TEST(Suite, EachQuestionIsCompleteInItself) {
  for (const Probe& probe : must(load_suite(corpus::committed())).probes)
    for (const char* begin : {"And ", "The same", "Does it ", "How does it "})
      EXPECT_FALSE(probe.asks.starts_with(begin)) << probe.name << ": " << probe.asks;
}

constexpr const char* curve = R"(family: memory
probes:
  - name: chase
    asks: Over which bytes?
    sweep: {path: [ca, cg]}
    along: {footprint: {from: 1 KiB, to: 4 KiB, per_octave: 3, step: 128 B}}
    repeat: [2, 4, 8]
    launch: {carveout: 50}
    data: {bytes: [footprint, 2], fill: chase, stride: 128}
    window: {target: LDG}
    measures:
      - {name: latency, method: slope, unit: cycles}
      - {name: rate, method: rate, unit: B/clk/SM, work: [footprint]}
    counters: [hits]
    counters_of: step
    counted_blocks: 1
    chart: {x: footprint, y: latency, series: path, log_x: true}
    finds:
      - {what: levels, of: latency, within: 1.5}
      - {what: saturation, of: rate, in_flight: [footprint, 32]}
)";

TEST(Suite, AnAxisThatIsNotCompiledInMakesACurve) {
  const auto suite = must(load_suite({{"configs/memory.yaml", curve}, {"configs/counters.yaml", metrics}}));
  const Probe& probe = suite.probes.front();
  EXPECT_EQ(probe.along, "footprint");
  EXPECT_EQ(probe.finds[0], (FeatureQuery{"latency", FeatureQuery::What::Levels, "footprint", {}, 1.5}));
  EXPECT_EQ(probe.finds[1],
            (FeatureQuery{"rate", FeatureQuery::What::Saturation, "footprint", {"footprint", "32"}, 0}));
  const auto cases = must(plan(suite, Arch{90, true}));
  std::vector<std::int64_t> bytes;
  for (std::size_t i = 0; i < cases.size() / 2; ++i) bytes.push_back(cases.at(i).data.bytes / 2);
  EXPECT_EQ(bytes, (std::vector<std::int64_t>{1024, 1280, 1664, 2048, 2560, 3200, 4096}));
  const Case& second = cases.at(1);
  EXPECT_EQ(second.id, "memory/chase[path=ca,footprint=1280]");
  EXPECT_EQ(second.along, "footprint");
  EXPECT_EQ(second.data.fill, Fill::Chase);
  EXPECT_EQ(second.launch.carveout, 50);
  EXPECT_EQ(second.measures[1].work, 1280);
  EXPECT_EQ(second.counters_of, CountersOf::Step);
  EXPECT_EQ(second.counted_blocks, 1);
}

TEST(Suite, APointThatNoAxisHasIsACaseLikeTheOthers) {
  const auto suite = must(load_suite({{"configs/memory.yaml", curve}, {"configs/counters.yaml", metrics}}));
  const auto made = must(case_at(suite.probes.front(), {{"path", "cg"}, {"footprint", 1408}}, Arch{90, true}));
  EXPECT_EQ(made.id, "memory/chase[path=cg,footprint=1408]");
  EXPECT_EQ(made.data.bytes, 2816);
  EXPECT_EQ(made.measures[1].work, 1408);
}

}  // namespace
}  // namespace warpclock
