#pragma once

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

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

}  // namespace warpclock
