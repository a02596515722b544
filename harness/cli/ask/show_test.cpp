#include <gtest/gtest.h>

#include <algorithm>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

ProcessResult show(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "show"});
  arguments.insert(arguments.end(), {"--reports", WARPCLOCK_SOURCE_DIR "/reports"});
  return run_process(arguments).value();
}

TEST(Show, PrintsTheRowsOfAllGpusSideBySide) {
  const auto ran = show({"geometry/conflict[bytes=4]"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              ::testing::StartsWith("geometry/conflict\n  question       What does a shared-memory load cost"));
  EXPECT_THAT(ran.out, HasSubstr("load H100, cycles  load H200, cycles"));
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("\n +4 +32 +32\\.00[^\n]* +32\\.00"));
  EXPECT_THAT(ran.out, HasSubstr("nvidia-h200/memory/report.html#probe:geometry/conflict\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\n     16  ")));
}

TEST(Show, FindsAProbeByItsLastNameAndAFamilyByIts) {
  EXPECT_THAT(show({"setmaxnreg"}).out, ::testing::StartsWith("synchronization/setmaxnreg\n"));
  const auto family = show({"geometry"});
  EXPECT_THAT(family.out, HasSubstr("\n  geometry/bank "));
  EXPECT_THAT(family.out, Not(HasSubstr("memory/chase")));
  const auto misspelled = show({"conflct"});
  EXPECT_EQ(misspelled.err, "warpclock: no probe is called 'conflct' (did you mean 'conflict'?)\n");
  EXPECT_EQ(misspelled.exit_code, 2);
}

TEST(Show, SaysWhatAFilterCouldBe) {
  const auto none = show({"geometry/conflict[at=5]"});
  EXPECT_THAT(none.err, HasSubstr("has no row with at=5; at is 1, 2, 4, 8, 16, 32"));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(show({"geometry/conflict[wraps=5]"}).err, HasSubstr("has no parameter 'wraps' (one of"));
  EXPECT_THAT(show({"geometry/conflict[at]"}).err, HasSubstr("expected [PARAMETER=VALUE,...]"));
  EXPECT_THAT(show({"geometry/conflict[at=4"}).err, HasSubstr("no ] at the end"));
  EXPECT_THAT(show({"bar", "--suite", "nosuch"}).err, HasSubstr("these reports have no suite 'nosuch'"));
}

TEST(Show, RowsWithoutANumberSayWhy) {
  const auto ran = show({"peer/read", "--suite", "memory"});
  EXPECT_THAT(ran.out, HasSubstr("H100, H200: there is no second GPU"));
}

TEST(Show, ForPrograms) {
  const Json json = json_of(show({"geometry/conflict[bytes=4,at=4]", "--json", "--gpu", "h200"}).out);
  EXPECT_EQ(json.at("title"), "geometry/conflict");
  ASSERT_EQ(json.at("rows").size(), 1U);
  const Json& row = json.at("rows").at(0);
  EXPECT_EQ(row.at("id"), "geometry/conflict[pattern=degree,bytes=4,at=4]");
  EXPECT_EQ(row.at("at"), 4);
  EXPECT_EQ(row.at("load.h200"), 4.0);
  EXPECT_EQ(row.at("load.h200.unit"), "cycles");
  EXPECT_FALSE(row.contains("load.h100"));
  const auto csv = lines(show({"geometry/conflict", "--csv"}).out);
  ASSERT_EQ(csv.size(), 1U + 2U + 1U + 1U + 18U) << "the answers, a blank line, the rows";
  EXPECT_THAT(csv.at(4), ::testing::StartsWith("id,bytes,at,load.h100,"));
}

TEST(Show, ListsAllProbesByTopic) {
  const auto ran = show({});
  for (const char* family : {"async_copy", "atomics", "bandwidth", "geometry", "memory", "synchronization", "wgmma"})
    EXPECT_THAT("\n" + ran.out, HasSubstr("\n" + std::string(family) + "\n")) << family;
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("synchronization/elect +elapsed +22 +22 +cycles"));
  const Json json = json_of(show({"--json"}).out);
  EXPECT_GT(json.at("probes").size(), 250U);
  EXPECT_TRUE(std::ranges::all_of(json.at("probes"), [](const Json& probe) { return probe.contains("question"); }));
}

}  // namespace
}  // namespace warpclock
