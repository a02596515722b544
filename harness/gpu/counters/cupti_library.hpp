#pragma once

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

/// The functions of CUPTI in use.
#define WARPCLOCK_CUPTI_FUNCTIONS(X)              \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiEnableCallback)                          \
  X(cuptiGetDeviceId)                             \
  X(cuptiGetResultString)                         \
  X(cuptiProfilerDeviceSupported)                 \
  X(cuptiProfilerGetCounterAvailability)          \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostGetSupportedChips)           \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerInitialize)                      \
  X(cuptiRangeProfilerCounterDataGetRangeInfo)    \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerGetCounterDataInfo)         \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiSubscribe)                               \
  X(cuptiUnsubscribe)

/// A zeroed CUPTI parameter struct with its own size filled in, as each call requires.
#define WARPCLOCK_CUPTI_PARAMS(type, name) \
  type name{};                             \
  name.structSize = type##_STRUCT_SIZE

namespace warpclock {

struct Cupti {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses.
#define WARPCLOCK_DECLARE(name) decltype(&::name) name = nullptr;
  WARPCLOCK_CUPTI_FUNCTIONS(WARPCLOCK_DECLARE)
#undef WARPCLOCK_DECLARE
};

/// CUPTI, loaded at the first call. Error "counters-absent" if there is none, or if it lacks a function.
[[nodiscard]] const Expected<Cupti>& cupti_library();

/// Its functions, for code that only runs once cupti_library() has given them.
[[nodiscard]] inline const Cupti& cupti() { return *cupti_library(); }

/// CUPTI's result as an error: "counters-refused" without permission, "counters-absent" if CUPTI does not support this
/// device, chip or driver, "counters" otherwise. The text says what was being done and how CUPTI names the failure.
[[nodiscard]] Expected<void> check_cupti(CUptiResult result, std::string_view doing);

/// The list of C strings that CUPTI takes for `names`; valid as long as `names`.
[[nodiscard]] inline std::vector<const char*> name_pointers(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

}  // namespace warpclock
