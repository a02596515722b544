#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/counters/counters.hpp"

struct CUpti_Profiler_Host_Object;
struct CUctx_st;
struct CUpti_RangeProfiler_Object;

namespace warpclock {

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
