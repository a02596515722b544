#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/process.hpp"
#include "report/html.hpp"
#include "report/test_record.hpp"

namespace warpclock {
namespace {

TEST(HtmlInChromium, StandsOnItsOwn) {
  std::string folder = (std::filesystem::temp_directory_path() / "warpclock_html.XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string page = folder + "/report.html";
  std::ofstream(page, std::ios::binary) << render_html(testing::example_record());
  const auto result = run_process({"python3", WARPCLOCK_SOURCE_DIR "/harness/report/html_check.py", page},
                                  {.input = "", .timeout = std::chrono::minutes(4)});
  std::filesystem::remove_all(folder);
  if (!result && result.error().code == "process") GTEST_SKIP() << "python3: " << result.error().text;
  ASSERT_TRUE(result) << result.error().text;
  if (result->exit_code == 77) GTEST_SKIP() << result->out;
  EXPECT_EQ(result->exit_code, 0) << result->out << result->err;
}

}  // namespace
}  // namespace warpclock
