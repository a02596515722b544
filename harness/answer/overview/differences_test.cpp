#include <gtest/gtest.h>

#include "answer/overview/overview_sheets.hpp"
#include "base/testing/matchers.hpp"
#include "model/testing/measured.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

/// A record with one case of each (id, cycles), with an interval of one percent.
Record latencies(const std::vector<std::pair<std::string, double>>& cases, const std::string& unit = "cycles") {
  Record record = testing::example_record();
  record.rows.clear();
  record.probes.clear();
  for (const auto& [scope, cycles] : cases) {
    const std::string probe = scope.substr(0, scope.find('['));
    Row row = testing::example_case(probe, {{"scope", scope.substr(scope.find('[') + 1)}}, "MEMBAR");
    row.estimates = {{"fence", cycles, 0.99 * cycles, 1.01 * cycles, unit, "slope", 15, ""}};
    record.rows.push_back(row);
  }
  return record;
}

struct Pair {
  Record a, b;
  [[nodiscard]] std::vector<ReportedGpu> gpus() const {
    ReportedGpu one{.folder = "a", .results = {{"", &a}}}, two{.folder = "b", .results = {{"", &b}}};
    return {one, two};
  }
};

constexpr const char* no_second = "  - {of: {probe: none}, by: {probe: none, cases: none}}\n";
constexpr const char* no_cause = "  - {name: none, says: none, of: [{probe: none}]}\n";

DifferenceNotes notes_of(const std::string& second, const std::string& causes) {
  return must(parse_difference_notes("s.yaml", "second:\n" + second + "causes:\n" + causes));
}

TEST(GpuDifferences, AreNumbersThatAreAFifthApartWithDisjointIntervals) {
  const Pair pair{latencies({{"a/fence[gpu", 660}, {"a/fence[cta", 9}, {"a/fence[sys", 100}}),
                  latencies({{"a/fence[gpu", 263}, {"a/fence[cta", 9}, {"a/fence[sys", 119}})};
  const auto numbers = shared_numbers(pair.gpus());
  ASSERT_EQ(numbers.size(), 3u);
  const GpuDifferences all = find_differences(numbers, {});
  EXPECT_EQ(all.compared, 3u);
  ASSERT_EQ(all.differ, 1u);
  const GpuDifference& fence = all.groups.at(0).rows.at(0);
  EXPECT_EQ(fence.number->id, "a/fence[scope=gpu]");
  EXPECT_NEAR(fence.ratio, 660.0 / 263, 1e-9);
  EXPECT_EQ(fence.least, 1u);
  EXPECT_EQ(fence.most, 0u);
  EXPECT_FALSE(fence.confirmed);
}

TEST(GpuDifferences, AreNotOfOtherMachineCode) {
  Pair pair{latencies({{"a/fence[gpu", 660}, {"a/fence[cta", 9}}),
            latencies({{"a/fence[gpu", 263}, {"a/fence[cta", 9}})};
  pair.b.rows[0].window.sass_hash = "another";
  const GpuDifferences all = find_differences(shared_numbers(pair.gpus()), {});
  EXPECT_EQ(all.other_code, 1u);
  EXPECT_EQ(all.compared, 1u);
  EXPECT_EQ(all.differ, 0u);
  EXPECT_THAT(index_sheet(pair.gpus()).dump(), HasSubstr("1 more are not compared"));
  pair.b.rows[0].arch = "sm_100a";
  EXPECT_EQ(find_differences(shared_numbers(pair.gpus()), {}).differ, 1u) << "other architectures have other code";
}

TEST(GpuDifferences, WithOverlappingIntervalsAreNone) {
  Pair pair{latencies({{"a/fence[gpu", 100}}), latencies({{"a/fence[gpu", 150}})};
  pair.a.rows[0].estimates[0].high = 149;
  EXPECT_EQ(find_differences(shared_numbers(pair.gpus()), {}).differ, 0u);
  pair.a.rows[0].estimates[0].high = 148;
  EXPECT_EQ(find_differences(shared_numbers(pair.gpus()), {}).differ, 1u);
}

TEST(GpuDifferences, OfSharesAreInPoints) {
  const auto differ = [](double a, double b, const std::string& unit) {
    const Pair pair{latencies({{"a/kept[x", a}}, unit), latencies({{"a/kept[x", b}}, unit)};
    return find_differences(shared_numbers(pair.gpus()), {}).differ;
  };
  EXPECT_EQ(differ(0.001, 0.01, "1"), 0u);
  EXPECT_EQ(differ(0.5, 0.8, "1"), 1u);
  EXPECT_EQ(differ(50, 60, "%"), 0u);
  EXPECT_EQ(differ(50, 80, "%"), 1u);
}

TEST(GpuDifferences, AreConfirmedByAnotherProbeInTheSameDirectionOnly) {
  const DifferenceNotes notes =
      notes_of("  - {of: {probe: a/fen*}, by: {probe: b/other, cases: fence, with: {scope: \"{scope}\"}}}\n", no_cause);
  const auto confirmed = [&](double other_a, double other_b) {
    const Pair pair{latencies({{"a/fence[gpu", 660}, {"b/other[gpu", other_a}}),
                    latencies({{"a/fence[gpu", 263}, {"b/other[gpu", other_b}})};
    const auto numbers = shared_numbers(pair.gpus());
    const GpuDifferences all = find_differences(numbers, notes);
    for (const DifferenceGroup& group : all.groups) {
      if (group.group == "a/fence") return group.rows.at(0).confirmed;
    }
    ADD_FAILURE();
    return false;
  };
  EXPECT_TRUE(confirmed(670, 265));
  EXPECT_FALSE(confirmed(265, 670));
  EXPECT_FALSE(confirmed(300, 265));
  EXPECT_FALSE(confirmed(6700, 265));
}

TEST(GpuDifferences, OfARepeatedProbeCountOnce) {
  const Record more = latencies({{"a/fence[gpu", 660}, {"a/fence[cta", 9}}), less = latencies({{"a/fence[gpu", 660}});
  ReportedGpu one{.folder = "a", .results = {{"", &less}, {"memory", &more}}}, two = one;
  const auto numbers = shared_numbers({one, two});
  ASSERT_EQ(numbers.size(), 2u);
  EXPECT_EQ(numbers[0].page, "memory/report.html");
}

TEST(GpuDifferences, OfAKnownCauseAreNotOpen) {
  const Pair pair{latencies({{"a/fence[gpu", 660}, {"a/fence[sys", 900}, {"b/other[gpu", 30}}),
                  latencies({{"a/fence[gpu", 263}, {"a/fence[sys", 300}, {"b/other[gpu", 20}})};
  const DifferenceNotes notes =
      notes_of(no_second, "  - {name: fences, says: why, of: [{probe: c/*}, {probe: a/fence, with: {scope: gpu}}]}\n");
  const auto numbers = shared_numbers(pair.gpus());
  const GpuDifferences all = find_differences(numbers, notes);
  EXPECT_EQ(all.differ, 3u);
  EXPECT_EQ(all.open, 2u);
  for (const DifferenceGroup& group : all.groups) {
    for (const GpuDifference& each : group.rows) {
      EXPECT_EQ(each.cause != nullptr, each.number->id == "a/fence[scope=gpu]") << each.number->id;
    }
  }
}

TEST(GpuDifferences, TheNotesOfTheProgramAreRead) {
  const auto& known = known_difference_notes();
  ASSERT_TRUE(known) << known.error().message();
  EXPECT_GT(known->second.size(), 30u);
  EXPECT_EQ(known->causes.size(), 4u);
  EXPECT_THAT(failure_of(parse_difference_notes("s.yaml", "second:\n  - {of: {probe: x}, by: {probe: y}}\ncauses:\n" +
                                                              std::string(no_cause)))
                  .message(),
              AllOf(HasSubstr("s.yaml:2:"), HasSubstr("says one of 'cases'")));
  EXPECT_THAT(failure_of(parse_difference_notes("s.yaml", "second:\n" + std::string(no_second) +
                                                              "causes:\n  - {name: x, says: y, of: [{probe: z, with: "
                                                              "{n: [0, l2]}}]}\n"))
                  .message(),
              AllOf(HasSubstr("s.yaml:4:"), HasSubstr("l2 is of one GPU")));
  EXPECT_THAT(
      failure_of(parse_difference_notes("s.yaml", "second:\n" + std::string(no_second) + "causes:\n  - {name: x}\n"))
          .message(),
      HasSubstr("s.yaml:4:5"));
}

TEST(GpuDifferences, TheNotesOfTheProgramMeanNumbersThatThereAre) {
  std::vector<ReportedGpu> gpus;
  for (const auto& one : testing::committed_gpus()) {
    ReportedGpu& gpu = gpus.emplace_back(ReportedGpu{.folder = one.gpu.folder});
    for (const auto& [file, record] : one.gpu.results)
      gpu.results.emplace(file.contains('/') ? file.substr(0, file.find('/')) : "", &record);
    gpu.table = &*one.gpu.instructions;
    gpu.machine = &*one.gpu.machine;
  }
  const auto numbers = shared_numbers(gpus);
  const DifferenceNotes& notes = must(known_difference_notes());
  const auto expect_any = [&](const Selector& selector, const auto& are) {
    EXPECT_TRUE(std::ranges::any_of(numbers, are)) << selector.probe << " " << selector.name;
  };
  const auto is_of = [](const Selector& selector) {
    return [&](const SharedNumber& number) { return means(selector, number); };
  };
  for (const SecondMethod& method : notes.second) {
    expect_any(method.of, is_of(method.of));
    expect_any(method.by, [&](const SharedNumber& number) {
      const auto by = means(method.of, number) ? bound_to(number.parameters, method.by) : std::nullopt;
      return by && std::ranges::any_of(numbers, is_of(*by));
    });
  }
  for (const DifferenceCause& cause : notes.causes)
    for (const Selector& each : cause.of) expect_any(each, is_of(each));
}

TEST(IndexPage, ComparesTheGpusAndSaysWhatIsConfirmed) {
  const Pair pair{latencies({{"atomics/fence[gpu", 660}, {"issue/rate[gpu", 12}, {"atomics/other[cta", 9}}),
                  latencies({{"atomics/fence[gpu", 263}, {"issue/rate[gpu", 9}, {"atomics/other[cta", 9}})};
  const std::string sheet = index_sheet(pair.gpus()).dump();
  EXPECT_THAT(sheet,
              AllOf(HasSubstr("3 numbers were measured on more than one GPU. 2 differ"), HasSubstr("0 are confirmed"),
                    HasSubstr("1 more are of a known cause; 1 are open"), HasSubstr("\"cause: fences of the GPU\""),
                    HasSubstr("\"fences of the GPU (1 of the differences)"),
                    HasSubstr("{\"text\":\"660\",\"href\":\"a/report.html#atomics/fence[scope=gpu]\"}"),
                    HasSubstr("{\"text\":\"263\",\"href\":\"b/report.html#atomics/fence[scope=gpu]\"}"),
                    HasSubstr("\"open\""), HasSubstr("\"href\":\"a/index.html\""), Not(HasSubstr("atomics/other["))));
  EXPECT_THAT(index_sheet({pair.gpus()[0]}).dump(), Not(HasSubstr("\"differences\"")));
}

TEST(GpuPage, LeadsToItsPagesAndSaysEachAnswer) {
  const Record record = testing::example_record();
  const Record table = testing::example_instructions();
  const std::string sheet =
      gpu_sheet({.folder = "x", .results = {{"", &record}, {"memory", &record}}, .table = &table}).dump();
  EXPECT_THAT(sheet, AllOf(HasSubstr("\"href\":\"memory/report.html\""), HasSubstr("\"href\":\"instructions.html\""),
                           HasSubstr("{\"text\":\"shuffle/latency\",\"href\":\"report.html#probe:shuffle/latency\"}")));
}

TEST(FrontTables, HaveEveryRowOfEachCommittedGpu) {
  for (const auto& one : testing::committed_gpus()) {
    ReportedGpu gpu{.folder = one.gpu.folder};
    for (const auto& [file, record] : one.gpu.results)
      gpu.results.emplace(file.contains('/') ? file.substr(0, file.find('/')) : "", &record);
    gpu.table = &*one.gpu.instructions;
    const Json sections = front_sections({gpu}, false);
    // TFLOP/s need a clock that was measured while tensor cores ran.
    const Row* sustained = nullptr;
    for (const auto& [file, record] : one.gpu.results)
      for (const Row& row : record.rows)
        if (row.probe == "wgmma/sustained") sustained = &row;
    ASSERT_NE(sustained, nullptr);
    const bool clocked = sustained->clock.in_window;
    ASSERT_EQ(sections.size(), clocked ? 8U : 7U) << one.gpu.folder << ": " << sections.dump().substr(0, 300);
    std::size_t rows = 0;
    for (const Json& section : sections) rows += section["tables"][0]["rows"].size();
    EXPECT_EQ(rows, clocked ? 61U : 55U) << one.gpu.folder << ": a row of front.yaml names nothing";
  }
}

}  // namespace
}  // namespace warpclock
