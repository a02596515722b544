#include <gtest/gtest.h>

#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "cli/options/options.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

TEST(GpuChoice, OneGpuAnswersIfItIsChosenElseAllMeasuredOnes) {
  const std::filesystem::path h200 = std::filesystem::path(testing::cut_reports) / "nvidia-h200";
  EXPECT_THAT(answering_folders({"h200", testing::cut_reports}).value(), ElementsAre(h200));
  EXPECT_THAT(answering_folders({"", testing::cut_reports}).value(), ElementsAre(h200));
  EXPECT_FALSE(answering_folders({"h100", testing::cut_reports}));
  EXPECT_FALSE(answering_folders({"", testing::cut_reports + "/nvidia-h200"})) << "a GPU's folder is none of reports";
  EXPECT_EQ(load_machine({"h200", testing::cut_reports}).value(), testing::cut_machine());
}

ProcessResult exported(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "export"});
  return run_process(arguments).value();
}

TEST(Export, WritesTheModelOfAMeasuredGpu) {
  const auto json = exported({"json", "--gpu", "h200", "--reports", testing::cut_reports});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_THAT(json.out, StartsWith("{\"schema\":{\"major\":1,"));
  const auto file = exported({"json", "instructions.json"});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, HasSubstr("name it by --gpu instead of a FILE"));
  const auto xml = exported({"xml", "--gpu", "h200"});
  EXPECT_EQ(xml.exit_code, 2);
  EXPECT_THAT(xml.err, HasSubstr("name the FILE"));
  const std::string nowhere = ::testing::TempDir() + "no-such-folder";
  const auto lost =
      exported({"json", "--gpu", "h200", "--reports", testing::cut_reports, "--out", nowhere + "/x.json"});
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_THAT(lost.err, HasSubstr("there is no such folder"));
  EXPECT_FALSE(std::filesystem::exists(nowhere));
  EXPECT_EQ(run_process({WARPCLOCK_PROGRAM, "schema", "model"}).value().exit_code, 0);
}

}  // namespace
}  // namespace warpclock
