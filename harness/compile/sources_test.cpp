#include "compile/sources.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

using testing::make_case;

/// Paths of the probes and headers that contain `what` outside comments.
std::set<std::string> probes_with(std::string_view what) {
  std::set<std::string> paths;
  for (const auto& [path, text] : embedded_probes()) {
    for (const std::string& line : lines(text)) {
      if (line.substr(0, line.find("//")).find(what) != std::string::npos) paths.insert(path);
    }
  }
  return paths;
}

// One try_wait gives up after some 7,900 cycles, and the next arrival faults.
TEST(Probes, WaitForMbarriersByOneVocabulary) {
  // These probes measure the cost of a wait: they count failed attempts, or retry themselves.
  const std::set<std::string> subjects{"bulk_copy/load_wait.cu", "synchronization/handoff.cu",
                                       "synchronization/handoff_cluster.cu", "synchronization/mbarrier.cu",
                                       "synchronization/try_wait.cu"};
  std::set<std::string> bare = probes_with("mbarrier.try_wait");
  bare.merge(probes_with("mbarrier.test_wait"));
  EXPECT_EQ(bare.erase("mbarrier.cuh"), 1U);
  // Kernels of `check` wait without end, as those of users do; the time limit of their worker ends them.
  EXPECT_EQ(bare.erase("cases/async.cuh"), 1U);
  EXPECT_EQ(bare, subjects) << "use await_over() of probes/mbarrier.cuh";
}

TEST(Probes, AskOnceOnlyForWhatIsSoonOver) {
  // Each waits for 16 bytes per copy, for its own arrival, for one copy at a time on one SM at a time, or for one step
  // of a product.
  const std::set<std::string> soon{"async_copy/barrier.cu",
                                   "bulk_copy/barrier.cu",
                                   "bulk_copy/issue.cu",
                                   "bulk_copy/load.cu",
                                   "mbarrier.cuh",
                                   "synchronization/cancel.cu",
                                   "tcgen05/issue.cu",
                                   "tcgen05/trips.cuh",
                                   "tensor_copy/descriptor.cu",
                                   "tensor_copy/gather.cu",
                                   "tensor_copy/issue.cu",
                                   "tensor_copy/load.cu",
                                   "tensor_copy/swizzle_layout.cu"};
  EXPECT_EQ(probes_with("await_once("), soon);
}

TEST(TranslationUnit, MatchesGolden) {
  Case hint =
      make_case("cache/hint.cu", "sm_90a", {4}, {{"hint", "L2::evict_last"}, {"trans", ".trans"}, {"offset", -8}});
  hint.launch.warps = 4;
  const Case shuffle = make_case("shuffle/latency.cu", "sm_90a", {16, 64}, {{"mode", "bfly"}, {"warps", 2}});
  const std::string unit = translation_unit({&shuffle, &hint}, {});

  const std::string path = WARPCLOCK_SOURCE_DIR "/harness/compile/testdata/translation_unit.cu";
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) {
    ASSERT_TRUE(write_file_atomically(path, unit));
  }
  EXPECT_EQ(unit, read_file(path).value_or("")) << "run with WARPCLOCK_ACCEPT=1 to accept";
}

TEST(TranslationUnit, QuotesWords) {
  const Case odd = make_case("a.cu", "sm_80", {1}, {{"word", "a\"b\\c\nd"}});
  const std::string unit = translation_unit({&odd}, {});
  EXPECT_NE(unit.find("#define WORD \"a\\\"b\\\\c d\"\n"), std::string::npos) << unit;
}

TEST(TranslationUnit, WarpsComeFromTheLaunchUnlessSwept) {
  Case c = make_case("a.cu", "sm_80", {1});
  c.launch.warps = 8;
  EXPECT_NE(translation_unit({&c}, {}).find("#define WARPS 8\n"), std::string::npos);
  c.parameters = {{"warps", 2}};
  EXPECT_EQ(translation_unit({&c}, {}).find("#define WARPS 8\n"), std::string::npos);
  EXPECT_NE(translation_unit({&c}, {}).find("#define WARPS 2\n"), std::string::npos);
}

TEST(TranslationUnit, LeavesOutWhatTheProbeDoesNotName) {
  Case c = make_case("a.cu", "sm_80", {1}, {{"bytes", 16}, {"mode", "bfly"}, {"share", "own"}, {"hint", "none"}});
  c.launch.warps = 8;
  const Sources sources{{"probe.cuh", "// WARPS\n"},
                        {"a.cu", "#include \"b.cuh\"\nint v = BYTES;  // HINT\n"},
                        {"b.cuh", "#ifdef MODE_bfly\n#endif\nSHARED SHARE_owned\n"}};
  const std::string unit = translation_unit({&c}, sources);
  for (const char* kept : {"#define KERNEL ", "#define N 1\n", "#define BYTES 16\n", "#define MODE_bfly 1\n"}) {
    EXPECT_NE(unit.find(kept), std::string::npos) << kept;
  }
  for (const char* name : {"WARPS", "SHARE", "HINT", "MODE "}) EXPECT_EQ(unit.find(name), std::string::npos) << name;
  Sources pasted = sources;
  pasted["b.cuh"] += "#define X(a) MODE_##a\n";
  EXPECT_EQ(translation_unit({&c}, pasted), translation_unit({&c}, {}));
}

TEST(WordMacro, CollapsesWhatNoIdentifierMayHold) {
  EXPECT_EQ(word_macro("mode", "bfly"), "MODE_bfly");
  EXPECT_EQ(word_macro("hint", "L2::evict_last"), "HINT_L2_evict_last");
  EXPECT_EQ(word_macro("trans", ".trans"), "TRANS_trans");
  EXPECT_EQ(word_macro("type", "f16.f32"), "TYPE_f16_f32");
  EXPECT_EQ(word_macro("type", "__x"), "TYPE___x");
  EXPECT_EQ(word_macro("trans", ""), "TRANS_");
  EXPECT_EQ(word_macro("log-base", "x"), "LOG_BASE_x");
}

TEST(KernelSymbol, TellsCaseAndRepeatCountApart) {
  EXPECT_EQ(kernel_symbol(0, 16), "c0_n16");
  EXPECT_NE(kernel_symbol(1, 6), kernel_symbol(16, 6));
}

TEST(IncludedSources, FollowsIncludes) {
  const Sources sources{{"probe.cuh", "#pragma once\n"},
                        {"a/x.cu", "#include \"probe.cuh\"\n  #  include \"a/y.cuh\"\n"},
                        {"a/y.cuh", "#include \"a/z.cuh\"\n"},
                        {"a/z.cuh", "#include \"a/y.cuh\"\n"},
                        {"a/other.cu", ""}};
  const auto found = must(included_sources("a/x.cu", sources));
  EXPECT_EQ(found, (std::vector<std::string>{"a/x.cu", "a/y.cuh", "a/z.cuh", "probe.cuh"}));
}

TEST(IncludedSources, NamesTheIncludeThatIsMissing) {
  const Sources sources{{"probe.cuh", ""}, {"a/x.cu", "// first\n#include \"y.cuh\"\n"}, {"a/y.cuh", ""}};
  const Error found = failure_of(included_sources("a/x.cu", sources));
  EXPECT_EQ(found.code, "compile-error");
  EXPECT_EQ(found.place, "a/x.cu:2");
  EXPECT_NE(found.text.find("y.cuh"), std::string::npos);
  EXPECT_FALSE(included_sources("a/none.cu", sources));
  EXPECT_FALSE(included_sources("a/x.cu", {{"a/x.cu", ""}}));
}

}  // namespace
}  // namespace warpclock
