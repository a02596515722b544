#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "report/html.hpp"
#include "report/instruction_html.hpp"
#include "report/test_instructions.hpp"
#include "report/test_record.hpp"

namespace warpclock {
namespace {

/// Runs a script of this folder, named with its options, on the page. WARPCLOCK_PAGES names a folder that the pages are
/// left in.
void check_in_chromium(const std::vector<std::string>& script, const std::string& name, const std::string& page) {
  std::string folder = (std::filesystem::temp_directory_path() / "warpclock_html.XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + '/' + name;
  std::ofstream(path, std::ios::binary) << page;
  if (const char* kept = std::getenv("WARPCLOCK_PAGES")) {
    std::filesystem::copy_file(path, std::string(kept) + '/' + name, std::filesystem::copy_options::overwrite_existing);
  }
  std::vector<std::string> command = {"python3", WARPCLOCK_SOURCE_DIR "/harness/report/" + script[0], path};
  command.insert(command.end(), script.begin() + 1, script.end());
  const auto result = run_process(command, {.input = "", .timeout = std::chrono::minutes(4)});
  std::filesystem::remove_all(folder);
  if (!result && result.error().code == "process") GTEST_SKIP() << "python3: " << result.error().text;
  ASSERT_TRUE(result) << result.error().text;
  if (result->exit_code == 77) GTEST_SKIP() << result->out;
  EXPECT_EQ(result->exit_code, 0) << result->out << result->err;
  std::cout << result->out;
}

const std::vector<std::string> instructions_once = {"instruction_html_check.py", "--loads", "1"};

TEST(HtmlInChromium, TheReportStandsOnItsOwn) {
  check_in_chromium({"html_check.py"}, "report.html", render_html(testing::example_record()));
}

TEST(HtmlInChromium, TheInstructionsOfAGpuStandOnTheirOwn) {
  const std::vector<InstructionTable> tables = {testing::example_instructions()};
  check_in_chromium(instructions_once, "instructions.html", render_instruction_html(tables));
}

TEST(HtmlInChromium, TheInstructionsOfTwoGpusStandOnTheirOwn) {
  std::vector<InstructionTable> tables(2, testing::example_instructions());
  tables[1].device.name = "NVIDIA B200";
  tables[1].rows.erase(tables[1].rows.begin());
  check_in_chromium(instructions_once, "instructions-2.html", render_instruction_html(tables));
}

TEST(HtmlInChromium, ThreeThousandInstructionsStandOnTheirOwn) {
  const std::vector<InstructionTable> tables = {testing::many_instructions(3000)};
  check_in_chromium(instructions_once, "instructions-3000.html", render_instruction_html(tables));
}

}  // namespace
}  // namespace warpclock
