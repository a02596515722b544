#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/metric_host.hpp"

struct CUctx_st;
struct CUpti_RangeProfiler_Object;

namespace warpclock {

/// The device's side of counters: CUPTI's Range Profiler, enabled on a context from enable() to destruction.
/// Only in builds with CUPTI.
class RangeProfiler {
 public:
  using Work = std::function<Expected<void>()>;

  /// Errors as Counters::open.
  [[nodiscard]] static Expected<RangeProfiler> enable(CUctx_st* context);

  /// An empty image that holds one range of `names`.
  [[nodiscard]] Expected<std::vector<std::uint8_t>> counter_data(const std::vector<std::string>& names) const;

  /// Fills `image` with what `host` schedules, counted over `launch`; as often as passes are needed, first `prepare`
  /// uncounted, then `launch`. Neither the profiler nor the image is of use after an error.
  [[nodiscard]] Expected<void> collect(const MetricHost& host, std::vector<std::uint8_t>& image, const Work& prepare,
                                       const Work& launch);

 private:
  struct Disable {
    void operator()(CUpti_RangeProfiler_Object* object) const;
  };

  Expected<void> configure(const MetricHost& host, std::vector<std::uint8_t>& image);
  Expected<bool> pass(const Work& prepare, const Work& launch);
  Expected<void> decode(const std::vector<std::uint8_t>& image);

  std::unique_ptr<CUpti_RangeProfiler_Object, Disable> object_;
};

}  // namespace warpclock
