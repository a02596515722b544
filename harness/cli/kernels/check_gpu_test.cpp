#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/process.hpp"
#include "base/testing/files.hpp"

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
  EXPECT_GT(rows[6]["measurement"]["cycles"], 0);
}

}  // namespace
}  // namespace warpclock
