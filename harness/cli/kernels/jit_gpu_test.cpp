#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

ProcessResult compared(const std::string& file, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {WARPCLOCK_PROGRAM, "jit", file, "--json"});
  return run_process(options).value();
}

TEST(JitOnAGpu, ComparesEachKernelOfEachTarget) {
  const auto result = compared(WARPCLOCK_SOURCE_DIR "/harness/inspect/testdata/jit.cu");
  ASSERT_LT(result.exit_code, 2) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["targets"].size(), 2U);
  bool same = true;
  for (const auto& target : json["targets"]) {
    EXPECT_FALSE(target.contains("refused")) << target.dump();
    EXPECT_EQ(target["ptxas_arch"], target["driver_arch"]);
    // The driver assembles in each load, so that a load of the cubin is faster.
    EXPECT_GT(target["jit_ms"][0], target["load_ms"][0]);
  }
  EXPECT_EQ(json["kernels"].size(), 10U);
  for (const auto& kernel : json["kernels"]) {
    EXPECT_THAT(kernel["difference"], ::testing::AnyOf("same", "control", "operands", "instructions")) << kernel.dump();
    same = same && kernel["difference"] == "same";
  }
  EXPECT_EQ(result.exit_code, same ? 0 : 1);
}

TEST(JitOnAGpu, NamesTheStatementThatDoesNotAssemble) {
  const testing::TemporaryFolder folder;
  testing::write(folder / "a.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry a() {\n  bogus;\n}\n");
  const auto result = compared(folder / "a.ptx");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("a.ptx: "));
  EXPECT_THAT(result.err, HasSubstr("bogus"));
}

}  // namespace
}  // namespace warpclock
