#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

struct CUpti_Profiler_Host_Object;

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

}  // namespace warpclock
