#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "inspect/testing/recorded.hpp"

namespace warpclock {
namespace {

const std::string kernels_file = testing::inspect_data + "kernels.cubin";

ProcessResult advised(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "advise"});
  arguments.insert(arguments.end(), {"--reports", WARPCLOCK_SOURCE_DIR "/reports"});
  return run_process(arguments).value();
}

TEST(AdviseCommand, AnswersEachQuestionOfBothGpus) {
  for (const std::string gpu : {"h200", "h100"}) {
    for (const std::vector<std::string>& question : std::vector<std::vector<std::string>>{
             {"pipeline", "--tile", "128x128x64", "--type", "f16", "--from", "dram"},
             {"bandwidth", "--level", "DRAM", "--bytes", "1073741824", "--warps", "16", "--width", "8"},
             {"swizzle", "--row-bytes", "64", "--access", "stmatrix"},
             {"attention", "--head", "64", "--keys", "64", "--type", "bf16", "--degree", "4"},
             {"occupancy", kernels_file, "--block", "256", "--shared", "100000", "--kernel", "nested"}}) {
      std::vector<std::string> arguments = question;
      arguments.insert(arguments.end(), {"--gpu", gpu});
      if (gpu == "h200") arguments.emplace_back("--json");
      const auto ran = advised(arguments);
      EXPECT_EQ(ran.exit_code, 0) << join(arguments, " ") << ran.err;
      if (gpu == "h100") {
        EXPECT_THAT(ran.out, StartsWith("NVIDIA H100 80GB HBM3"));
        EXPECT_THAT(ran.out, HasSubstr("\nrows\n"));
        continue;
      }
      const auto answer = json_of(ran.out);
      EXPECT_TRUE(answer.contains(question[0])) << question[0];
      EXPECT_FALSE(answer["used"].empty()) << question[0];
      for (const auto& used : answer["used"]) EXPECT_EQ(used["gpu"], "NVIDIA H200");
    }
  }
}

TEST(AdviseCommand, SaysInALineWhyItCannot) {
  const auto message = [](std::vector<std::string> arguments) {
    const auto result = advised(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
    return result.err;
  };
  EXPECT_THAT(message({"pipelin"}), HasSubstr("did you mean 'pipeline'?"));
  EXPECT_THAT(message({"pipeline"}), EndsWith("advise pipeline needs --tile\n"));
  EXPECT_THAT(message({"occupancy"}), EndsWith("advise occupancy needs a FILE\n"));
  EXPECT_THAT(message({"bandwidth"}), EndsWith("advise bandwidth needs --from\n"));
  EXPECT_THAT(message({"swizzle", "--row-bytes", "64"}), EndsWith("advise swizzle needs --access\n"));
  EXPECT_THAT(message({"swizzle", "--access", "ldmatrix", "--head", "64"}),
              EndsWith("advise swizzle has no --head; it has --row-bytes, --access\n"));
  EXPECT_THAT(message({"pipeline", kernels_file, "--tile", "64x64x64"}), HasSubstr("advise pipeline has no file"));
  EXPECT_THAT(message({"pipeline", "--tile", "100x128x64"}), HasSubstr("100x128x64: --tile: wgmma multiplies 64 rows"));
  EXPECT_THAT(message({"pipeline", "--tile", "64x64x64", "--from", "drm"}), HasSubstr("did you mean 'dram'?"));
  EXPECT_THAT(message({"attention", "--type", "f61"}), HasSubstr("did you mean 'f16'?"));
  EXPECT_THAT(message({"swizzle", "--access", "ldmatix"}), HasSubstr("did you mean 'ldmatrix'?"));
  EXPECT_THAT(message({"attention", "--gpu", "b200"}), HasSubstr("there are no reports of 'b200'"));
  EXPECT_THAT(message({"occupancy", kernels_file, "--kernel", "nestd"}), HasSubstr("did you mean 'nested'?"));
  EXPECT_THAT(message({"occupancy", WARPCLOCK_SOURCE_DIR "/README.md"}), HasSubstr("README.md"));
  EXPECT_THAT(message({"bandwidth", "--level", "l2", "--warps", "0"}), HasSubstr("--warps"));
  EXPECT_THAT(message({"bandwidth", "--level", "l2", "--width", "3"}), HasSubstr("--width"));
  EXPECT_THAT(message({"bandwidth", "--level", "l2", "--bytes", "-1"}), HasSubstr("--bytes"));
}

TEST(AdviseCommand, IsInHelpCompletionAndSchemas) {
  const auto said = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {WARPCLOCK_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_process(command).value().out;
  };
  EXPECT_THAT(said({"advise", "--help"}), HasSubstr("warpclock advise swizzle --row-bytes 64 --access ldmatrix"));
  EXPECT_THAT(said({"completion", "bash"}), HasSubstr("    advise)\n"));
  EXPECT_THAT(said({"completion", "bash"}), HasSubstr("words=\"attention bandwidth occupancy pipeline swizzle\""));
  EXPECT_EQ(json_of(said({"schema", "advise"}))["title"], "warpclock advice");
}

}  // namespace
}  // namespace warpclock
