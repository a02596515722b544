#include "compile/nvrtc.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

using testing::arch;
using testing::make_case;

CompileRequest request_for(const Case& c, const Sources& sources) {
  CompileRequest request{translation_unit({&c}, {}), {}, target_for(c.arch).value()};
  const auto paths = included_sources(c.kernel, sources);
  for (const auto& path : *paths) request.headers.emplace_back(path, sources.at(path));
  return request;
}

CompileRequest fma_request(std::int64_t n, std::int64_t add) {
  return request_for(make_case("fma.cu", "sm_90a", {n}, {{"add", add}}),
                     testing::sources_with("fma.cu", testing::fma_probe));
}

/// A kernel that keeps the back end busy for minutes without asking whether to continue.
CompileRequest endless_request() {
  CompileRequest request;
  request.unit =
      "extern \"C\" __global__ void k(float* p) {\n  float v[512];\n#pragma unroll\n  for (int i = 0; i < 512; ++i) "
      "v[i] = p[i];\n#pragma unroll\n  for (int i = 0; i < 60; ++i)\n#pragma unroll\n    for (int j = 0; j < 512; ++j) "
      "v[j] "
      "= v[j] * v[(j + i) % 512];\n#pragma unroll\n  for (int i = 0; i < 512; ++i) p[i] = v[i];\n}\n";
  request.target = {arch("sm_90a"), false};
  request.limit = std::chrono::milliseconds(0);
  request.grace = std::chrono::milliseconds(0);
  return request;
}

TEST(Nvrtc, SaysWhatItIs) {
  EXPECT_GE(std::stoi(nvrtc_version()), 12);
  EXPECT_TRUE(nvrtc_identity().starts_with(nvrtc_version() + " /")) << nvrtc_identity();
  ASSERT_FALSE(supported_sms().empty());
  EXPECT_TRUE(std::ranges::is_sorted(supported_sms()));
  EXPECT_EQ(newest_known_arch(), (Arch{supported_sms().back(), false}));
}

TEST(TargetFor, IsMachineCodeWhereTheArchitectureIsKnown) {
  EXPECT_EQ(target_for(arch("sm_90a")).value(), (Target{{90, true}, false}));
  EXPECT_EQ(compile_options({{90, true}, false}).front(), "-arch=sm_90a");
}

TEST(TargetFor, IsPtxOfTheNewestKnownOneForAGpuFromTheFuture) {
  EXPECT_EQ(target_for({998, true}).value(), (Target{newest_known_arch(), true}));
  EXPECT_EQ(compile_options({{100, false}, true}).front(), "-arch=compute_100");
}

TEST(TargetFor, RefusesWhatNeverWas) {
  EXPECT_EQ(target_for({80, true}).error().code, "unsupported-arch");
  const Error old = target_for({35, false}).error();
  EXPECT_EQ(old.code, "unsupported-arch");
  EXPECT_NE(old.text.find("sm_90"), std::string::npos) << old.text;
}

TEST(Compile, MakesMachineCodeOfAProbeForEveryVerifiedArchitecture) {
  for (const Arch& target : verified_archs()) {
    const Case c = make_case("shuffle/latency.cu", to_string(target), {4}, {{"mode", "bfly"}});
    const Compilation done = compile(request_for(c, embedded_probes()));
    ASSERT_EQ(done.status, Compilation::Status::Done) << to_string(target) << done.log;
    EXPECT_TRUE(
        done.image.starts_with("\x7f"
                               "ELF"));
    EXPECT_NE(done.ptx.find(".entry c0_n4("), std::string::npos);
  }
}

TEST(Compile, KeepsWhatWasSaidOfAFailure) {
  const Compilation failed = compile(fma_request(4, 13));
  EXPECT_EQ(failed.status, Compilation::Status::Failed);
  EXPECT_EQ(compile_error(failed).place, "fma.cu:7");
  EXPECT_NE(compile_error(failed).text.find("undeclared_name"), std::string::npos);
}

TEST(Compile, LineInformationLocatesWhatPtxasRefused) {
  CompileRequest request = fma_request(4, 14);
  request.line_info = true;
  const Error error = compile_error(compile(request));
  EXPECT_EQ(error.place, "fma.cu:14") << error.text;
  EXPECT_NE(error.text.find("'.bogus' in `shfl.sync.bogus.b32"), std::string::npos) << error.text;
}

TEST(Compile, StopsAtItsLimit) {
  CompileRequest request = fma_request(64, 1);
  request.limit = std::chrono::milliseconds(0);
  request.grace = std::chrono::minutes(2);
  const Compilation stopped = compile(request);
  EXPECT_EQ(stopped.status, Compilation::Status::Cancelled);
  EXPECT_EQ(compile_error(stopped).code, "compile-error");
}

TEST(CompileDeathTest, IsAbandonedWhenItDoesNotStopAndTheProcessStillEndsInOrder) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        // Represents the destructors of a library in which a thread is still running.
        std::atexit([] { _exit(9); });
        CompileRequest request = endless_request();
        request.limit = std::chrono::milliseconds(700);  // long enough to get past the front end
        const bool cancelled = compile(request).status == Compilation::Status::Cancelled;
        std::exit(cancelled ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace warpclock
