#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using ::testing::AnyOf;

TEST(JitCommand, SaysInALineWhyItCannot) {
  const testing::Variable no_gpu("CUDA_VISIBLE_DEVICES", "");
  const testing::TemporaryFolder folder;
  const auto message = [&](const std::string& name, const std::string& text, std::vector<std::string> options = {}) {
    testing::write(folder / name, text);
    options.insert(options.begin(), {WARPCLOCK_PROGRAM, "jit", folder / name});
    const auto result = run_process(options).value();
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_EQ(result.out, "") << name;
    return result.err;
  };
  const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.entry a() { ret; }\n";
  EXPECT_THAT(message("a.ptx", ptx), AnyOf(HasSubstr("the NVIDIA driver is not installed"), HasSubstr("GPU 0")));
  EXPECT_THAT(message("a.cu", "__global__ void a() {}"), AnyOf(HasSubstr("the NVIDIA driver"), HasSubstr("GPU 0")));
  EXPECT_THAT(message("a.ptx", ptx, {"--arch", "sm_90"}),
              EndsWith("--arch is for CUDA C++: PTX names its own target\n"));
  EXPECT_THAT(message("b.cu", "__global__ void b() {\n  lost();\n}\n"), HasSubstr("b.cu:2: identifier \"lost\""));
  EXPECT_THAT(message("c.txt", "text"), EndsWith("c.txt: this is not PTX, and its name does not end in .cu\n"));
  EXPECT_THAT(message("c.cubin",
                      "\x7f"
                      "ELF"),
              EndsWith("; this is a cubin, library or program, which `warpclock inspect` reads\n"));
  EXPECT_THAT(message("d.cu", "", {"--arch", "sm_99"}), HasSubstr("does not know sm_99"));
}

}  // namespace
}  // namespace warpclock
