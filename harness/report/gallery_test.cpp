#include "report/gallery.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/kernels.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

TEST(Gallery, IsTheAcceptedTable) {
  Record other = testing::example_record();
  other.device.name = "NVIDIA B200";
  other.device.arch = "sm_100a";
  other.device.sms = 148;
  other.provenance.dirty = true;
  std::erase_if(other.cases, [](const CaseRecord& one) { return one.family == "matrix"; });
  testing::expect_golden(
      "gallery.md", render_gallery({.records = {{"nvidia-b200", other}, {"nvidia-h200", testing::example_record()}}}));
}

TEST(Gallery, ListsInstructionsWithOrWithoutAReport) {
  const InstructionTable table = testing::example_instructions();
  const std::string one = render_gallery({.tables = {{"nvidia-h200", table}}});
  EXPECT_THAT(one, HasSubstr("[NVIDIA H200](nvidia-h200/instructions.md) | 5 | 1 | 1 | 2 |"));
  EXPECT_THAT(one, HasSubstr("(nvidia-h200/instructions.html)"));
  EXPECT_THAT(one, Not(HasSubstr("(instructions.html)")));
  EXPECT_THAT(render_gallery({.tables = {{"a", table}, {"b", table}}}), HasSubstr("[Side by side](instructions.html)"));
}

TEST(Gallery, ListsTheErrorsOfKernels) {
  const std::string text = render_gallery({.kernels = {{"nvidia-h200", testing::example_kernels()}}});
  EXPECT_THAT(text, HasSubstr("[NVIDIA Fake 9000](nvidia-h200/cases.md) | 5 | 3 | 5.2 | -52.5 | 1 of 2 |"));
  EXPECT_THAT(text, HasSubstr("[errors](nvidia-h200/cases.html), [data](nvidia-h200/cases.json.gz)"));
}

TEST(Gallery, ListsMachineInstructions) {
  const std::string text = render_gallery({.machines = {{"nvidia-h200", testing::example_machine()}}});
  EXPECT_THAT(text, HasSubstr("[NVIDIA H200](nvidia-h200/machine.md) | 4 | 2 | 2026-01-15 |"));
  EXPECT_THAT(text, HasSubstr("(nvidia-h200/machine.html)"));
  EXPECT_THAT(text, HasSubstr("`machine.json.gz` are the records"));
  EXPECT_THAT(render_gallery({}), Not(HasSubstr("achine")));
}

TEST(Gallery, ListsTheSuitesOfAGpu) {
  Record memory = testing::example_record();
  std::erase_if(memory.cases, [](const CaseRecord& one) { return one.family == "matrix"; });
  Record rest = testing::example_record();
  std::erase_if(rest.cases, [](const CaseRecord& one) { return one.family != "matrix"; });
  const std::string text = render_gallery({.records = {{"nvidia-h200", rest}, {"nvidia-h200/memory", memory}}});
  EXPECT_THAT(text, HasSubstr("[NVIDIA H200, memory](nvidia-h200/memory/report.md)"));
}

TEST(Gallery, LinksOfOneGpuDiffer) {
  const KernelTable table = testing::example_kernels();
  const std::string text = render_gallery({.kernels = {{"nvidia-h200", table}, {"nvidia-h200/blocks", table}}});
  EXPECT_THAT(text, HasSubstr("[" + table.device.name + "](nvidia-h200/cases.md)"));
  EXPECT_THAT(text, HasSubstr("[" + table.device.name + ", blocks](nvidia-h200/blocks/cases.md)"));
}

TEST(Gallery, AFolderWithOddCharactersIsStillALink) {
  const std::string text = render_gallery({.records = {{"my gpu)|", Record{}}}});
  EXPECT_THAT(text, HasSubstr("[my gpu)\\|](my%20gpu%29%7C/report.md)"));
}

}  // namespace
}  // namespace warpclock
