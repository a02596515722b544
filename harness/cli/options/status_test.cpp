#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

const std::string h200 = testing::cut_reports + "/nvidia-h200/";

/// `warpclock gate` of two files of harness/inspect/testdata.
std::vector<std::string> gate(const std::string& before, const std::string& after) {
  const std::string folder = WARPCLOCK_SOURCE_DIR "/harness/";
  return {"gate",
          folder + "inspect/testdata/" + before,
          folder + "inspect/testdata/" + after,
          "--launches",
          folder + "gate/testdata/launches.yaml",
          "--reports",
          WARPCLOCK_SOURCE_DIR "/reports"};
}

struct Called {
  std::vector<std::string> arguments;
  int exit_code;
};

/// 0: all well. 1: something was rejected, failed or differs. 2: the command could not be carried out.
const std::vector<Called>& calls() {
  static const std::vector<Called> all = {
      {{"cycles", "--gpu", "h200", "--reports", testing::cut_reports, "ldmatrix.x4"}, 0},
      {{"cycles", "--sass", "--gpu", "h200", "--reports", testing::cut_reports, "FFMA R1, R2, R3, R4"}, 0},
      {{"verify", "--quick", "--arch", "sm_90a", "baseline/empty"}, 0},
      {{"verify", "--quick", "--arch", "sm_80", "wgmma/cost", "--suite", "all"}, 0},
      {{"verify", "nothing/such"}, 2},
      {{"list", "--suite", "all", "wgmma/cost"}, 0},
      {{"list", "--suite", "nosuch"}, 2},
      {{"catalogue", "--list", "fp32/fma"}, 0},
      {{"catalogue", "--list", "-q", "--exclusive", "fp32/fma"}, 0},
      {{"catalogue", "--list", "nosuch"}, 2},
      {{"catalogue", "--arch", "sm_90a", "fp32/fma.rn.f32"}, 0},
      {{"compare", h200 + "result.json", h200 + "result.json"}, 0},
      {{"compare", h200 + "result.json", h200 + "memory/result.json"}, 1},
      {{"compare", h200 + "result.json", h200 + "machine.json"}, 2},
      {{"replay", h200 + "machine.json"}, 2},
      {{"report", testing::cut_reports, "--check"}, 1},
      {{"report", WARPCLOCK_SOURCE_DIR "/probes", "--check"}, 2},
      {{"fleet", testing::cut_reports}, 0},
      {{"fleet", testing::cut_reports, "--expect", "3"}, 0},
      {{"fleet", testing::cut_reports, "--expect", "2"}, 1},
      {{"fleet", testing::cut_reports, "--expect", "/nowhere/gpus.txt"}, 2},
      {{"fleet", WARPCLOCK_SOURCE_DIR "/probes"}, 2},
      {{"fleet", testing::cut_reports, "--gate", h200 + "result.json"}, 2},
      {{"guide", h200 + "result.json"}, 2},
      {{"inspect", WARPCLOCK_SOURCE_DIR "/harness/inspect/testdata/kernels.cubin"}, 0},
      {{"inspect", h200 + "result.json"}, 2},
      {gate("jit_ptxas.cubin", "jit_ptxas.cubin"), 0},
      {gate("jit_ptxas.cubin", "jit_driver.cubin"), 1},
      {gate("jit_ptxas.cubin", "kernels.cubin"), 2},
      {{"gate", "nowhere", "nowhere", "--launches", "nowhere"}, 2},
      {{"advise", "swizzle", "--access", "ldmatrix", "--reports", testing::cut_reports}, 0},
      {{"advise", "pipeline", "--tile", "128x128x64", "--reports", testing::cut_reports}, 0},
      {{"advise", "pipeline", "--reports", testing::cut_reports}, 2},
      {{"advise", "occupancy", h200 + "result.json", "--reports", testing::cut_reports}, 2},
  };
  return all;
}

TEST(Status, IsOfOneTableForAllCommandsWithAndWithoutJson) {
  for (const Called& call : calls()) {
    std::vector<std::string> command = call.arguments;
    const std::string said = join(command, " ");
    command.insert(command.begin(), WARPCLOCK_PROGRAM);
    EXPECT_EQ(run_process(command)->exit_code, call.exit_code) << said;
    command.emplace_back("--json");
    const auto ran = run_process(command).value();
    EXPECT_EQ(ran.exit_code, call.exit_code) << said << " --json: " << ran.err;
    if (call.exit_code < 2) {
      EXPECT_TRUE(nlohmann::json::accept(ran.out)) << said;
    }
  }
}

TEST(Status, OfAGateIsOneIfAGpuIsMissing) {
  const testing::TemporaryFolder folder;
  const auto fleet = [&](const char* option, const std::string& expected) {
    return run_process(
               {WARPCLOCK_PROGRAM, "fleet", h200 + "kernels", option, folder / "baseline.json", "--expect", expected})
        ->exit_code;
  };
  EXPECT_EQ(fleet("--write-baseline", "1"), 0);
  EXPECT_EQ(fleet("--gate", "1"), 0);
  EXPECT_EQ(fleet("--gate", "2"), 1);
}

// It would take the place of one of more GPUs.
TEST(Status, OfABaselineIsTwoIfARecordCannotBeRead) {
  const testing::TemporaryFolder folder;
  const auto fleet = [&] {
    return run_process({WARPCLOCK_PROGRAM, "fleet", folder.path(), "--write-baseline", folder / "baseline.json"})
        .value();
  };
  for (const char* gpu : {"a", "b"}) std::filesystem::create_directory(folder / gpu);
  std::filesystem::copy(h200 + "kernels/result.json", folder / "a/result.json");
  EXPECT_EQ(fleet().exit_code, 0);
  const std::string before = must(read_file(folder / "baseline.json"));
  testing::write(folder / "b/result.json", "damaged");
  EXPECT_EQ(fleet().exit_code, 2);
  EXPECT_THAT(fleet().err, HasSubstr("no baseline is written: b/result.json: "));
  EXPECT_EQ(must(read_file(folder / "baseline.json")), before);
}

/// The program with its standard output led elsewhere by a shell.
ProcessResult redirected(std::vector<std::string> arguments, const std::string& redirection) {
  arguments.insert(arguments.begin(), {"sh", "-c", "exec \"$0\" \"$@\" " + redirection, WARPCLOCK_PROGRAM});
  return run_process(arguments).value();
}

TEST(Status, IsTwoIfOutputWasLost) {
  std::vector<std::vector<std::string>> all = {{"--help"},
                                               {"--version"},
                                               {"cycles", "--help"},
                                               {"schema", "model"},
                                               {"completion", "bash"},
                                               {"doctor"},
                                               {"export", "json", "--gpu", "h200", "--reports", testing::cut_reports}};
  const auto expect_loss = [](const std::vector<std::string>& command, const std::string& redirection) {
    const auto ran = redirected(command, redirection);
    EXPECT_EQ(ran.exit_code, 2) << join(command, " ") << redirection;
    EXPECT_THAT(ran.err, HasSubstr("standard output: a part of the output was lost: ")) << join(command, " ");
  };
  for (const auto& command : all) expect_loss(command, ">&-");
  for (const Called& call : calls())
    if (call.exit_code < 2) all.push_back(call.arguments);
  for (const auto& command : all) expect_loss(command, "> /dev/full");
}

TEST(Status, IsNotThatOfOutputIfNothingIsPrinted) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> command = {
      "export", "csv", "--gpu", "h200", "--reports", testing::cut_reports, "--out", folder / "table.csv"};
  EXPECT_EQ(redirected(command, ">&- 2>&- <&-").exit_code, 0);
  EXPECT_THAT(read_file(folder / "table.csv").value(), StartsWith("section,name,leaf,"));
}

}  // namespace
}  // namespace warpclock
