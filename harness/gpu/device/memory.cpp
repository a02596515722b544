#include "gpu/device/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "gpu/device/fill.hpp"

namespace warpclock {
namespace {

std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

DeviceBuffer::~DeviceBuffer() {
  if (address_ != 0) driver_.cuMemFree(address_);
}

Expected<void> DeviceBuffer::ensure(std::int64_t bytes) {
  if (bytes <= bytes_) return {};
  if (address_ != 0) {
    const CUdeviceptr old = address_;
    address_ = 0;
    bytes_ = 0;
    WARPCLOCK_TRY(check(driver_, driver_.cuMemFree(old), "freeing device memory"));
  }
  const CUresult result = driver_.cuMemAlloc(&address_, size(bytes));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    address_ = 0;
    return fail(ErrorCode::Memory, fmt::format("the device has no {} bytes of memory left", bytes));
  }
  WARPCLOCK_TRY(check(driver_, result, "allocating device memory"));
  bytes_ = bytes;
  return {};
}

Expected<void> DataBuffer::restore(const Data& data) {
  if (data.bytes <= 0 || data.bytes > std::numeric_limits<std::int64_t>::max() - 16) {
    return fail("data", fmt::format("a buffer of {} bytes", data.bytes));
  }
  const std::int64_t padded = (data.bytes + 15) / 16 * 16;
  is_far_ = data.peer;
  const auto clear = [&] {
    return check(driver_, driver_.cuMemsetD32Async(address(), 0, size(padded) / 4, nullptr), "clearing the data");
  };
  if (is_far_) {
    const auto ready = peer_.memory([&]() -> Expected<void> {
      WARPCLOCK_TRY(far_.ensure(padded));
      WARPCLOCK_TRY(clear());
      return check(driver_, driver_.cuStreamSynchronize(nullptr), "clearing the data");
    });
    if (!ready) return ready;
  } else {
    WARPCLOCK_TRY(own_.ensure(padded));
  }
  if (data.fill == Fill::Zeros) return is_far_ ? Expected<void>{} : clear();
  const Key key{data.bytes, data.fill, data.stride, address()};
  if (held_ != key) {
    held_.reset();
    WARPCLOCK_TRY(build_master(data, padded));
    held_ = key;
  }
  return check(driver_, driver_.cuMemcpyDtoDAsync(address(), master_.address(), size(padded), nullptr),
               "filling the data");
}

Expected<void> DataBuffer::build_master(const Data& data, std::int64_t padded) {
  pattern_ = WARPCLOCK_TRY(fill_pattern(data, address(), std::move(pattern_)));
  WARPCLOCK_TRY(master_.ensure(padded));
  std::int64_t done = std::min<std::int64_t>(static_cast<std::int64_t>(pattern_.size()) * 4, padded);
  WARPCLOCK_TRY(
      check(driver_, driver_.cuMemcpyHtoD(master_.address(), pattern_.data(), size(done)), "uploading the data"));
  while (done < padded) {
    const std::int64_t more = std::min(done, padded - done);
    WARPCLOCK_TRY(check(
        driver_, driver_.cuMemcpyDtoDAsync(master_.address() + size(done), master_.address(), size(more), nullptr),
        "repeating the data"));
    done += more;
  }
  return {};
}

}  // namespace warpclock
