#include "gpu/device/texture.hpp"

#include <fmt/format.h>

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

}  // namespace warpclock
