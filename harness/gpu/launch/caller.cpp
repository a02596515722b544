#include "gpu/launch/caller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/elapsed.hpp"
#include "base/files/file.hpp"
#include "base/text.hpp"
#include "compile/compiler/nvrtc.hpp"

namespace warpclock {

namespace {

constexpr int timed_loads = 5;

/// Loads and unloads PTX or a cubin; returns the microseconds of the loading.
Expected<double> load_once(const Driver& driver, const std::string& image, std::string_view doing) {
  std::array<char, 8192> log{};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes the size in place of a pointer.
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  const auto started = Time::now();
  const auto loaded = check(
      driver, driver.cuModuleLoadDataEx(&module, image.c_str(), options.size(), options.data(), values.data()), doing);
  const double us = seconds_since(started) * 1e6;
  if (loaded) {
    WARPCLOCK_TRY(check(driver, driver.cuModuleUnload(module), "unloading a module"));
    return us;
  }
  log.back() = '\0';
  const std::string said(trim(log.data()));
  if (said.empty() || loaded.error().code != ErrorCode::Cuda) return std::unexpected(loaded.error());
  Compilation failed;
  failed.ptx = image;
  failed.log = said;
  return std::unexpected(compile_error(failed));
}

}  // namespace

Expected<Observation> assemble_by_driver(const Driver& driver, const Job& job, const LoadedCode& loaded_code) {
  const auto ptx = WARPCLOCK_TRY(read_file(job.ptx_path));
  constexpr std::string_view assembling = "assembling PTX", loading = "loading a cubin";
  Observation seen;
  // Also loads the driver's compiler, which is in none of the timed loads.
  const auto first_load = [&]() -> Expected<void> {
    (void)WARPCLOCK_TRY(load_once(driver, ptx, assembling));
    return {};
  };
  const auto cubin = WARPCLOCK_TRY(loaded_code(first_load));
  WARPCLOCK_TRY(write_file_atomically(job.cubin_path, cubin, Synced::No));
  for (int i = 0; i < timed_loads; ++i) {
    seen.jit_us.push_back(WARPCLOCK_TRY(load_once(driver, ptx, assembling)));
    seen.load_us.push_back(WARPCLOCK_TRY(load_once(driver, cubin, loading)));
  }
  return seen;
}

namespace {

/// Longer than the host takes to put all launches of a batch into the stream, so that none of them waits for the host.
constexpr std::uint64_t hold_ns = 500'000;

/// Two for each launch.
class Events {
 public:
  explicit Events(const Driver& driver) : driver_(driver) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    for (CUevent event : events_) driver_.cuEventDestroy(event);
  }

  Expected<void> record() {
    CUevent event = nullptr;
    WARPCLOCK_TRY(check(driver_, driver_.cuEventCreate(&event, CU_EVENT_DEFAULT), "making an event"));
    events_.push_back(event);
    return check(driver_, driver_.cuEventRecord(event, nullptr), "recording an event");
  }

  [[nodiscard]] Expected<std::vector<double>> microseconds() const {
    std::vector<double> all;
    for (std::size_t i = 0; i + 1 < events_.size(); i += 2) {
      float milliseconds = 0;
      WARPCLOCK_TRY(check(driver_, driver_.cuEventElapsedTime(&milliseconds, events_[i], events_[i + 1]),
                          "reading the time between two events"));
      all.push_back(1e3 * static_cast<double>(milliseconds));
    }
    return all;
  }

 private:
  const Driver& driver_;
  std::vector<CUevent> events_;
};

std::string words_of(const Call& call) {
  return fmt::format("a grid of {} x {} x {} blocks of {} x {} x {} threads with {} B of dynamic shared memory",
                     call.grid[0], call.grid[1], call.grid[2], call.block[0], call.block[1], call.block[2],
                     call.shared_bytes);
}

}  // namespace

Expected<void> Caller::check_shape() const {
  constexpr std::size_t dimensions = 3;
  if (call_.grid.size() != dimensions || call_.block.size() != dimensions || call_.launches < 1)
    return fail("launch", "a grid and a block have three extents, and a job has at least one launch");
  int threads = 0, fixed = 0;
  WARPCLOCK_TRY(check(driver_, driver_.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function_),
                      "reading a kernel's limits"));
  WARPCLOCK_TRY(check(driver_, driver_.cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function_),
                      "reading a kernel's limits"));
  const std::int64_t asked = call_.block[0] * call_.block[1] * call_.block[2];
  if (asked < 1 || asked > threads)
    return fail("launch", fmt::format("{} threads of a block; this kernel allows {}", asked, threads));
  const int most = device_attribute(driver_, device_, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (call_.shared_bytes < 0 || call_.shared_bytes + fixed > most)
    return fail("launch", fmt::format("{} B of shared memory of a block ({} dynamic, {} static); the device allows {}",
                                      call_.shared_bytes + fixed, call_.shared_bytes, fixed, most));
  return {};
}

Expected<CUdeviceptr> Caller::filled(const CallArgument& argument) {
  // The driver packs small buffers, and which slices of L2 a few lines are in depends on where they are in 4 KiB.
  constexpr std::int64_t word = 4, alignment = 4096;
  auto& buffer = *buffers_.emplace_back(std::make_unique<DeviceBuffer>(driver_, alignment));
  const std::int64_t padded = (argument.bytes + word - 1) / word * word;
  WARPCLOCK_TRY(buffer.ensure(padded));
  const CUdeviceptr to = buffer.address();
  if (argument.fill == CallFill::Zeros) {
    WARPCLOCK_TRY(check(driver_, driver_.cuMemsetD32Async(to, 0, static_cast<std::size_t>(padded / word), nullptr),
                        "clearing a buffer"));
    return to;
  }
  const auto pattern = WARPCLOCK_TRY(call_pattern(argument));
  WARPCLOCK_TRY(buffer.repeat(pattern, argument.bytes));
  return to;
}

Expected<void> Caller::prepare(const std::string& cubin_path, const Call& call) {
  release();
  call_ = call;
  function_ = WARPCLOCK_TRY(modules_.function(cubin_path, call.symbol));
  WARPCLOCK_TRY(check_shape());
  WARPCLOCK_TRY(about_shape(check(driver_,
                                  driver_.cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                             static_cast<int>(call_.shared_bytes)),
                                  "preparing " + words_of(call_))));
  std::vector<std::uint64_t> addresses;
  for (const CallArgument& argument : call.arguments) {
    if (argument.bytes == 0) continue;
    const auto address = WARPCLOCK_TRY(filled(argument));
    addresses.push_back(address);
  }
  arguments_ = packed_arguments(call, addresses);
  return launcher_.wait("filling the buffers of a kernel");
}

void Caller::release() { buffers_.clear(); }

// The arguments go as one block, whose size the driver compares with what the kernel wants.
Expected<void> Caller::launch() {
  const auto extents = [](const std::vector<std::int64_t>& of) {
    return std::array{static_cast<unsigned>(of[0]), static_cast<unsigned>(of[1]), static_cast<unsigned>(of[2])};
  };
  const CUlaunchConfig config =
      launch_config(extents(call_.grid), extents(call_.block), static_cast<unsigned>(call_.shared_bytes));
  std::size_t bytes = arguments_.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments_.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  return about_shape(check(driver_, driver_.cuLaunchKernelEx(&config, function_, nullptr, bytes > 0 ? extra : nullptr),
                           "launching " + words_of(call_)));
}

Expected<void> Caller::launch_empty(CUfunction empty) {
  const CUlaunchConfig config = launch_config({1, 1, 1}, {32, 1, 1});
  return check(driver_, driver_.cuLaunchKernelEx(&config, empty, nullptr, nullptr), "launching an empty kernel");
}

Expected<void> Caller::finish() {
  return check(driver_, driver_.cuStreamSynchronize(nullptr), "running " + words_of(call_));
}

Expected<void> Caller::settle() {
  WARPCLOCK_TRY(call_.cold ? launcher_.sweep() : launch());
  return finish();
}

Expected<void> Caller::run() {
  WARPCLOCK_TRY(launch());
  return finish();
}

// A launch before the first one warms the instruction cache, and L2 if it is to be warm.
Expected<std::vector<double>> Caller::time_each(const std::function<Expected<void>()>& launch_one) {
  Events events(driver_);
  WARPCLOCK_TRY(launch_one());
  WARPCLOCK_TRY(finish());
  WARPCLOCK_TRY(meter_.hold(hold_ns));
  for (std::int64_t i = 0; i < call_.launches; ++i) {
    if (call_.cold) WARPCLOCK_TRY(launcher_.sweep());
    WARPCLOCK_TRY(events.record());
    WARPCLOCK_TRY(launch_one());
    WARPCLOCK_TRY(events.record());
  }
  WARPCLOCK_TRY(finish());
  return events.microseconds();
}

Expected<std::vector<double>> Caller::time() {
  return time_each([this] { return launch(); });
}

Expected<std::vector<double>> Caller::time_empty() {
  const auto empty = WARPCLOCK_TRY(meter_.empty_kernel());
  return time_each([this, empty] { return launch_empty(empty); });
}

Expected<LibraryTimes> Caller::time_library(const LoadCublas& load) {
  const auto cublas = WARPCLOCK_TRY(load());
  const auto handle = WARPCLOCK_TRY(CublasHandle::open(cublas));
  const LibraryGemm& size = call_.library;
  const auto matrix = [this](std::int64_t rows, std::int64_t columns, CallType type, CallFill fill) {
    return filled({.bytes = rows * columns * bytes_of(type), .type = type, .fill = fill});
  };
  const auto a = WARPCLOCK_TRY(matrix(size.m, size.k, CallType::F16, CallFill::Random));
  const auto b = WARPCLOCK_TRY(matrix(size.n, size.k, CallType::F16, CallFill::Random));
  const auto c = WARPCLOCK_TRY(matrix(size.m, size.n, CallType::F32, CallFill::Zeros));
  LibraryTimes times;
  times.version = WARPCLOCK_TRY(handle.version());
  times.us = WARPCLOCK_TRY(time_each([&] { return handle.multiply(size, a, b, c); }));
  return times;
}

}  // namespace warpclock
