#pragma once

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/job/args.hpp"
#include "plan/tensor.hpp"

namespace warpclock {

/// The tensor's map over `bytes` bytes at `address`; zeros for no tensor. Errors: "data" if the tensor is larger than
/// the buffer or the driver rejects it, with a description of the tensor; "fault".
[[nodiscard]] Expected<TensorMap> encode(const Driver& driver, const Tensor& tensor, CUdeviceptr address,
                                         std::int64_t bytes);

}  // namespace warpclock
