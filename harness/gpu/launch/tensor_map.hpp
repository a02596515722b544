#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/job/args.hpp"
#include "plan/probe.hpp"

namespace warpclock {

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
