#pragma once

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/job/args.hpp"
#include "plan/tensor.hpp"

namespace warpclock {

/// The tensor's map over `bytes` bytes at `address`; zeros for no tensor. Errors: "data" where the tensor is larger
/// than the buffer or the driver does not take it, with what was asked for; "fault".
[[nodiscard]] Expected<TensorMap> encode(const Driver& driver, const Tensor& tensor, CUdeviceptr address,
                                         std::int64_t bytes);

}  // namespace warpclock
