#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "inspect/inspect.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "predict/predict.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"
#include "report/html/html.hpp"
#include "report/instructions/instruction_pages.hpp"
#include "report/instructions/machine_pages.hpp"

namespace warpclock {
namespace {

/// Runs a script of this folder, given with its options, on a page or none. Returns 77 if no browser can run it.
int run_script(const std::vector<std::string>& script, const std::string& path, std::string& said) {
  std::vector<std::string> command = {"python3", WARPCLOCK_SOURCE_DIR "/harness/report/html/" + script[0]};
  if (!path.empty()) command.push_back(path);
  command.insert(command.end(), script.begin() + 1, script.end());
  const auto result = run_process(command, {.input = "", .timeout = std::chrono::minutes(4)});
  said = result ? result->out + result->err : result.error().text;
  if (!result) return result.error().code == "process" ? 77 : 1;
  return result->exit_code;
}

/// Runs the script on the result of `page` if there is a browser, because large pages take a while. WARPCLOCK_PAGES
/// names a folder in which the pages are kept.
void check_in_chromium(const std::vector<std::string>& script, const std::string& name,
                       const std::function<std::string()>& page) {
  const char* const kept = std::getenv("WARPCLOCK_PAGES");
  std::string said;
  if (kept == nullptr && run_script(script, {}, said) == 77) GTEST_SKIP() << said;
  const testing::TemporaryFolder folder;
  const std::string path = folder / name;
  testing::write(path, page());
  if (kept != nullptr) {
    std::filesystem::copy_file(path, std::string(kept) + '/' + name, std::filesystem::copy_options::overwrite_existing);
  }
  const int status = run_script(script, path, said);
  if (status == 77) GTEST_SKIP() << said;
  EXPECT_EQ(status, 0) << said;
  std::cout << said;
}

const std::vector<std::string> instructions_once = {"instruction_html_check.py", "--loads", "1"};

TEST(HtmlInChromium, TheReportStandsOnItsOwn) {
  check_in_chromium({"html_check.py"}, "report.html", [] { return render_html(testing::example_record()); });
}

TEST(HtmlInChromium, TheInstructionsOfAGpuStandOnTheirOwn) {
  const std::vector<InstructionTable> tables = {testing::example_instructions()};
  check_in_chromium(instructions_once, "instructions.html", [&] { return render_instruction_html(tables); });
}

TEST(HtmlInChromium, TheInstructionsOfTwoGpusStandOnTheirOwn) {
  std::vector<InstructionTable> tables(2, testing::example_instructions());
  tables[1].device.name = "NVIDIA B200";
  tables[1].rows.erase(tables[1].rows.begin());
  check_in_chromium(instructions_once, "instructions-2.html", [&] { return render_instruction_html(tables); });
}

TEST(HtmlInChromium, ThreeThousandInstructionsStandOnTheirOwn) {
  check_in_chromium(instructions_once, "instructions-3000.html", [] {
    const std::vector<InstructionTable> tables = {testing::many_instructions(3000)};
    return render_instruction_html(tables);
  });
}

TEST(HtmlInChromium, AnInspectionStandsOnItsOwn) {
  check_in_chromium({"inspection_html_check.py"}, "inspection.html", [] {
    return render_inspection(inspect("kernels.cubin", testing::recorded_kernels(), {}).value());
  });
}

TEST(HtmlInChromium, ATimelineShowsTheLimiter) {
  check_in_chromium({"prediction_html_check.py"}, "prediction.html", [] {
    const Machine machine = testing::committed_machine("nvidia-h200");
    PredictOptions options{.blocks = 132, .threads = 512};
    options.trips[0] = 64;
    options.level = MemoryLevel::L2;
    options.timeline = 2000;
    return render_predictions({predict(testing::recorded_kernel("spills"), machine, options).value()});
  });
}

TEST(HtmlInChromium, TheMachineInstructionsStandOnTheirOwn) {
  check_in_chromium(instructions_once, "machine.html", [] {
    PagePlace place;
    for (const char* name : {"full", "kernels", "memory", "peer", "instructions"})
      place.links.push_back({name, "machine.html", ""});
    return render_machine_html(testing::example_machine(), place);
  });
}

TEST(HtmlInChromium, TheCommittedPagesLeadToEachOtherAndAreFound) {
  std::string said;
  const int status = run_script({"pages_check.py"}, WARPCLOCK_SOURCE_DIR "/reports/index.html", said);
  if (status == 77) GTEST_SKIP() << said;
  EXPECT_EQ(status, 0) << said;
  std::cout << said;
}

TEST(HtmlInChromium, FifteenHundredMachineInstructionsStandOnTheirOwn) {
  check_in_chromium(instructions_once, "machine-1500.html",
                    [] { return render_machine_html(testing::many_machine(1500)); });
}

}  // namespace
}  // namespace warpclock
