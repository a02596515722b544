#include "gpu/launch/tensor_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/lookup.hpp"

namespace warpclock {

void Texture::drop() {
  if (handle_ != 0) driver_.cuTexObjectDestroy(handle_);
  handle_ = 0;
}

Expected<void> Texture::bind(const std::string& texel, CUdeviceptr address, std::int64_t bytes) {
  constexpr std::int64_t most_texels = std::int64_t{1} << 28;  // CUDA Programming Guide, "Technical Specifications"
  drop();
  if (texel.empty()) return {};
  const unsigned channels = texel == "u32x4" ? 4 : 1;
  const std::int64_t texels = bytes / (std::int64_t{4} * channels);
  if (texels > most_texels) {
    return fail("data", fmt::format("a texture of {} texels; a linear one can have {}", texels, most_texels));
  }
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = address;
  resource.res.linear.format = texel == "f32" ? CU_AD_FORMAT_FLOAT : CU_AD_FORMAT_UNSIGNED_INT32;
  resource.res.linear.numChannels = channels;
  resource.res.linear.sizeInBytes = static_cast<std::size_t>(bytes);
  CUDA_TEXTURE_DESC how{};
  how.filterMode = CU_TR_FILTER_MODE_POINT;
  how.flags = texel == "f32" ? 0 : CU_TRSF_READ_AS_INTEGER;
  return check(driver_, driver_.cuTexObjectCreate(&handle_, &resource, &how, nullptr), "making a texture");
}

namespace {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));

template <class E>
E driver_enum(const std::vector<std::string>& words, const std::string& word) {
  return static_cast<E>(std::ranges::find(words, word) - words.begin());
}

std::string described(const Tensor& tensor) {
  std::string text = fmt::format("a tensor map of {} [{}]", tensor.type, fmt::join(tensor.dims, ", "));
  if (tensor.box.empty()) {
    text += fmt::format(", im2col of {} channels and {} pixels", tensor.channels, tensor.pixels);
  } else {
    text += fmt::format(", box [{}]", fmt::join(tensor.box, ", "));
  }
  return text + fmt::format(", swizzle {}, interleave {}", tensor.swizzle, tensor.interleave);
}

template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
  return mapped(values, [](const From& value) { return static_cast<To>(value); });
}

// PTX ISA, "Tensor Dimension, size and format".
std::int64_t element_bytes(const std::string& type) {
  if (type == "u8") return 1;
  if (type == "u16" || type == "f16" || type == "bf16") return 2;
  if (type == "u64" || type == "s64" || type == "f64") return 8;
  return 4;
}

}  // namespace

Expected<TensorMap> encode(const Driver& driver, const Tensor& tensor, CUdeviceptr address, std::int64_t bytes) {
  if (tensor.type.empty()) return TensorMap{};
  const auto refuse = [&](std::string_view why) { return fail("data", fmt::format("{}: {}", described(tensor), why)); };
  std::vector<cuuint64_t> strides;  // in bytes, of all dimensions except the innermost
  std::int64_t size = element_bytes(tensor.type);
  for (const std::int64_t extent : tensor.dims) {
    if (extent < 1 || extent > bytes / size) return refuse(fmt::format("the buffer has {} bytes", bytes));
    size *= extent;
    strides.push_back(static_cast<cuuint64_t>(size));
  }
  if (strides.empty()) return refuse("no dimension");
  strides.pop_back();
  const TensorWords& words = tensor_words();
  const auto type = driver_enum<CUtensorMapDataType>(words.type, tensor.type);
  const auto interleave = driver_enum<CUtensorMapInterleave>(words.interleave, tensor.interleave);
  const auto swizzle = driver_enum<CUtensorMapSwizzle>(words.swizzle, tensor.swizzle);
  const auto promotion = driver_enum<CUtensorMapL2promotion>(words.promotion, tensor.promotion);
  const auto oob = driver_enum<CUtensorMapFloatOOBfill>(words.oob, tensor.oob);
  const auto rank = static_cast<cuuint32_t>(tensor.dims.size());
  const auto dims = converted<cuuint64_t>(tensor.dims);
  const std::vector<cuuint32_t> steps(tensor.dims.size(), 1);
  auto* base = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): the driver's own two spellings
  CUtensorMap map{};
  CUresult result = CUDA_SUCCESS;
  if (tensor.box.empty()) {
    const auto lower = converted<int>(tensor.lower);
    const auto upper = converted<int>(tensor.upper);
    result =
        driver.cuTensorMapEncodeIm2col(&map, type, rank, base, dims.data(), strides.data(), lower.data(), upper.data(),
                                       static_cast<cuuint32_t>(tensor.channels), static_cast<cuuint32_t>(tensor.pixels),
                                       steps.data(), interleave, swizzle, promotion, oob);
  } else {
    const auto box = converted<cuuint32_t>(tensor.box);
    result = driver.cuTensorMapEncodeTiled(&map, type, rank, base, dims.data(), strides.data(), box.data(),
                                           steps.data(), interleave, swizzle, promotion, oob);
  }
  if (result == CUDA_ERROR_INVALID_VALUE) return refuse("the driver takes no such map");
  WARPCLOCK_TRY(check(driver, result, "encoding a tensor map"));
  return std::bit_cast<TensorMap>(map);
}

}  // namespace warpclock
