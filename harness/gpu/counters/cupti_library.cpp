#if defined(WARPCLOCK_HAVE_CUPTI)

#include "gpu/counters/cupti_library.hpp"

#include <fmt/format.h>

#include "code/toolkit.hpp"
#include "gpu/counters/counters.hpp"

namespace warpclock {
namespace {

Expected<Cupti> load_cupti() {
  const auto handle = load_library({.name = "libcupti.so",
                                    .built_with = WARPCLOCK_CUPTI_DEFAULT,
                                    .companions = {"libnvperf_host.so", "libnvperf_target.so"}});
  if (!handle) return std::unexpected(counters_absent(handle.error().text));
  Cupti functions;
  const char* missing = nullptr;
#define WARPCLOCK_LOAD(name)                     \
  load_function(*handle, #name, functions.name); \
  if (functions.name == nullptr) missing = #name;
  WARPCLOCK_CUPTI_FUNCTIONS(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  if (missing != nullptr)
    return std::unexpected(counters_absent(fmt::format("CUPTI has no {}: install CUDA Toolkit 13.0", missing)));
  return functions;
}

const char* name_of(CUptiResult result) {
  const char* name = nullptr;
  return cupti().cuptiGetResultString(result, &name) == CUPTI_SUCCESS && name != nullptr ? name : "unknown CUPTI error";
}

const char* why_absent(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not serve this virtual GPU";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "CUPTI's profiler does not work under confidential computing";
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not serve mining cards";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not serve this MIG instance";
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not work with SLI";
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not work under this WSL";
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return "this CUPTI does not know the chip; a newer CUDA Toolkit may";
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_API_NOT_IMPLEMENTED:
      return "CUPTI's profiler does not serve this device or driver";
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler holds this process";
    default:
      return nullptr;
  }
}

}  // namespace

const Expected<Cupti>& cupti_library() {
  static const Expected<Cupti> library = load_cupti();
  return library;
}

Expected<void> check_cupti(CUptiResult result, std::string_view doing) {
  if (result == CUPTI_SUCCESS) return {};
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) return std::unexpected(counters_refused());
  if (result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
    return fail("counters-refused",
                "the host of this virtual GPU does not allow profiling: enable it for the virtual machine (vGPU plugin "
                "parameter enable_profiling)");
  }
  const std::string seen = fmt::format("{} ({}) while {}", name_of(result), static_cast<int>(result), doing);
  if (const char* why = why_absent(result)) return std::unexpected(counters_absent(fmt::format("{} [{}]", why, seen)));
  if (result == CUPTI_ERROR_HARDWARE_BUSY) {
    return fail(ErrorCode::Counters,
                fmt::format("another process is profiling this GPU: end it and run again [{}]", seen));
  }
  return fail(ErrorCode::Counters, fmt::format("CUPTI failed: {}", seen));
}

}  // namespace warpclock

#endif
