#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/job/job.hpp"
#include "plan/plan.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// Period of random fills in bytes: a large buffer then costs a copy on the device and not an upload.
constexpr std::int64_t random_period_bytes = 4 << 20;

/// The words at the start of a buffer; the rest of the buffer repeats them. One period for the random fills, the whole
/// buffer for Lanes and the chains, a single 0 for Zeros. `base` is the device address of the buffer, to which Pointers
/// refer: slot i, at base + i * stride, holds the address of slot i + 1, and the last slot that of the first. Chase and
/// Indices visit the slots in random order; Indices hold distances from the start of the buffer in units of 4 bytes.
/// The same arguments give the same words in every run. `memory` is reused for the result if it is large enough,
/// because new memory from the system costs more than the writing. Error "data" if bytes is not positive, if the stride
/// of a chain exceeds `bytes` or is not a multiple of a slot's content (8 bytes, or 4 for an index), or if 32-bit
/// indices cannot reach the whole buffer.
[[nodiscard]] Expected<std::vector<std::uint32_t>> fill_pattern(const Data& data, std::uint64_t base,
                                                                std::vector<std::uint32_t> memory = {});

/// A device allocation that only grows. Growing discards the contents and changes the address.
class DeviceBuffer {
 public:
  /// `alignment`: a power of two, to a multiple of which its address is rounded.
  explicit DeviceBuffer(const Driver& driver, std::int64_t alignment = 1) : driver_(driver), alignment_(alignment) {}
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer();

  /// Error "memory" if the device has not enough memory left.
  [[nodiscard]] Expected<void> ensure(std::int64_t bytes);
  /// Fills the first `bytes`, for which there is room, with repetitions of the pattern. Error "fault".
  [[nodiscard]] Expected<void> repeat(std::span<const std::byte> pattern, std::int64_t bytes);
  [[nodiscard]] CUdeviceptr address() const {
    const auto mask = static_cast<CUdeviceptr>(alignment_) - 1;
    return (allocated_ + mask) & ~mask;
  }

 private:
  const Driver& driver_;
  std::int64_t alignment_;
  CUdeviceptr allocated_ = 0;
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

/// A texture object over the data buffer: one-dimensional, linear, unnormalized coordinates, no filter.
class Texture {
 public:
  explicit Texture(const Driver& driver) : driver_(driver) {}
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  ~Texture() { drop(); }

  /// `texel` is "u32", "f32", "u32x4", or empty for none. Errors: "data" if there are more texels than a linear texture
  /// may have, "cuda", "fault".
  [[nodiscard]] Expected<void> bind(const std::string& texel, CUdeviceptr address, std::int64_t bytes);
  /// 0 if no texture is bound.
  [[nodiscard]] CUtexObject handle() const { return handle_; }

 private:
  void drop();

  const Driver& driver_;
  CUtexObject handle_ = 0;
};

/// The tensor's map over `bytes` bytes at `address`; zeros for no tensor. Errors: "data" if the tensor is larger than
/// the buffer or the driver rejects it, with a description of the tensor; "fault".
[[nodiscard]] Expected<TensorMap> encode(const Driver& driver, const Tensor& tensor, CUdeviceptr address,
                                         std::int64_t bytes);

}  // namespace warpclock
