#include <gtest/gtest.h>

#include "answer/numbers/answer.hpp"
#include "base/files/marked.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/kernels.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/memory.hpp"
#include "record/testing/record.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

struct Example {
  Record record = finished(testing::example_record()), memory = finished(testing::memory_record());
  Record instructions = testing::example_instructions();
  Record machine = testing::example_machine();
  Record kernels = testing::example_kernels();

  [[nodiscard]] ReportedGpu gpu(const std::string& folder) const {
    return {.folder = folder,
            .results = {{"", &record}, {"memory", &memory}},
            .table = &instructions,
            .machine = &machine,
            .kernels = {{"", &kernels}, {"blocks", &kernels}}};
  }
};

TEST(Summary, OfAGpuIsTheAcceptedText) {
  const Example example;
  testing::expect_golden("gpu_summary.md", render_gpu_summary(example.gpu("nvidia-h200")));
}

TEST(Summary, OfAllGpusIsTheAcceptedText) {
  const Example one;
  Example other;
  other.record.device.name = "NVIDIA B200";
  testing::expect_golden("summary.md", render_summary({other.gpu("my gpu)|"), one.gpu("nvidia-h200")}));
  EXPECT_TRUE(is_marked(render_summary({})));
}

TEST(Summary, HasALineForEachProbeThatLeadsToItsPart) {
  const Example example;
  const std::string text = render_gpu_summary(example.gpu("x"));
  for (const ProbeRecord& probe : example.record.probes)
    EXPECT_THAT(text, HasSubstr("\n| [" + probe.name + "](report.html#probe:" + probe.name + ") | ")) << probe.name;
}

TEST(Summary, NoTextOfARecordBreaksALine) {
  Example example;
  const auto lines_of = [&] { return std::ranges::count(render_gpu_summary(example.gpu("x")), '\n'); };
  const auto before = lines_of();
  for (const std::string poison : {"a\nb", "| x |", "`", "``\r\n#", "<b>"}) {
    for (ProbeRecord& probe : example.record.probes) probe.asks = poison;
    example.record.device.chip = example.record.device.name = poison;
    EXPECT_EQ(lines_of(), before) << poison;
  }
}

}  // namespace
}  // namespace warpclock
