#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"

namespace warpclock {

/// Another GPU whose memory the kernels of this one can access.
class Peer {
 public:
  /// `self` is the device whose context is current when memory() is called.
  Peer(const Driver& driver, CUdevice self) : driver_(driver), self_(self) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  /// Runs `allocate` with the peer's context current. The first call opens the first other GPU in reach. Errors: "peer"
  /// if there is none, with the reason; those of `allocate`; "cuda", "fault".
  template <class Allocate>
  [[nodiscard]] Expected<void> memory(Allocate&& allocate) {
    WARPCLOCK_TRY(enter());
    Expected<void> done = allocate();
    const Expected<void> left = leave();
    return done ? left : done;
  }

 private:
  [[nodiscard]] Expected<void> open();
  [[nodiscard]] Expected<void> enter();
  [[nodiscard]] Expected<void> leave();

  const Driver& driver_;
  CUdevice self_;
  CUcontext own_ = nullptr;
  std::optional<CUdevice> device_;
  CUcontext context_ = nullptr;
};

/// The other GPUs, each with a description of how it is reached.
[[nodiscard]] std::vector<std::string> peers_in_words(const Driver& driver, CUdevice self);

}  // namespace warpclock
