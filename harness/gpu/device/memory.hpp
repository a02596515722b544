#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/peer.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// A device allocation that only grows. Growing discards the contents and changes the address.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(const Driver& driver) : driver_(driver) {}
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer();

  /// Error "memory" if the device has not enough memory left.
  [[nodiscard]] Expected<void> ensure(std::int64_t bytes);
  [[nodiscard]] CUdeviceptr address() const { return address_; }

 private:
  const Driver& driver_;
  CUdeviceptr address_ = 0;
  std::int64_t bytes_ = 0;
};

/// The buffer that kernels get as `args.data`, restored before each use from a copy on the device.
class DataBuffer {
 public:
  DataBuffer(const Driver& driver, CUdevice device)
      : driver_(driver), peer_(driver, device), own_(driver), far_(driver), master_(driver) {}

  /// Fills the buffer with `data`'s pattern (see fill_pattern), in stream order. Errors: "data", "memory", "peer",
  /// "fault".
  [[nodiscard]] Expected<void> restore(const Data& data);
  [[nodiscard]] CUdeviceptr address() const { return (is_far_ ? far_ : own_).address(); }

 private:
  struct Key {
    std::int64_t bytes;
    Fill fill;
    std::int64_t stride;
    CUdeviceptr address;
    bool operator==(const Key&) const = default;
  };

  [[nodiscard]] Expected<void> build_master(const Data& data, std::int64_t padded);

  const Driver& driver_;
  Peer peer_;
  DeviceBuffer own_, far_, master_;
  bool is_far_ = false;
  std::optional<Key> held_;  // the pattern in master_
  std::vector<std::uint32_t> pattern_;
};

}  // namespace warpclock
