#include "gpu/device/peer.hpp"

#include <fmt/format.h>

#include <array>

namespace warpclock {
namespace {

int attribute(const Driver& driver, CUdevice_P2PAttribute which, CUdevice from, CUdevice to) {
  int value = 0;
  return driver.cuDeviceGetP2PAttribute(&value, which, from, to) == CUDA_SUCCESS ? value : 0;
}

}  // namespace

Peer::~Peer() {
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease(*device_);
}

Expected<void> Peer::open() {
  int count = 0;
  WARPCLOCK_TRY(check(driver_, driver_.cuDeviceGetCount(&count), "counting GPUs"));
  if (count < 2) return fail(ErrorCode::Peer, "there is no second GPU");
  for (int index = 0; index < count && !device_; ++index) {
    CUdevice other = 0;
    WARPCLOCK_TRY(check(driver_, driver_.cuDeviceGet(&other, index), "looking for a second GPU"));
    int reachable = 0;
    if (other == self_) continue;
    WARPCLOCK_TRY(check(driver_, driver_.cuDeviceCanAccessPeer(&reachable, self_, other), "looking for a second GPU"));
    if (reachable != 0) device_ = other;
  }
  if (!device_)
    return fail(ErrorCode::Peer, fmt::format("none of the {} other GPUs can be reached from this one", count - 1));
  WARPCLOCK_TRY(check(driver_, driver_.cuCtxGetCurrent(&own_), "opening a second GPU"));
  CUcontext context = nullptr;
  WARPCLOCK_TRY(check(driver_, driver_.cuDevicePrimaryCtxRetain(&context, *device_), "opening a second GPU"));
  const auto reached = check(driver_, driver_.cuCtxEnablePeerAccess(context, 0), "reaching a second GPU");
  if (reached) {
    context_ = context;
  } else {
    driver_.cuDevicePrimaryCtxRelease(*device_);
  }
  return reached;
}

Expected<void> Peer::enter() {
  if (context_ == nullptr) WARPCLOCK_TRY(open());
  return check(driver_, driver_.cuCtxSetCurrent(context_), "using a second GPU");
}

Expected<void> Peer::leave() { return check(driver_, driver_.cuCtxSetCurrent(own_), "leaving a second GPU"); }

std::vector<std::string> peers_in_words(const Driver& driver, CUdevice self) {
  std::vector<std::string> peers;
  int count = 0;
  if (driver.cuDeviceGetCount(&count) != CUDA_SUCCESS) return peers;
  for (int index = 0; index < count; ++index) {
    CUdevice other = 0;
    if (driver.cuDeviceGet(&other, index) != CUDA_SUCCESS || other == self) continue;
    std::array<char, 256> name{};
    if (driver.cuDeviceGetName(name.data(), name.size() - 1, other) != CUDA_SUCCESS) continue;
    std::string text = name.data();
    if (attribute(driver, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, self, other) == 0) {
      peers.push_back(text + ", not in reach");
      continue;
    }
    text +=
        fmt::format(", performance rank {}", attribute(driver, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, self, other));
    if (attribute(driver, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, self, other) != 0)
      text += ", native atomics";
    peers.push_back(std::move(text));
  }
  return peers;
}

}  // namespace warpclock
