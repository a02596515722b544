#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "gpu/device/driver.hpp"

namespace warpclock {
namespace {

// Each kernel of the file but the last does what it must not; nothing else may be lost.
TEST(CheckOnAGpu, HostileKernelsAreFailedRows) {
  const testing::TemporaryFolder folder;
  setenv("WARPCLOCK_WATCHDOG_S", "4", 1);
  const auto result =
      run_process({WARPCLOCK_PROGRAM, "check", WARPCLOCK_SOURCE_DIR "/harness/check/testdata/hostile.yaml", "--reports",
                   WARPCLOCK_SOURCE_DIR "/reports", "--cache", folder / "cache", "--json"});
  unsetenv("WARPCLOCK_WATCHDOG_S");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 1) << result->err;
  const auto rows = nlohmann::json::parse(result->out)["rows"];
  ASSERT_EQ(rows.size(), 7U);
  const std::vector<std::string> codes = {"fault", "fault", "watchdog", "launch", "memory", "launch"};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    EXPECT_EQ(rows[i]["outcome"], "failed") << rows[i]["id"];
    EXPECT_EQ(rows[i]["reason"]["code"], codes[i]) << rows[i].dump();
  }
  EXPECT_EQ(rows[6]["outcome"], "measured") << rows[6].dump();
  EXPECT_EQ(rows[6]["estimates"][1]["name"], "cycles");
}

TEST(CheckOnAGpu, ComparesAProductOfMatricesWithCublas) {
  const testing::TemporaryFolder folder;
  const auto result = must(run_process({WARPCLOCK_PROGRAM, "check", WARPCLOCK_SOURCE_DIR "/configs/cases.yaml",
                                        "hgemm_stages*", "--no-counters", "--reports", WARPCLOCK_SOURCE_DIR "/reports",
                                        "--cache", folder / "cache", "--json"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 8U);
  for (const auto& row : rows) {
    ASSERT_EQ(row["outcome"], "measured") << row.dump();
    ASSERT_TRUE(row.contains("library")) << row.dump();
    if (row["library"].contains("missing")) {
      EXPECT_FALSE(load_cublas()) << row["library"]["missing"];
      continue;
    }
    EXPECT_EQ(row["library"]["call_us"].size(), row["call_us"].size());
    EXPECT_GT(row["library"]["share"], 0.05) << row["id"];
    EXPECT_LT(row["library"]["share"], 2) << row["id"];
  }
}

}  // namespace
}  // namespace warpclock
