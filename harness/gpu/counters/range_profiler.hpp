#pragma once

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/counters/counters.hpp"

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

/// CUPTI's host-side knowledge of one chip and one set of metrics: how to collect them, and how to evaluate the
/// collected image. Needs no GPU. Only in builds with CUPTI.
class MetricHost {
 public:
  /// `availability` is the device's image of the counters that it can provide; empty if there is no device. It must
  /// outlive the host. Errors: "counters-absent" (unknown chip), "counters-unknown" (a name that the chip does not
  /// have, or an empty list), "counters".
  [[nodiscard]] static Expected<MetricHost> open(const std::string& chip, const std::vector<std::string>& names,
                                                 const std::vector<std::uint8_t>& availability = {});

  /// What the profiler must collect, and in how many passes.
  [[nodiscard]] const std::vector<std::uint8_t>& config() const { return config_; }
  [[nodiscard]] std::size_t passes() const { return passes_; }

  /// Values in the order of the names given to open(); NaN if the image holds none.
  [[nodiscard]] Expected<std::vector<double>> evaluate(const std::vector<std::uint8_t>& counter_data,
                                                       std::size_t range) const;

 private:
  struct Deinitialize {
    void operator()(CUpti_Profiler_Host_Object* object) const;
  };

  Expected<void> schedule();

  std::unique_ptr<CUpti_Profiler_Host_Object, Deinitialize> object_;
  std::vector<std::string> names_;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
};

/// The device side of counters: CUPTI's Range Profiler, enabled on a context from enable() until destruction. Only in
/// builds with CUPTI.
class RangeProfiler {
 public:
  /// Errors as Counters::open.
  [[nodiscard]] static Expected<RangeProfiler> enable(CUctx_st* context);

  /// An empty image for `ranges` ranges of `names`.
  [[nodiscard]] Expected<std::vector<std::uint8_t>> counter_data(const std::vector<std::string>& names,
                                                                 std::size_t ranges) const;

  /// Counts what `host` schedules over each of `launches`, which are all repeated in each pass, and stores it in
  /// `image`, which must hold as many ranges. Returns the index in the image of each launch's range, in the order of
  /// the launches. After an error neither the profiler nor the image can be used.
  [[nodiscard]] Expected<std::vector<std::size_t>> collect(const MetricHost& host, std::vector<std::uint8_t>& image,
                                                           const std::vector<CountedLaunch>& launches);

 private:
  struct Disable {
    void operator()(CUpti_RangeProfiler_Object* object) const;
  };

  Expected<void> configure(const MetricHost& host, std::vector<std::uint8_t>& image, std::size_t ranges);
  Expected<bool> pass(const std::vector<CountedLaunch>& launches);
  Expected<std::vector<std::size_t>> decode(const std::vector<std::uint8_t>& image, std::size_t ranges);

  std::unique_ptr<CUpti_RangeProfiler_Object, Disable> object_;
};

}  // namespace warpclock
