#include <gtest/gtest.h>

#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"
#include "gpu/launch/caller.hpp"
#include "gpu/testing/fake_gpu.hpp"

namespace warpclock {
namespace {

using testing::Gt;

constexpr const char* ptx = ".version 9.0\n.target sm_80\nbogus.b32;\n";

class DriverJitTest : public testing::Test {
 protected:
  DriverJitTest() {
    job_.ptx_path = folder_.path() + "/a.ptx";
    job_.cubin_path = folder_.path() + "/a.cubin";
    EXPECT_TRUE(write_file_atomically(job_.ptx_path, ptx, Synced::No));
  }

  Expected<Observation> assembled() {
    return assemble_by_driver(driver_, job_, [](const auto& load) -> Expected<std::string> {
      WARPCLOCK_TRY(load());
      return std::string("cubin");
    });
  }

  FakeGpu gpu_;
  Driver driver_ = FakeGpu::driver();
  TemporaryFolder folder_ = TemporaryFolder::make().value();
  Job job_;
};

TEST_F(DriverJitTest, WritesWhatWasLoadedAndTimesBoth) {
  gpu_.compiles_ptx = true;
  const auto seen = must(assembled());
  EXPECT_EQ(read_file(job_.cubin_path).value(), "cubin");
  EXPECT_THAT(gpu_.loaded, ElementsAre(ptx, ptx, "cubin", ptx, "cubin", ptx, "cubin", ptx, "cubin", ptx, "cubin"));
  EXPECT_EQ(gpu_.unloaded, gpu_.loaded);
  EXPECT_THAT(seen.jit_us, SizeIs(5));
  EXPECT_THAT(seen.load_us, SizeIs(5));
  EXPECT_THAT(seen.jit_us, Each(Gt(0)));
}

TEST_F(DriverJitTest, ARefusalHasTheReasonAndTheStatement) {
  gpu_.jit_log = "ptxas application ptx input, line 3; error   : Not a name of any known instruction: 'bogus'\n";
  const auto refused = assembled();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "compile-error");
  EXPECT_EQ(refused.error().text, "Not a name of any known instruction: 'bogus' in `bogus.b32;`");
}

TEST_F(DriverJitTest, WithoutAReasonTheErrorIsTheDrivers) {
  gpu_.compiles_ptx = false;
  EXPECT_EQ(assembled().error().code, "cuda");
  job_.ptx_path += ".missing";
  EXPECT_EQ(assembled().error().code, "io");
}

}  // namespace
}  // namespace warpclock
