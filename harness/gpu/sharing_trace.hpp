#pragma once

#include <chrono>
#include <fstream>
#include <string>

#include "gpu/clock.hpp"
#include "gpu/nvml.hpp"
#include "gpu/samples.hpp"

namespace warpclock {

/// What the device says about other work on it, raw, a JSON line each, into the file that WARPCLOCK_SHARING_TRACE
/// names.
class SharingTrace {
 public:
  SharingTrace();

  [[nodiscard]] bool on() const { return file_.is_open(); }
  void job(const std::string& id);
  void look(const char* when, const ClockLook& look);
  void nvml(const char* when, const Nvml& nvml);
  void samples(const Samples& samples);

 private:
  [[nodiscard]] double ms() const;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::ofstream file_;
};

}  // namespace warpclock
