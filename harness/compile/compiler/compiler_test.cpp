#include "compile/compiler/compiler.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <set>

#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

using testing::arch;
using testing::compiler_children;
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
  return request;
}

/// A kernel that needs more memory than it may have: NVRTC aborts.
CompileRequest hungry_request() {
  CompileRequest request;
  request.unit = testing::hungry_kernel;
  request.target = {arch("sm_90a"), false};
  request.memory = testing::little_memory;
  return request;
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

TEST(Compile, IsStoppedAtItsLimitAndItsProcessWithIt) {
  CompileRequest request = endless_request();
  request.limit = std::chrono::milliseconds(700);
  const auto before = compiler_children();
  const Compilation stopped = compile(request);
  EXPECT_EQ(stopped.status, Compilation::Status::Cancelled);
  EXPECT_EQ(compile_error(stopped).code, "compile-error");
  const auto after = compiler_children();
  EXPECT_LE(after.size(), std::max<std::size_t>(before.size(), 1) - 1) << "the process that compiled is gone";
  EXPECT_EQ(compile(fma_request(4, 1)).status, Compilation::Status::Done);
}

TEST(Compile, ACrashOfTheCompilerIsOneFailure) {
  if (testing::memory_is_unlimited) GTEST_SKIP() << "the memory of sanitized programs cannot be limited";
  const Compilation dead = compile(hungry_request());
  EXPECT_EQ(dead.status, Compilation::Status::Died);
  const Error error = compile_error(dead);
  EXPECT_EQ(error.code, "compiler-died");
  EXPECT_THAT(error.text, AllOf(StartsWith("the compiler was killed by SIGABRT; it last wrote: "),
                                HasSubstr("out of memory"), EndsWith("(its address space is limited to 0.5 GiB)")));
  EXPECT_EQ(compile(fma_request(4, 1)).status, Compilation::Status::Done);
}

TEST(Compile, MemoryIsLimitedForEachSource) {
  if (testing::memory_is_unlimited) GTEST_SKIP() << "the memory of sanitized programs cannot be limited";
  CompileRequest request;
  request.unit = "__device__ int many[1 << 24] = {1};\n";  // takes 0.7 GB
  request.target = {arch("sm_90a"), false};
  request.memory = testing::little_memory;
  EXPECT_NE(compile(request).status, Compilation::Status::Done) << "it dies, or says that it has no memory";
}

TEST(Compile, AKilledProcessCostsOneCompilationThatItHadBegun) {
  auto slow = std::async(std::launch::async, [] { return compile(endless_request()); });
  // One that had compiled others before is given a second chance.
  while (slow.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    for (const int pid : compiler_children()) kill(pid, SIGKILL);
  }
  EXPECT_THAT(compile_error(slow.get()).text, StartsWith("the compiler was killed by SIGKILL"));
  EXPECT_EQ(compile(fma_request(4, 1)).status, Compilation::Status::Done);
}

TEST(Compile, AProcessThatDiedWhileIdleCostsNothing) {
  ASSERT_EQ(compile(fma_request(4, 1)).status, Compilation::Status::Done);
  for (const int pid : compiler_children()) kill(pid, SIGKILL);
  EXPECT_EQ(compile(fma_request(4, 2)).status, Compilation::Status::Done);
}

TEST(Compile, OneProcessServesManySources) {
  ASSERT_EQ(compile(fma_request(4, 1)).status, Compilation::Status::Done);
  const auto before = compiler_children();
  ASSERT_FALSE(before.empty());
  for (int add = 2; add < 5; ++add) EXPECT_EQ(compile(fma_request(4, add)).status, Compilation::Status::Done);
  EXPECT_EQ(compiler_children(), before);
}

TEST(Compile, SeveralAtOnceHaveAProcessEach) {
  std::vector<std::future<Compilation>> all;
  for (int add = 1; add <= 4; ++add)
    all.push_back(std::async(std::launch::async, [add] { return compile(fma_request(4, add)); }));
  std::set<std::string> images;
  for (auto& each : all) images.insert(each.get().image);
  EXPECT_EQ(images.size(), 4U);
  EXPECT_FALSE(images.contains(""));
}

TEST(CompilerLines, CarryAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  CompileRequest request;
  request.unit = bytes;
  request.headers = {{"a" + bytes, bytes}, {"", ""}};
  request.target = {arch("sm_120a"), true};
  request.name = bytes;
  request.options = {bytes, "-x"};
  request.line_info = true;
  request.limit = std::chrono::milliseconds(7);
  request.memory = 8;
  request.nvcc = request.folder = bytes;
  const std::string line = to_line(request);
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  const CompileRequest again = must(parse_request(line));
  EXPECT_EQ(to_line(again), line);
  EXPECT_EQ(again.unit, bytes);
  EXPECT_EQ(again.headers, request.headers);
  EXPECT_EQ(again.options, request.options);
  EXPECT_EQ(again.target, request.target);
  EXPECT_EQ(again.limit, request.limit);

  Compilation done;
  done.status = Compilation::Status::Cancelled;
  done.image = done.ptx = done.log = bytes;
  done.headers = {bytes};
  const Compilation read = must(parse_compilation(to_line(done)));
  EXPECT_EQ(read.status, done.status);
  EXPECT_EQ(read.image, bytes);
  EXPECT_EQ(read.headers, done.headers);
}

TEST(CompilerLines, RefuseWhatIsNone) {
  const std::string line = to_line(CompileRequest{.unit = "x", .target = {arch("sm_90a"), false}});
  EXPECT_EQ(failure_of(parse_request("")).code, "protocol");
  EXPECT_EQ(failure_of(parse_request("[]")).code, "protocol");
  EXPECT_EQ(failure_of(parse_request(line.substr(0, line.size() - 1))).code, "protocol");
  EXPECT_EQ(failure_of(parse_compilation(line)).code, "protocol");
}

}  // namespace
}  // namespace warpclock
