#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/counters/metric_host.hpp"

struct CUctx_st;
struct CUpti_RangeProfiler_Object;

namespace warpclock {

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
