#include "compile/build.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "compile/cache.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/testing/forged.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

constexpr const char* two_entries = R"(
.visible .entry c0_n16(
	.param .align 8 .b8 c0_n16_param_0[56]
)
{
	before;
	// begin inline asm
	mov.u64 %rd1, %clock64;
	// end inline asm

	// begin inline asm
	shfl.sync.bfly.b32 %r1, %r1, %r2, 31, 0xffffffff;
	// end inline asm
	{ .reg .pred p; setp.lt.u32 p, %r1, %r2; }
	// begin inline asm
	mov.u64 %rd2, %clock64;
	// end inline asm
	after;
}
.visible .entry c0_n1(
	.param .align 8 .b8 c0_n1_param_0[56]
)
{
	// begin inline asm
	mov.u64 %rd1, %clock64;
	// end inline asm
	// begin inline asm
	wrong;
	// end inline asm
	mov.u64 %rd2, %clock64;
}
)";

TEST(PtxWindow, IsWhatStandsBetweenTheReads) {
  EXPECT_EQ(ptx_window(two_entries, "c0_n16"),
            "shfl.sync.bfly.b32 %r1, %r1, %r2, 31, 0xffffffff;\n{ .reg .pred p; setp.lt.u32 p, %r1, %r2; }\n");
  EXPECT_EQ(ptx_window(two_entries, "c0_n1"), "wrong;\n");
}

TEST(PtxWindow, ReachesToTheLastRead) {
  EXPECT_EQ(
      ptx_window(".entry k()\nmov.u32 %r1, %clock;\na;\nmov.u32 %r2, %clock;\nb;\nmov.u32 %r3, %clock;\nc;\n", "k"),
      "a;\nmov.u32 %r2, %clock;\nb;\n");
}

TEST(PtxWindow, IsEmptyWithoutTwoReads) {
  EXPECT_EQ(ptx_window(two_entries, "c1_n1"), "");
  EXPECT_EQ(ptx_window(".entry k()\na;\nmov.u64 %rd1, %clock64;\nb;\n", "k"), "");
  EXPECT_EQ(ptx_window(".entry k()\nmov.u32 %r1, %clock_hi;\nb;\nmov.u32 %r2, %clock_hi;\n", "k"), "");
  EXPECT_EQ(ptx_window("", "k"), "");
}

namespace fs = std::filesystem;
using testing::make_case;
using testing::TemporaryFolder;

/// A build in its own cache folder. The probe is a chain of integer FMAs with ADD as its parameter.
class BuildTest : public ::testing::Test {
 protected:
  BuildTest() { options_.cache_dir = folder_.path(); }

  static Case fma(std::int64_t add, const std::string& arch = "sm_90a") {
    return make_case("fma.cu", arch, {2, 4}, {{"add", add}});
  }

  std::vector<Expected<Build>> run(const std::vector<Case>& cases) { return build(cases, sources_, options_); }

  /// An nvdisasm that appends a line to `starts` on each start.
  std::string counting_nvdisasm() {
    return testing::write_script(folder_ / "nvdisasm", "echo x >> '" + (folder_ / "starts") + "'\nexec '" +
                                                           find_nvdisasm().value() + "' \"$@\"\n");
  }
  std::string starts() { return read_file(folder_ / "starts").value_or(""); }

  TemporaryFolder folder_;
  Sources sources_ = testing::sources_with("fma.cu", testing::fma_probe);
  BuildOptions options_;
};

std::size_t count(const Kernel& kernel, const std::string& opcode) {
  return static_cast<std::size_t>(std::ranges::count(kernel.listing.instructions, opcode, &Instruction::opcode));
}

std::string listings(const Build& build) {
  std::string text;
  for (const auto& kernel : build.kernels) {
    for (const auto& i : kernel.listing.instructions) text += i.text + std::to_string(i.low) + std::to_string(i.high);
  }
  return text;
}

TEST_F(BuildTest, CasesThatDifferInNothingTheirProbeNamesAreOneKernel) {
  std::vector<Case> cases;
  for (const std::int64_t at : {1, 2, 3}) {
    cases.push_back(make_case("fma.cu", "sm_90a", {2, 4}, {{"add", 1}, {"footprint", at}}));
    cases.back().along = "footprint";
  }
  cases.push_back(make_case("fma.cu", "sm_90a", {2, 4}, {{"add", 1}, {"footprint", 3}}));
  cases.push_back(make_case("fma.cu", "sm_90a", {2, 4}, {{"add", 2}, {"footprint", 3}}));
  const auto before = compilations_started();
  const auto builds = run(cases);
  for (const auto& one : builds) ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(compilations_started() - before, 1U) << "both kernels in one module";
  EXPECT_EQ(builds[0]->kernels[0].symbol, builds[2]->kernels[0].symbol);
  EXPECT_EQ(builds[0]->kernels[0].symbol, builds[3]->kernels[0].symbol);
  EXPECT_NE(builds[0]->kernels[0].symbol, builds[4]->kernels[0].symbol) << "compiled in";
  EXPECT_EQ(listings(*builds[0]), listings(*builds[1]));
  for (const auto& again : run(cases)) EXPECT_TRUE(again->cached);
}

TEST_F(BuildTest, GivesMachineCodeAndListingOfEveryRepeatCountOnEveryArchitecture) {
  std::vector<Case> cases;
  for (const Arch& arch : verified_archs()) {
    cases.push_back(make_case("shuffle/latency.cu", to_string(arch), {3, 8}, {{"mode", "bfly"}}));
  }
  const auto results = build(cases, embedded_probes(), options_);
  ASSERT_EQ(results.size(), cases.size());
  for (const auto& result : results) {
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(read_file(result->cubin_path)
                    .value()
                    .starts_with("\x7f"
                                 "ELF"));
    EXPECT_FALSE(result->is_ptx);
    EXPECT_EQ(result->ptx, "");
    EXPECT_EQ(result->warning, "");
    ASSERT_EQ(result->kernels.size(), 2U);
    EXPECT_EQ(result->kernels[0].n, 3);
    EXPECT_EQ(count(result->kernels[0], "SHFL"), 3U);
    EXPECT_EQ(result->kernels[1].n, 8);
    EXPECT_EQ(count(result->kernels[1], "SHFL"), 8U);
    EXPECT_EQ(result->kernels[1].listing.kernel, result->kernels[1].symbol);
  }
  EXPECT_NE(results[0]->cubin_path, results[1]->cubin_path);
}

TEST_F(BuildTest, GivesThePtxOfTheSmallestRepeatCount) {
  options_.ptx = true;
  const auto results = run({fma(7)});
  ASSERT_TRUE(results[0]) << results[0].error().message();
  const std::string& ptx = results[0]->ptx;
  EXPECT_TRUE(ptx.starts_with("mad.lo.u32 ")) << ptx;
  EXPECT_EQ(ptx.find("clock"), std::string::npos) << ptx;
  std::size_t found = 0;
  for (auto at = ptx.find("mad.lo"); at != ptx.npos; at = ptx.find("mad.lo", at + 1)) ++found;
  EXPECT_EQ(found, 2U);
  EXPECT_EQ(run({fma(7)})[0]->ptx, ptx);
}

TEST_F(BuildTest, OnlyTheGuiltyCaseFails) {
  const auto results = run({fma(1), fma(2), fma(13), fma(3), fma(14), fma(4)});
  for (const std::size_t good : {0, 1, 3, 5}) {
    ASSERT_TRUE(results[good]) << results[good].error().message();
    EXPECT_EQ(results[good]->kernels.size(), 2U);
  }
  ASSERT_FALSE(results[2]);
  EXPECT_EQ(results[2].error().code, "compile-error");
  EXPECT_EQ(results[2].error().place, "fma.cu:7");
  EXPECT_NE(results[2].error().text.find("undeclared_name"), std::string::npos);
  ASSERT_FALSE(results[4]);
  EXPECT_EQ(results[4].error().code, "compile-error");
  EXPECT_EQ(results[4].error().place, "fma.cu:14");
  EXPECT_NE(results[4].error().text.find("bogus"), std::string::npos);
}

TEST_F(BuildTest, AProbeThatCrashesTheCompilerFailsAlone) {
  if (testing::memory_is_unlimited) GTEST_SKIP() << "the memory of sanitized programs cannot be limited";
  std::string text = testing::fma_probe;
  text.insert(text.find("PROBE {"), "#if ADD == 15\n__device__ int many[1L << 40] = {1};\n#endif\n");
  sources_ = testing::sources_with("fma.cu", text);
  options_.compile_memory = testing::little_memory;
  std::vector<Case> cases;
  for (int add = 12; add < 20; ++add) {
    if (add != 13 && add != 14) cases.push_back(fma(add));
  }
  const auto results = run(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i != 1) {
      EXPECT_TRUE(results[i]) << results[i].error().message();
      continue;
    }
    ASSERT_FALSE(results[i]);
    EXPECT_EQ(results[i].error().code, "compiler-died");
    EXPECT_EQ(results[i].error().place, "fma.cu");
    EXPECT_NE(results[i].error().text.find("SIGABRT"), std::string::npos) << results[i].error().text;
  }
}

TEST_F(BuildTest, AProbeMayIncludeHeadersOfTheToolkitAndOfTheCppLibrary) {
  const std::string without = listings(run({fma(1)})[0].value());
  std::string text = testing::fma_probe;
  text.insert(0, "#include <cuda_fp16.h>\n#include \"cuda_bf16.h\"\n#include <cstdint>\n#include <type_traits>\n");
  text.insert(text.find("  u32 v ="),
              "  static_assert(std::is_same_v<std::uint32_t, u32> && sizeof(__half) == sizeof(__nv_bfloat16));\n");
  sources_ = testing::sources_with("fma.cu", text);
  const auto results = run({fma(1), fma(2)});
  ASSERT_TRUE(results[0]) << results[0].error().message();
  EXPECT_EQ(listings(*results[0]), without);
  EXPECT_TRUE(run({fma(2)})[0]->cached);
}

TEST_F(BuildTest, EachCaseGetsItsOwnKernels) {
  const auto results = run({fma(5), fma(6)});
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(results[i]);
    for (const auto& kernel : results[i]->kernels) {
      const auto& code = kernel.listing.instructions;
      const std::string constant = i == 0 ? "0x5" : "0x6";
      EXPECT_EQ(std::ranges::count_if(code,
                                      [&](const Instruction& at) {
                                        return at.opcode == "IMAD" && !at.operands.empty() &&
                                               at.operands.back() == constant;
                                      }),
                kernel.n);
    }
  }
  EXPECT_EQ(results[0]->cubin_path, results[1]->cubin_path);
}

TEST_F(BuildTest, AWarmCacheStartsNeitherNvrtcNorNvdisasm) {
  options_.nvdisasm = counting_nvdisasm();
  const std::vector<Case> cases{fma(1), fma(2), fma(3)};
  const auto cold = run(cases);
  EXPECT_EQ(starts(), "x\n");
  const auto before = compilations_started();
  const auto warm = run(cases);
  EXPECT_EQ(compilations_started(), before);
  EXPECT_EQ(starts(), "x\n");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_TRUE(cold[i]);
    ASSERT_TRUE(warm[i]);
    EXPECT_FALSE(cold[i]->cached);
    EXPECT_TRUE(warm[i]->cached);
    EXPECT_EQ(warm[i]->cubin_path, cold[i]->cubin_path);
    EXPECT_EQ(listings(*warm[i]), listings(*cold[i]));
  }
}

TEST_F(BuildTest, ACaseIsFoundAgainInOtherCompany) {
  options_.threads = 1;
  ASSERT_TRUE(run({fma(1), fma(2), fma(3)})[2]);
  options_.threads = 4;
  const auto results = run({fma(3), fma(9)});
  ASSERT_TRUE(results[0] && results[1]);
  EXPECT_TRUE(results[0]->cached);
  EXPECT_FALSE(results[1]->cached);
}

TEST_F(BuildTest, WhatChangesTheCodeChangesTheKey) {
  ASSERT_TRUE(run({fma(1)})[0]);
  EXPECT_FALSE(run({fma(1, "sm_80")})[0]->cached);
  Case longer = fma(1);
  longer.repeats = {2, 5};
  EXPECT_FALSE(run({longer})[0]->cached);
  options_.nvdisasm = counting_nvdisasm();
  EXPECT_FALSE(run({fma(1)})[0]->cached);
  options_.nvdisasm = "";
  EXPECT_TRUE(run({fma(1)})[0]->cached);
  sources_["probe.cuh"] += "// a comment\n";
  EXPECT_FALSE(run({fma(1)})[0]->cached);
}

TEST_F(BuildTest, DamagedFilesAreMadeAgain) {
  const std::vector<Case> cases{fma(1), fma(2)};
  const std::string good = listings(run(cases)[1].value());
  for (const std::string ending : {".case", ".cubin"}) {
    for (const std::string damage : {"flip", "truncate", "empty", "remove"}) {
      for (const auto& path : folder_.files(ending)) {
        std::string bytes = read_file(path).value();
        if (damage == "flip") bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        testing::write(path, damage == "flip" ? bytes : damage == "truncate" ? bytes.substr(0, bytes.size() / 2) : "");
        if (damage == "remove") fs::remove(path);
      }
      const auto again = run(cases);
      ASSERT_TRUE(again[1]) << ending << damage << again[1].error().message();
      EXPECT_FALSE(again[1]->cached) << ending << damage;
      EXPECT_EQ(listings(*again[1]), good);
      EXPECT_TRUE(run(cases)[1]->cached) << ending << damage;
    }
  }
}

// A verdict must not depend on what somebody wrote into the cache.
TEST_F(BuildTest, AForgedListingChangesNothing) {
  const std::vector<Case> cases{fma(1), fma(2)};
  const std::string good = listings(run(cases)[1].value());
  for (const std::string& path : folder_.files(".case")) {
    const std::string key = fs::path(path).stem().string();
    CachedCase entry = deserialized(key, read_file(path).value()).value();
    entry.listing = testing::with_other_stalls(entry.listing);
    testing::write(path, serialized(key, entry));
  }
  const auto again = run(cases);
  ASSERT_TRUE(again[1]) << again[1].error().message();
  EXPECT_FALSE(again[1]->cached);
  EXPECT_EQ(listings(*again[1]), good);
  EXPECT_TRUE(run(cases)[1]->cached);
}

TEST_F(BuildTest, GoesOnWithAFullCache) {
  const std::vector<Case> cases{fma(1), fma(2)};
  const auto good = run(cases);
  // A folder in the place of each file keeps even root from writing it.
  const TemporaryFolder full;
  for (const char* const ending : {".case", ".cubin"})
    for (const std::string& path : folder_.files(ending))
      fs::create_directories(full / (fs::path(path).filename().string() + "/taken"));
  options_.cache_dir = full.path();
  for (int i = 0; i < 2; ++i) {
    const auto results = run(cases);
    for (std::size_t k = 0; k < cases.size(); ++k) {
      ASSERT_TRUE(results[k]) << results[k].error().message();
      EXPECT_EQ(listings(*results[k]), listings(*good[k]));
      EXPECT_EQ(read_file(results[k]->cubin_path), read_file(good[k]->cubin_path));
    }
    EXPECT_THAT(results[0]->warning, HasSubstr("kept in memory"));
  }
}

TEST_F(BuildTest, ConcurrentBuildsShareOneFolder) {
  std::vector<Case> cases;
  for (int i = 0; i < 8; ++i) cases.push_back(fma(i));
  std::vector<std::vector<Expected<Build>>> results(3);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) threads.emplace_back([&] { result = run(cases); });
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const auto& result : results) {
      ASSERT_TRUE(result[i]) << result[i].error().message();
      EXPECT_EQ(listings(*result[i]), listings(*results[0][i]));
      EXPECT_TRUE(fs::exists(result[i]->cubin_path));
    }
    EXPECT_TRUE(run({cases[i]})[0]->cached);
  }
}

TEST_F(BuildTest, WorksWhereTheCacheCannotBeWritten) {
  const testing::Variable temporary("TMPDIR", folder_.path());
  testing::write(folder_ / "file", "");
  options_.cache_dir = folder_ / "file/cache";
  const auto results = run({fma(1)});
  ASSERT_TRUE(results[0]) << results[0].error().message();
  EXPECT_NE(results[0]->warning.find(options_.cache_dir), std::string::npos);
  EXPECT_TRUE(fs::exists(results[0]->cubin_path));
}

TEST_F(BuildTest, FailsCaseByCaseWithTheReason) {
  Case skipped = fma(1);
  skipped.skip = Error{"unsupported-arch", "not there yet", "x.yaml:1:1"};
  Case empty = fma(1);
  empty.repeats.clear();
  const auto results = run({skipped, make_case("none.cu", "sm_90a", {1}), empty, fma(1), fma(1, "sm_75")});
  EXPECT_EQ(results[0].error().text, "not there yet");
  EXPECT_EQ(results[1].error().code, "compile-error");
  EXPECT_NE(results[1].error().text.find("none.cu"), std::string::npos);
  EXPECT_EQ(results[2].error().code, "compile-error");
  EXPECT_TRUE(results[3]);
  EXPECT_TRUE(results[4]) << results[4].error().message();
  EXPECT_TRUE(run({}).empty());
}

TEST_F(BuildTest, AGpuFromTheFutureGetsPtx) {
  Case c = fma(1);
  c.arch = {998, true};
  options_.nvdisasm = folder_ / "none";
  const auto results = run({c});
  ASSERT_TRUE(results[0]) << results[0].error().message();
  EXPECT_TRUE(results[0]->is_ptx);
  EXPECT_NE(read_file(results[0]->cubin_path).value().find(".target sm_" + std::to_string(newest_known_arch().sm)),
            std::string::npos);
  EXPECT_EQ(results[0]->kernels.size(), 2U);
  EXPECT_TRUE(run({c})[0]->cached);
}

TEST_F(BuildTest, MissingNvdisasmFailsEveryCaseWithTheFix) {
  options_.nvdisasm = folder_ / "none";
  for (const auto& result : run({fma(1), fma(2)})) {
    EXPECT_THAT(failure_of(result), IsError("nvdisasm", HasSubstr("bootstrap")));
  }
}

TEST_F(BuildTest, AnNvdisasmThatReadsNothingIsNotTriedForEveryCase) {
  options_.nvdisasm = testing::write_script(folder_ / "old", "echo x >> '" + (folder_ / "starts") + "'\nexit 1\n");
  options_.threads = 1;
  std::vector<Case> cases;
  for (int i = 0; i < 16; ++i) cases.push_back(fma(i == 13 || i == 14 ? 20 + i : i));
  for (const auto& result : run(cases)) EXPECT_EQ(result.error().code, "nvdisasm");
  EXPECT_LT(starts().size() / 2, cases.size());
}

TEST_F(BuildTest, ALimitThatNothingMeetsFailsEachCase) {
  options_.compile_limit = std::chrono::milliseconds(0);
  const auto results = run({fma(1), fma(2)});
  for (const auto& result : results) {
    EXPECT_THAT(failure_of(result), IsError("compile-error", HasSubstr("too long")));
  }
}

TEST_F(BuildTest, ReportsProgressOfEveryCase) {
  std::vector<std::size_t> seen;
  options_.progress = [&](std::size_t done, std::size_t total) {
    seen.push_back(done);
    EXPECT_EQ(total, 3U);
  };
  (void)run({fma(1), fma(13), fma(2)});
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3}));
}

}  // namespace
}  // namespace warpclock
