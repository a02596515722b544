#include "model/measured.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

const std::vector<std::string> names = {"nvidia-a100-40gb", "nvidia-a100-80gb", "nvidia-h100-80gb-hbm3", "nvidia-h200"};

TEST(ChooseGpu, ByItsFolderOrByWholePartsOfIt) {
  EXPECT_EQ(choose_gpu(names, "nvidia-h200"), "nvidia-h200");
  EXPECT_EQ(choose_gpu(names, "h200"), "nvidia-h200");
  EXPECT_EQ(choose_gpu(names, "H100"), "nvidia-h100-80gb-hbm3");
  EXPECT_EQ(choose_gpu(names, "a100-80gb"), "nvidia-a100-80gb");
}

TEST(ChooseGpu, SaysWhatThereIs) {
  EXPECT_THAT(choose_gpu(names, "a100").error().text, HasSubstr("nvidia-a100-40gb and nvidia-a100-80gb"));
  EXPECT_THAT(choose_gpu(names, "b200").error().text, HasSubstr("one of nvidia-a100-40gb, nvidia-a100-80gb"));
  EXPECT_THAT(choose_gpu(names, "nvidia-h20").error().text, HasSubstr("did you mean 'nvidia-h200'?"));
  EXPECT_FALSE(choose_gpu(names, "h20")) << "a part of a part";
  EXPECT_FALSE(choose_gpu(names, ""));
}

TEST(Reports, AreTheGivenFolderOrTheNearestOne) {
  EXPECT_EQ(find_reports(testing::cut_reports), testing::cut_reports);
  const testing::TemporaryFolder empty;
  EXPECT_THAT(find_reports(empty.path()).error().message(), HasSubstr(empty.path()));
  EXPECT_THAT(must(measured_gpus(testing::cut_reports)), ElementsAre("nvidia-h200"));
}

// Those of another folder would answer, or fewer GPUs.
TEST(Reports, AreNotPassedOverWhereTheyCannotBeRead) {
  const testing::TemporaryFolder folder;
  chmod(folder.path().c_str(), 0311);
  const testing::AsNobody nobody;
  EXPECT_THAT(failure_of(measured_gpus(folder.path())), IsError("io", HasSubstr("Permission denied")));
  EXPECT_THAT(failure_of(find_reports(folder.path())), IsError("io", HasSubstr("Permission denied")));
  EXPECT_THAT(failure_of(read_measured_gpu(folder.path(), "")), IsError("io", HasSubstr("Permission denied")));
}

TEST(MeasuredGpu, HasARecordOfEachFile) {
  const MeasuredGpu gpu = testing::cut_gpu();
  EXPECT_EQ(gpu.results.size(), 3U);
  EXPECT_TRUE(gpu.results.contains("kernels/result.json"));
  EXPECT_TRUE(gpu.instructions && gpu.machine);
}

TEST(MeasuredGpu, ADamagedRecordIsAnErrorWithItsPath) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "gpu");
  testing::write(folder / "gpu/machine.json", "{}");
  EXPECT_THAT(failure_of(read_measured_gpu(folder.path(), "gpu")).message(), HasSubstr("gpu/machine.json"));
}

}  // namespace
}  // namespace warpclock
