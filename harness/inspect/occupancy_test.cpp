#include "inspect/occupancy.hpp"

#include <cuda_occupancy.h>

#include <algorithm>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

/// What CUDA's own header computes from the limits.
int reference(const SmLimits& limits, const BlockNeeds& needs) {
  cudaOccDeviceProp device;
  device.computeMajor = limits.sm / 10;
  device.computeMinor = limits.sm % 10;
  device.maxThreadsPerBlock = limits.block_threads;
  device.maxThreadsPerMultiprocessor = limits.threads;
  device.regsPerBlock = device.regsPerMultiprocessor = limits.registers;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 * 1024;
  device.sharedMemPerBlockOptin = static_cast<size_t>(limits.shared_block_kib) * 1024;
  device.sharedMemPerMultiprocessor = static_cast<size_t>(limits.shared_kib) * 1024;
  device.reservedSharedMemPerBlock = limits.sm >= 80 ? 1024 : 0;
  device.numSms = 1;
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = limits.block_threads;
  kernel.numRegs = needs.registers;
  kernel.sharedSizeBytes = static_cast<size_t>(needs.static_bytes);
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = static_cast<size_t>(limits.shared_block_kib * 1024 - needs.static_bytes);
  kernel.numBlockBarriers = needs.barriers;
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result;
  const auto status = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, needs.threads,
                                                              static_cast<size_t>(needs.dynamic_bytes));
  EXPECT_EQ(status, CUDA_OCC_SUCCESS) << limits.sm;
  return result.activeBlocksPerMultiprocessor;
}

TEST(Occupancy, IsWhatTheCudaToolkitComputes) {
  int compared = 0;
  for (const int sm : {70, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    const SmLimits limits = sm_limits({sm, false}).value();
    for (const int threads : {1, 32, 96, 128, 200, 256, 384, 640, 1024}) {
      for (const int registers : {8, 24, 32, 40, 63, 64, 96, 128, 168, 255}) {
        for (const std::int64_t bytes : {0, 100, 8192, 20000, 48000, 90000}) {
          for (const int barriers : {0, 1, 3, 16}) {
            const BlockNeeds needs{threads, registers, barriers, std::min<std::int64_t>(bytes, 40000),
                                   std::max<std::int64_t>(bytes - 40000, 0)};
            ASSERT_EQ(occupancy(limits, needs).blocks, reference(limits, needs))
                << "sm_" << sm << ": " << threads << " threads, " << registers << " registers, " << bytes << " bytes, "
                << barriers << " barriers";
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 20000);
}

TEST(Occupancy, NamesWhatAllowsNoMore) {
  const SmLimits h100 = sm_limits({90, true}).value();
  EXPECT_THAT(occupancy(h100, {.threads = 256, .registers = 128}).limits, ElementsAre("registers"));
  EXPECT_EQ(occupancy(h100, {.threads = 256, .registers = 128}).warps, 16);
  EXPECT_THAT(occupancy(h100, {.threads = 64, .registers = 32}).limits, ElementsAre("registers", "warps", "blocks"));
  EXPECT_THAT(occupancy(h100, {.threads = 64, .registers = 16, .barriers = 16}).limits, ElementsAre("barriers"));
  const Occupancy large =
      occupancy(h100, {.threads = 64, .registers = 32, .static_bytes = 1024, .dynamic_bytes = 232448});
  EXPECT_EQ(large.blocks, 0) << "227 KiB is the most";
  EXPECT_THAT(large.limits, ElementsAre("shared memory"));
  EXPECT_THAT(occupancy(h100, {.threads = 2048}).limits, ElementsAre("threads of a block"));
  EXPECT_EQ(sm_limits({61, false}), std::nullopt);
}

/// launch__shared_mem_config_size of a kernel with 19 registers on an H200, in KiB, by threads and dynamic KiB. Sizes
/// that there are: 8, 16, 32, 64, 100, 132, 164, 196, 228.
TEST(Occupancy, SharedMemoryIsSetAsideForAllBlocksThatFit) {
  const auto kib = [](int threads, int dynamic) {
    const SmLimits limits = sm_limits({90, true}).value();
    const std::int64_t bytes =
        shared_set_aside(limits, {.threads = threads, .registers = 19, .dynamic_bytes = std::int64_t{dynamic} << 10});
    return static_cast<double>(bytes) / 1024;
  };
  const auto is_in = [](double value, double above, double most) { return value > above && value <= most; };
  EXPECT_TRUE(is_in(kib(256, 0), 16, 32));
  EXPECT_TRUE(is_in(kib(256, 10), 100, 132));
  EXPECT_TRUE(is_in(kib(256, 20), 164, 196));
  EXPECT_TRUE(is_in(kib(256, 33), 196, 228)) << "six";
  EXPECT_TRUE(is_in(kib(256, 74), 196, 228)) << "three";
  EXPECT_TRUE(is_in(kib(1024, 0), 0, 8));
  EXPECT_TRUE(is_in(kib(1024, 10), 16, 32));
  EXPECT_TRUE(is_in(kib(1024, 20), 32, 64));
  EXPECT_TRUE(is_in(kib(1024, 33), 64, 100));
  EXPECT_TRUE(is_in(kib(1024, 50), 100, 132));
  EXPECT_TRUE(is_in(kib(1024, 74), 132, 164));
  EXPECT_TRUE(is_in(kib(1024, 110), 196, 228));
}

}  // namespace
}  // namespace warpclock
