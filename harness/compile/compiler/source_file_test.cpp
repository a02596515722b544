#include "compile/compiler/source_file.hpp"

#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"
#include "base/text.hpp"
#include "code/elf.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

using testing::arch;
using testing::TemporaryFolder;
using testing::Variable;

const std::string compile_data = WARPCLOCK_SOURCE_DIR "/harness/compile/testdata/";

SourceFile source(const std::string& path, const std::string& arch_name = "sm_90a") {
  // Headers take seconds, and this machine may have other things to do.
  return {.path = path,
          .text = read_file(path).value(),
          .target = {arch(arch_name), false},
          .limit = std::chrono::minutes(20)};
}

/// Names of the kernels and functions that a cubin has.
std::vector<std::string> names_in(const CompiledSource& made) {
  std::vector<std::string> names;
  for (const auto& section : must(code_sections(made.image))) names.push_back(section.kernel);
  return names;
}

/// An nvcc that can compile: the wheel of nvcc alone lacks cicc.
bool has_nvcc() {
  const auto nvcc = find_nvcc();
  if (!nvcc) return false;
  const fs::path folder = fs::canonical(*nvcc).parent_path();
  return fs::exists(folder.parent_path() / "nvvm/bin/cicc") || fs::exists(folder / "cicc");
}

TEST(CompileFile, FindsTheHeadersOfTheToolkit) {
  const auto made = must(compile_file(source(compile_data + "toolkit_headers.cu")));
  EXPECT_FALSE(made.by_nvcc);
  EXPECT_THAT(names_in(made), ::testing::UnorderedElementsAre("reduce", "multiply", "wait_for_all"));
}

TEST(CompileFile, FindsWhatLibcuxxHasOfTheCppLibrary) {
  const auto made = must(compile_file(source(compile_data + "standard_headers.cu")));
  EXPECT_FALSE(made.by_nvcc);
  EXPECT_THAT(names_in(made), Contains(HasSubstr("scale")));
}

TEST(CompileFile, FindsHeadersOfAKernelThatIsAHeader) {
  const TemporaryFolder own, other;
  testing::write(own / "kernel.cuh",
                 "#pragma once\n#include <cuda_fp16.h>\n#include <far.cuh>\n"
                 "template <class T> __global__ void add(T* p) { *p = *p + far_away<T>(); }\n");
  testing::write(other / "far.cuh", "template <class T> __device__ T far_away() { return T(SIZE); }\n");
  testing::write(own / "a.cu", "#include \"kernel.cuh\"\ntemplate __global__ void add<__half>(__half*);\n");
  SourceFile file = source(own / "a.cu", "sm_80");
  file.include = {other.path()};
  file.defines = {"SIZE=3"};
  EXPECT_FALSE(must(compile_file(file)).by_nvcc);
}

TEST(CompileFile, LeavesHostCodeToNvcc) {
  if (!has_nvcc()) GTEST_SKIP() << "there is no nvcc with cicc here";
  const auto made = must(compile_file(source(compile_data + "program.cu")));
  EXPECT_TRUE(made.by_nvcc);
  EXPECT_THAT(names_in(made), ::testing::UnorderedElementsAre("half_to_float", HasSubstr("scale_all")));
  SourceFile ptx = source(compile_data + "program.cu", "sm_80");
  ptx.target.is_ptx = true;
  EXPECT_THAT(must(compile_file(ptx)).image, HasSubstr(".target sm_80"));
}

TEST(CompileFile, SaysWhichCompilersRefusedAFileAndWhatToDo) {
  const TemporaryFolder folder;
  testing::write(folder / "a.cu", "#include <iostream>\n__global__ void k() {}\n");
  testing::write(folder / "b.cu", "\n__global__ void k() { wrong(); }\n");
  testing::write(folder / "c.cu", "#include <cuda/none_such>\n");
  {
    const Variable none("WARPCLOCK_NVCC", "/nowhere/nvcc");
    const Error error = failure_of(compile_file(source(folder / "a.cu")));
    EXPECT_EQ(error.code, "compile-error");
    EXPECT_EQ(error.place, folder / "a.cu:1");
    EXPECT_THAT(error.text, AllOf(StartsWith("cannot open source file \"iostream\" (said NVRTC "),
                                  HasSubstr("which compiles device code alone; "),
                                  HasSubstr("give the header's folder by --include; nvcc compiles any file, but "
                                            "'/nowhere/nvcc' is not a program; install the CUDA Toolkit's, or name "
                                            "one with WARPCLOCK_NVCC)")));
    EXPECT_THAT(failure_of(compile_file(source(folder / "c.cu"))).text,
                HasSubstr("install NVIDIA's package nvidia-cuda-cccl beside the compiler"));
  }
  const Variable fake("WARPCLOCK_NVCC", testing::write_script(folder / "nvcc",
                                                              "echo \"$8: no\" > /dev/null\nfor last; do :; done\n"
                                                              "echo \"$last:1:10: fatal error: far.h: No such file or "
                                                              "directory\" >&2\nexit 1\n"));
  const Error error = failure_of(compile_file(source(folder / "b.cu")));
  EXPECT_EQ(error.place, folder / "b.cu:1");
  EXPECT_EQ(error.text, "far.h: No such file or directory (said " + (folder / "nvcc") +
                            "; give the header's folder by --include; NVRTC " + nvrtc_version() +
                            " had said: " + (folder / "b.cu:2") + ": identifier \"wrong\" is undefined)");
}

TEST(CompileFile, DrivesNvccByArgumentsAndRemovesItsFiles) {
  const TemporaryFolder folder;
  const Variable fake("WARPCLOCK_NVCC",
                      testing::write_script(folder / "nvcc", "printf '%s\\n' \"$@\" > '" + (folder / "arguments") +
                                                                 "'\necho $TMPDIR > '" + (folder / "tmpdir") +
                                                                 "'\nwhile [ \"$1\" != -o ]; do shift; done\n"
                                                                 "echo image > \"$2\"\n"));
  const std::string hostile = folder / "a b; touch $(echo x).cu";
  testing::write(hostile, "int main() { wrong(); }\n");
  SourceFile file = source(hostile, "sm_80");
  file.include = {"/some where"};
  file.defines = {"SIZE=3"};
  const auto made = must(compile_file(file));
  EXPECT_TRUE(made.by_nvcc);
  EXPECT_EQ(made.image, "image\n");
  const std::string temporary(trim(read_file(folder / "tmpdir").value()));
  EXPECT_EQ(read_file(folder / "arguments").value(),
            "-cubin\n-arch=sm_80\n-std=c++17\n--expt-relaxed-constexpr\n--extended-lambda\n-o\n" + temporary +
                "/out\n-lineinfo\n--include-path=/some where\n--define-macro=SIZE=3\n" + hostile + "\n");
  EXPECT_FALSE(fs::exists(temporary));
}

TEST(CompileFile, EndsNvccAndAllThatItStartedAtTheLimit) {
  const TemporaryFolder folder;
  CompileRequest request;
  request.nvcc = testing::write_script(folder / "nvcc", "sleep 1000 &\nwait\n");
  request.name = folder / "a.cu";
  request.folder = folder.path();
  request.target = {arch("sm_90a"), false};
  request.limit = std::chrono::milliseconds(500);
  EXPECT_EQ(compile(request).status, Compilation::Status::Cancelled);
  const auto left = [&] {
    const auto all = testing::processes();
    return std::ranges::count_if(all, [&](const testing::Process& one) {
      return one.environment.find("TMPDIR=" + folder.path()) != std::string::npos;
    });
  };
  EXPECT_TRUE(testing::soon([&] { return left() == 0; }));
}

TEST(ToolkitHeaders, AreFoundBesideNvrtc) {
  EXPECT_FALSE(toolkit_includes().empty());
  EXPECT_TRUE(is_toolkit_header("cuda_fp16.h"));
  EXPECT_TRUE(is_toolkit_header("cuda/barrier"));
  for (const char* other : {"", "cuda", "none.h", "/etc/passwd"}) EXPECT_FALSE(is_toolkit_header(other)) << other;
}

TEST(ToolkitHeaders, EachHasItsPackage) {
  const auto nvrtc = [](const std::string& name) {
    return package_of_header("cannot open source file \"" + name + "\"");
  };
  EXPECT_EQ(nvrtc("cuda/std/cstdint"), "nvidia-cuda-cccl");
  EXPECT_EQ(nvrtc("cub/block/block_reduce.cuh"), "nvidia-cuda-cccl");
  EXPECT_EQ(nvrtc("crt/mma.h"), "nvidia-cuda-crt");
  EXPECT_EQ(nvrtc("cuda_bf16.h"), "nvidia-cuda-runtime");
  EXPECT_EQ(nvrtc("cooperative_groups/reduce.h"), "nvidia-cuda-runtime");
  EXPECT_EQ(nvrtc("mine.h"), "");
  EXPECT_EQ(package_of_header("curand_kernel.h: No such file or directory"), "nvidia-curand");
  EXPECT_EQ(package_of_header("cuda is nice"), "");
}

}  // namespace
}  // namespace warpclock
