#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/testing/matchers.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/launch/clock.hpp"
#include "gpu/launch/launcher.hpp"
#include "gpu/testing/fake_gpu.hpp"

namespace warpclock {
namespace {

constexpr ShapeLimits hopper{
    .sms = 132, .threads_per_block = 512, .shared_per_block = 232448, .static_shared = 1024, .cluster = 16};

TEST(ResolveShape, PutsTheSmCountIn) {
  const Shape shape = resolve_shape({.blocks = 7, .blocks_per_sm = 2, .warps = 4, .cluster = 2}, hopper).value();
  EXPECT_EQ(shape.blocks, 264U);
  EXPECT_EQ(shape.threads, 128U);
  EXPECT_EQ(to_string(shape), "264 blocks of 128 threads, clusters of 2, 0 B of dynamic shared memory");
  EXPECT_EQ(resolve_shape({.blocks = 7}, hopper).value().blocks, 7U);
}

TEST(ResolveShape, NamesTheLimitThatIsBroken) {
  const std::vector<std::pair<Launch, const char*>> cases = {
      {{.warps = 0}, "1 to 16"},
      {{.warps = 17}, "512 threads"},
      {{.warps = 1LL << 40}, "512 threads"},
      {{.blocks = 0}, "2147483647"},
      {{.blocks = 1LL << 31}, "2147483647"},
      {{.blocks_per_sm = 1LL << 62}, "2147483647"},
      {{.blocks_per_sm = -1}, "132 SMs"},
      {{.blocks = 32, .cluster = 32}, "1 to 16"},
      {{.blocks = 3, .cluster = 2}, "no multiple"},
      {{.cluster = 0}, "1 to 16"},
      {{.shared_bytes = 231425}, "231424"},
      {{.shared_bytes = -1}, "232448 less 1024"},
  };
  for (const auto& [launch, hint] : cases) {
    EXPECT_THAT(failure_of(resolve_shape(launch, hopper)), IsError("launch", HasSubstr(hint))) << hint;
  }
  EXPECT_TRUE(resolve_shape({.warps = 16, .shared_bytes = 231424}, hopper));
}

TEST(ClockMhz, IsCyclesAMicrosecond) {
  EXPECT_DOUBLE_EQ(
      clock_mhz({.first_cycle = 1000, .first_ns = 10, .last_cycle = 1000 + 297'000, .last_ns = 150'010}).value(), 1980);
  EXPECT_EQ(clock_mhz({.first_cycle = 5, .first_ns = 10, .last_cycle = 5, .last_ns = 20}).error().code, "clocks");
  EXPECT_EQ(clock_mhz({.first_cycle = 5, .first_ns = 20, .last_cycle = 9, .last_ns = 20}).error().code, "clocks");
}

TEST(ModuleCache, UnloadsTheLeastRecentlyUsed) {
  FakeGpu gpu;
  const Driver driver = FakeGpu::driver();
  std::vector<std::string> paths;
  for (const char* name : {"a", "b", "c"}) {
    paths.push_back(testing::TempDir() + "modules_test_" + std::to_string(getpid()) + name);
    std::ofstream(paths.back()) << name;
  }
  {
    ModuleCache cache(driver, 2);
    ASSERT_TRUE(cache.function(paths[0], "k"));
    ASSERT_TRUE(cache.function(paths[1], "k"));
    const auto again = cache.function(paths[0], "k");
    EXPECT_EQ(again.value(), cache.function(paths[0], "k").value());
    EXPECT_NE(again.value(), cache.function(paths[0], "other").value());
    ASSERT_TRUE(cache.function(paths[2], "k"));
    EXPECT_THAT(gpu.unloaded, ElementsAre("b"));
    EXPECT_THAT(gpu.loaded, ElementsAre("a", "b", "c"));
    EXPECT_EQ(cache.function(paths[2], "missing").error().code, "cuda");
    EXPECT_EQ(cache.function("/nonexistent", "k").error().code, "io");
  }
  EXPECT_THAT(gpu.unloaded, ElementsAre("b", "c", "a"));
  for (const auto& path : paths) std::filesystem::remove(path);
}

}  // namespace
}  // namespace warpclock
