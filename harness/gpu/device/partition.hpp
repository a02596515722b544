#pragma once

#include "base/error.hpp"
#include "gpu/device/driver.hpp"

namespace warpclock {

/// A context whose kernels run on some SMs of a GPU only: a green context of the driver.
class GreenContext {
 public:
  /// Of at least so many SMs: the driver takes whole groups, of 8 on compute capability 9.0. The primary context is
  /// current. Errors: "usage" if the GPU has fewer; "no-driver" if the driver has none; "cuda", "fault".
  [[nodiscard]] static Expected<GreenContext> open(const Driver& driver, CUdevice device, int sms);
  GreenContext(GreenContext&& other) noexcept;
  GreenContext& operator=(GreenContext&&) = delete;
  ~GreenContext();

  [[nodiscard]] CUcontext context() const { return context_; }

 private:
  GreenContext(const Driver& driver, CUgreenCtx green) : driver_(driver), green_(green) {}

  const Driver& driver_;
  CUgreenCtx green_;
  CUcontext context_ = nullptr;
};

/// On how many SMs blocks run that fill the current context: the different %smid that they read. Errors: "clock"
/// if the driver cannot compile PTX; "memory", "cuda", "fault".
[[nodiscard]] Expected<int> count_sms(const Driver& driver, CUdevice device);

}  // namespace warpclock
