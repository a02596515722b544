#include "measure/compile_cases.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "compile/testing/probes.hpp"
#include "measure/inputs.hpp"
#include "plan/plan.hpp"

namespace warpclock {
namespace {

class CaseCompilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    inputs_ = must(load_inputs({}));
    auto cases = plan(inputs_.suite, testing::arch("sm_90a"), Filter{"full", {"shuffle/latency"}});
    ASSERT_TRUE(cases) << cases.error().message();
    cases_ = *std::move(cases);
    ASSERT_GT(cases_.size(), 4U);
    options_.cache_dir = folder_.path();
    options_.quiet = true;
  }

  testing::TemporaryFolder folder_;
  Inputs inputs_;
  std::vector<Case> cases_;
  CompileCasesOptions options_;
};

TEST_F(CaseCompilerTest, FindsInPartsWhatIsFoundOfAllAtOnce) {
  const auto all = must(compile_cases(cases_, inputs_.sources, options_));
  std::vector<CompiledCase> compiled;
  CaseCompiler compiler(cases_, inputs_.sources, options_, compiled);
  ASSERT_EQ(compiled.size(), cases_.size());
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    ASSERT_TRUE(compiler.wait(i));
    EXPECT_TRUE(compiled[i].verified()) << cases_[i].id;
    ASSERT_EQ(compiled[i].verdicts.size(), all[i].verdicts.size());
    EXPECT_EQ(compiled[i].verdicts[0].sass_hash, all[i].verdicts[0].sass_hash) << cases_[i].id;
  }
  EXPECT_GT(must(compiler.finish()), 0);
}

TEST(WhyNoneCompiled, IsSaidOnceWhereItIsTheMachine) {
  using Builds = std::vector<Expected<Build>>;
  const auto failed = [](const char* text, const char* place = "") { return fail("compile-error", text, place); };
  const auto why = must(why_none_compiled(
      Builds{failed("no libnvrtc-builtins"), fail("unsupported-arch", "sm_80"), failed("no libnvrtc-builtins")}));
  EXPECT_EQ(why.code, "compile-error");
  EXPECT_TRUE(
      why.text.starts_with("none of 2 kernels could be compiled, all for the same reason: no libnvrtc-builtins"))
      << why.text;
  EXPECT_FALSE(why_none_compiled(Builds{failed("a"), failed("b")})) << "two reasons";
  EXPECT_FALSE(why_none_compiled(Builds{failed("a"), Build{}})) << "one compiled";
  EXPECT_FALSE(why_none_compiled(Builds{failed("a")})) << "one kernel has a row of its own";
  EXPECT_FALSE(why_none_compiled(Builds{failed("a", "f.cu:1"), failed("a", "f.cu:1")})) << "a mistake in a source";
  EXPECT_FALSE(why_none_compiled({}));
}

TEST_F(CaseCompilerTest, SaysThatThereIsNoDisassembler) {
  options_.nvdisasm = folder_.path() + "/none";
  std::vector<CompiledCase> compiled;
  CaseCompiler compiler(cases_, inputs_.sources, options_, compiled);
  EXPECT_EQ(compiler.wait(cases_.size() - 1).error().code, "nvdisasm");
  EXPECT_EQ(compiler.finish().error().code, "nvdisasm");
}

TEST_F(CaseCompilerTest, EndsWithTheFirstPartWhenNobodyWaitsForTheRest) {
  std::vector<CompiledCase> compiled;
  { const CaseCompiler compiler(cases_, inputs_.sources, options_, compiled); }
  EXPECT_TRUE(compiled.front().verified());
  EXPECT_FALSE(compiled.back().verified());
}

TEST_F(CaseCompilerTest, OfNoCasesIsDoneAtOnce) {
  const std::vector<Case> none;
  std::vector<CompiledCase> compiled;
  CaseCompiler compiler(none, inputs_.sources, options_, compiled);
  EXPECT_TRUE(compiler.finish());
}

}  // namespace
}  // namespace warpclock
