#include "gpu/device/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "gpu/device/memory.hpp"

namespace warpclock {
namespace {

/// %smid is below this on every GPU.
constexpr std::uint32_t most_smids = 1024;
constexpr unsigned threads = 1024, blocks_per_sm = 4;

/// Each block notes where it is and stays for 20,000 cycles, so that those after it go elsewhere.
constexpr const char* sms_ptx = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .entry warpclock_sms(.param .u64 seen)
{
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %q<8>;

  ld.param.u64 %q1, [seen];
  cvta.to.global.u64 %q1, %q1;
  mov.u32 %r1, %smid;
  setp.ge.u32 %p1, %r1, 1024;
  @%p1 ret;
  mul.wide.u32 %q2, %r1, 4;
  add.u64 %q3, %q1, %q2;
  mov.u32 %r2, 1;
  st.global.u32 [%q3], %r2;
  mov.u64 %q4, %clock64;
STAY:
  mov.u64 %q5, %clock64;
  sub.u64 %q6, %q5, %q4;
  setp.lt.u64 %p2, %q6, 20000;
  @%p2 bra STAY;
  ret;
}
)";

}  // namespace

Expected<GreenContext> GreenContext::open(const Driver& driver, CUdevice device, int sms) {
  if (driver.cuGreenCtxCreate == nullptr || driver.cuDevSmResourceSplitByCount == nullptr ||
      driver.cuDeviceGetDevResource == nullptr || driver.cuDevResourceGenerateDesc == nullptr ||
      driver.cuCtxFromGreenCtx == nullptr || driver.cuGreenCtxDestroy == nullptr)
    return fail("no-driver", "the NVIDIA driver has no green contexts: they need one of CUDA 12.4 or later");
  constexpr std::string_view doing = "making a green context";
  CUdevResource all{}, part{}, rest{};
  WARPCLOCK_TRY(check(driver, driver.cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM), doing));
  const auto most = static_cast<int>(all.sm.smCount);
  if (sms < 1 || sms > most)
    return fail("usage", fmt::format("--sms is {}, and the GPU has {} SMs: give 1 to {}", sms, most, most));
  unsigned groups = 1;
  WARPCLOCK_TRY(check(
      driver, driver.cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, static_cast<unsigned>(sms)), doing));
  CUdevResourceDesc description = nullptr;
  WARPCLOCK_TRY(check(driver, driver.cuDevResourceGenerateDesc(&description, &part, 1), doing));
  CUgreenCtx green = nullptr;
  WARPCLOCK_TRY(
      check(driver, driver.cuGreenCtxCreate(&green, description, device, CU_GREEN_CTX_DEFAULT_STREAM), doing));
  GreenContext made(driver, green);
  WARPCLOCK_TRY(check(driver, driver.cuCtxFromGreenCtx(&made.context_, green), doing));
  return made;
}

GreenContext::GreenContext(GreenContext&& other) noexcept
    : driver_(other.driver_), green_(std::exchange(other.green_, nullptr)), context_(other.context_) {}

GreenContext::~GreenContext() {
  if (green_ != nullptr) driver_.cuGreenCtxDestroy(green_);
}

Expected<int> count_sms(const Driver& driver, CUdevice device) {
  constexpr std::string_view doing = "counting the SMs that kernels run on";
  DeviceBuffer seen(driver);
  WARPCLOCK_TRY(seen.ensure(most_smids * sizeof(std::uint32_t)));
  CUmodule module = nullptr;
  if (const auto loaded = check(driver, driver.cuModuleLoadData(&module, sms_ptx), doing); !loaded)
    return fail(loaded.error().code == ErrorCode::Fault ? ErrorCode::Fault : ErrorCode::ClockKernel,
                loaded.error().text);
  std::array<std::uint32_t, most_smids> found{};
  const auto count = [&]() -> Expected<void> {
    CUfunction kernel = nullptr;
    WARPCLOCK_TRY(check(driver, driver.cuModuleGetFunction(&kernel, module, "warpclock_sms"), doing));
    WARPCLOCK_TRY(check(driver, driver.cuMemsetD32Async(seen.address(), 0, most_smids, nullptr), doing));
    CUdeviceptr out = seen.address();
    void* parameters[] = {&out};
    const int most = device_attribute(driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    const auto config = launch_config({blocks_per_sm * static_cast<unsigned>(most), 1, 1}, {threads, 1, 1});
    WARPCLOCK_TRY(check(driver, driver.cuLaunchKernelEx(&config, kernel, parameters, nullptr), doing));
    return check(driver, driver.cuMemcpyDtoH(found.data(), seen.address(), sizeof found), doing);
  }();
  driver.cuModuleUnload(module);
  WARPCLOCK_TRY(count);
  return static_cast<int>(std::ranges::count(found, 1U));
}

}  // namespace warpclock
