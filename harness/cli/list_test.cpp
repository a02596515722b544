#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

// What the owner of a GPU that was never measured is told before a run.
TEST(ListCounts, SayWhatARunWouldMeasureAndForHowLong) {
  const auto ran = must(
      run_process({WARPCLOCK_PROGRAM, "list", "--counts", "--suite", "full,smoke", "--arch", "B300,T4", "--json"}));
  EXPECT_EQ(ran.exit_code, 0);
  const auto all = json_of(ran.out);
  std::map<std::string, Json> rows;
  for (const auto& row : all["counts"])
    rows[row["arch"].get<std::string>() + " " + row["suite"].get<std::string>()] = row;
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_GT(rows["sm_103a full"]["cases"], rows["sm_75 full"]["cases"]);
  EXPECT_GT(rows["sm_75 full"]["lacking"], 0);
  EXPECT_GT(rows["sm_103a full"]["seconds"].get<double>(), rows["sm_75 full"]["seconds"].get<double>());
  EXPECT_FALSE(rows["sm_75 smoke"].contains("seconds")) << "no record of that suite says how long it takes";
  EXPECT_THAT(all["lacks"].dump(), HasSubstr("cp.async is sm_80 and later"));
  EXPECT_THAT(all["notes"].dump(), HasSubstr("./bootstrap run --suite SUITE"));
}

}  // namespace
}  // namespace warpclock
