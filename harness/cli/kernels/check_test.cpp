#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "answer/numbers/answer.hpp"
#include "base/files/file.hpp"
#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "cli/report_folder.hpp"
#include "record/testing/kernels.hpp"

namespace warpclock {
namespace {

/// Kernels: one without a loop, and two with one, whose trips the launch or data decide.
class CheckCommandTest : public ::testing::Test {
 protected:
  CheckCommandTest() {
    testing::write(folder_ / "scale.cu", R"(
extern "C" __global__ void scale(float* to, float by) { to[blockIdx.x * SIZE + threadIdx.x] *= by; }
extern "C" __global__ void repeat(float* to, int n) {
  float v = to[threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < n; ++i) v = v * v + 1;
  to[threadIdx.x] = v;
}
extern "C" __global__ void until(float* to) {
  float v = to[threadIdx.x];
  for (const long long begin = clock64(); clock64() - begin < 100;) v = v * 0.5f;
  to[threadIdx.x] = v;
}
)");
    testing::write(folder_ / "kernels.yaml", R"(kernels:
  - name: scale
    source: scale.cu
    kernel: scale
    sweep: {size: [64, 128]}
    grid: [sms, 4]
    block: size
    args: [{buffer: f32, count: [sms, 4, size], fill: ones}, {f32: 2.5}]
)");
  }

  ProcessResult check(std::vector<std::string> arguments, const char* file = "kernels.yaml") {
    arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "check", folder_ / file});
    arguments.insert(arguments.end(), {"--reports", WARPCLOCK_SOURCE_DIR "/reports", "--cache", folder_ / "cache"});
    return run_process(arguments).value();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CheckCommandTest, PredictsForANamedGpuAndWritesRows) {
  const auto text = check({"--gpu", "h200", "--out", folder_ / "out"});
  EXPECT_EQ(text.exit_code, 0) << text.err << text.out;
  EXPECT_THAT(text.out, StartsWith("costs of NVIDIA H200\n\nscale[size=64]\n    predicted  "));
  EXPECT_THAT(text.out, HasSubstr("2 skipped"));
  EXPECT_THAT(text.out, HasSubstr("nothing was measured: only predictions were asked for"));
  const auto table = must(read_record(folder_ / "out" + "/cases.json.gz", {{RecordFile::Cases}}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_GT(estimate_in(table.rows[0], "predicted")->low, 100);
  EXPECT_EQ(table.rows[1].kernel.block, (std::vector<std::int64_t>{128, 1, 1}));
  EXPECT_THAT(read_file(folder_ / "out" + "/cases.html").value(), HasSubstr("Kernels of the study"));

  const auto json = check({"--gpu", "h200", "--json", "size=128"});
  EXPECT_EQ(json_of(json.out)["rows"].size(), 1U);
}

TEST_F(CheckCommandTest, NeverReplacesMeasurementsByPredictions) {
  ASSERT_TRUE(write_record(folder_ / "out", testing::example_kernels()));
  const auto refused = check({"--gpu", "h200", "--out", folder_ / "out"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("has a measurement of copy[variant=plain]"));
  EXPECT_EQ(*read_record(folder_ / "out" + "/cases.json.gz", {{RecordFile::Cases}}),
            finished(testing::example_kernels()));
}

TEST_F(CheckCommandTest, NeverReplacesPredictionsByFailuresOfTheMachine) {
  ASSERT_EQ(check({"--gpu", "h200", "--out", folder_ / "out"}).exit_code, 0);
  const std::string before = must(read_file(folder_ / "out/cases.json.gz"));
  std::filesystem::remove_all(folder_ / "cache");
  const testing::Variable broken("WARPCLOCK_NVDISASM", testing::write_script(folder_ / "nvdisasm", "exit 1\n"));
  const auto failed = check({"--gpu", "h200", "--out", folder_ / "out"});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.err,
              AllOf(HasSubstr("it has scale[size=64], which failed here for reasons of this machine (nvdisasm"),
                    HasSubstr("the record does not say the version of nvdisasm")));
  EXPECT_EQ(must(read_file(folder_ / "out/cases.json.gz")), before);
}

TEST_F(CheckCommandTest, RowsWithoutAPredictionOrMachineCodeHaveTheReason) {
  testing::write(folder_ / "other.yaml", R"(kernels:
  - {name: unknown_trips, source: scale.cu, kernel: until, sweep: {size: [1]}, grid: 1, block: 32,
     args: [{buffer: f32, count: 32}]}
  - {name: known_trips, source: scale.cu, kernel: repeat, sweep: {size: [1]}, grid: 1, block: 32,
     args: [{buffer: f32, count: 32}, {i32: 9}]}
  - {name: too_few, source: scale.cu, kernel: repeat, sweep: {size: [1]}, grid: 1, block: 32,
     args: [{buffer: f32, count: 32}]}
  - {name: misspelt, source: scale.cu, kernel: repaet, sweep: {size: [1]}, grid: 1, block: 32}
  - {name: missing, source: none.cu, kernel: scale, grid: 1, block: 32}
)");
  const auto result = check({"--gpu", "h200", "--json"}, "other.yaml");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const auto rows = json_of(result.out)["rows"];
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_THAT(rows[0]["kernel"]["prediction"]["refused"].get<std::string>(), HasSubstr("has no trip count"));
  EXPECT_FALSE(rows[1]["kernel"]["prediction"].contains("refused")) << rows[1]["kernel"]["prediction"].dump();
  EXPECT_THAT(rows[2]["reason"]["text"].get<std::string>(), HasSubstr("take 8 bytes; the kernel wants 12"));
  EXPECT_THAT(rows[3]["reason"]["text"].get<std::string>(), HasSubstr("did you mean 'repeat'"));
  EXPECT_THAT(rows[4]["reason"]["text"].get<std::string>(), HasSubstr("none.cu"));
}

TEST_F(CheckCommandTest, GeneratesBlocksAndShowsTheirSource) {
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "check", "--blocks", "2", "--gpu", "h200"});
    arguments.insert(arguments.end(), {"--reports", WARPCLOCK_SOURCE_DIR "/reports", "--cache", folder_ / "cache"});
    return run_process(arguments).value();
  };
  const auto text = run({});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("block[seed=1,index=1,"));
  EXPECT_THAT(text.out, HasSubstr("\n2 skipped\n"));
  const auto other = run({"--seed", "7", "index=1,", "--json"});
  const auto rows = json_of(other.out)["rows"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0]["id"].get<std::string>(), StartsWith("block[seed=7,index=1,"));
  EXPECT_EQ(rows[0]["kernel"]["held_out"], true);

  const auto source = run({"--show", "index=1,"});
  EXPECT_THAT(source.out, StartsWith("// block[seed=1,index=1,"));
  testing::write(folder_ / "block.ptx", source.out);
  const auto inspected = run_process({WARPCLOCK_PROGRAM, "inspect", folder_ / "block.ptx", "--arch", "sm_90a"}).value();
  EXPECT_EQ(inspected.exit_code, 0) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("block_1"));
}

TEST_F(CheckCommandTest, SaysInALineWhyItCannot) {
  const auto message = [&](std::vector<std::string> arguments, const char* file = "kernels.yaml") {
    const auto result = check(std::move(arguments), file);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  testing::write(folder_ / "bad.yaml", "kernels:\n  - {name: a, soruce: b.cu, kernel: a, grid: 1, block: 1}\n");
  EXPECT_THAT(message({"--gpu", "h200"}, "bad.yaml"), HasSubstr("bad.yaml:2:"));
  EXPECT_THAT(message({"--gpu", "h200", "nothing"}), HasSubstr("no case matches 'nothing'"));
  EXPECT_THAT(message({"--gpu", "b200"}), HasSubstr("b200"));
  EXPECT_THAT(message({}, "none.yaml"), HasSubstr("none.yaml"));
  const auto neither = run_process({WARPCLOCK_PROGRAM, "check", "--gpu", "h200"}).value();
  EXPECT_EQ(neither.exit_code, 2);
  EXPECT_THAT(neither.err, HasSubstr("generate kernels by --blocks N"));
}

}  // namespace
}  // namespace warpclock
