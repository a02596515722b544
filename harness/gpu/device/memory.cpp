#include "gpu/device/memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "base/lookup.hpp"

namespace warpclock {

namespace {

// The finaliser of MurmurHash3: every bit of the index affects every bit of the word.
std::uint32_t scramble(std::uint32_t v) {
  v = (v ^ (v >> 16)) * 0x85ebca6bU;
  v = (v ^ (v >> 13)) * 0xc2b2ae35U;
  return v ^ (v >> 16);
}

std::uint32_t random_word(std::size_t index) { return scramble(static_cast<std::uint32_t>(index) + 0x9e3779b9U); }

// k / 1024 as f16, for k in -1024 .. 1023. The value is exact and below 1 in magnitude (or -1). So a word that holds it
// never has an exponent field of all ones, whether read as f16, bf16, f32 or f64.
std::uint32_t unit_half(std::uint32_t random) {
  const int k = static_cast<int>(random & 2047) - 1024;
  if (k == 0) return 0;
  const std::uint32_t sign = k < 0 ? 0x8000U : 0;
  auto fraction = static_cast<std::uint32_t>(k < 0 ? -k : k);
  std::uint32_t exponent = 15;
  while (fraction < 1024) {
    fraction <<= 1;
    --exponent;
  }
  return sign | exponent << 10 | (fraction & 1023);
}

std::vector<std::uint32_t> ascending(std::uint64_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

// The order of a walk through all slots. Any order gives a single cycle. The first slot stays first, so that a walk can
// begin at the start of the buffer.
std::vector<std::uint32_t> shuffled(std::uint64_t count) {
  std::vector<std::uint32_t> order = ascending(count);
  std::uint64_t state = 0x9e3779b97f4a7c15U;
  for (std::uint64_t left = count; left > 2; --left) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator, whose upper half is good
    const std::uint64_t pick = 1 + ((state >> 32) * (left - 1) >> 32);
    std::swap(order[left - 1], order[pick]);
  }
  return order;
}

}  // namespace

Expected<std::vector<std::uint32_t>> fill_pattern(const Data& data, std::uint64_t base,
                                                  std::vector<std::uint32_t> memory) {
  if (data.bytes <= 0) return fail("data", fmt::format("a buffer of {} bytes", data.bytes));
  const auto words = static_cast<std::size_t>((data.bytes + 3) / 4);
  const std::size_t period = std::min<std::size_t>(words, random_period_bytes / 4);
  std::vector<std::uint32_t> pattern = std::move(memory);
  switch (data.fill) {
    case Fill::Zeros:
      pattern.assign(1, 0);
      return pattern;
    case Fill::Bits:
      pattern.assign(period, 0);
      for (std::size_t i = 0; i < period; ++i) pattern[i] = random_word(i);
      return pattern;
    case Fill::Unit:
      pattern.assign(period, 0);
      for (std::size_t i = 0; i < period; ++i) {
        const std::uint32_t random = random_word(i);
        pattern[i] = unit_half(random) | unit_half(random >> 16) << 16;
      }
      return pattern;
    case Fill::Lanes:
      pattern.assign(words, 0);
      std::iota(pattern.begin(), pattern.end(), 0U);
      return pattern;
    case Fill::Pointers:
    case Fill::Chase:
    case Fill::Indices: {
      const bool indices = data.fill == Fill::Indices;
      const std::int64_t size = indices ? 4 : 8;
      if (data.stride < size || data.stride % size != 0 || data.stride > data.bytes) {
        return fail("data", fmt::format("a chain of {} {} bytes apart in {} bytes; the distance must be a multiple "
                                        "of {} and at most the buffer's size",
                                        indices ? "indices" : "pointers", data.stride, data.bytes, size));
      }
      if (indices && words > (std::uint64_t{1} << 32)) {
        return fail("data", fmt::format("32-bit indices through {} bytes", data.bytes));
      }
      pattern.assign(words, 0);
      const auto slots = static_cast<std::uint64_t>(data.bytes / data.stride);
      const auto stride = static_cast<std::uint64_t>(data.stride);
      const std::vector<std::uint32_t> order = data.fill == Fill::Pointers ? ascending(slots) : shuffled(slots);
      for (std::uint64_t i = 0; i < slots; ++i) {
        const std::uint64_t slot = order[i] * stride;
        const std::uint64_t distance = order[i + 1 == slots ? 0 : i + 1] * stride;
        if (indices) {
          pattern[slot / 4] = static_cast<std::uint32_t>(distance / 4);
          continue;
        }
        const std::uint64_t next = base + distance;
        pattern[slot / 4] = static_cast<std::uint32_t>(next);
        pattern[slot / 4 + 1] = static_cast<std::uint32_t>(next >> 32);
      }
      return pattern;
    }
  }
  return fail("data", "an unknown fill");
}

namespace {

std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

DeviceBuffer::~DeviceBuffer() {
  if (allocated_ != 0) driver_.cuMemFree(allocated_);
}

Expected<void> DeviceBuffer::ensure(std::int64_t bytes) {
  if (bytes <= bytes_) return {};
  if (allocated_ != 0) {
    const CUdeviceptr old = allocated_;
    allocated_ = 0;
    bytes_ = 0;
    WARPCLOCK_TRY(check(driver_, driver_.cuMemFree(old), "freeing device memory"));
  }
  const CUresult result = driver_.cuMemAlloc(&allocated_, size(bytes + alignment_ - 1));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    allocated_ = 0;
    return fail(ErrorCode::Memory, fmt::format("the device has no {} bytes of memory left", bytes));
  }
  WARPCLOCK_TRY(check(driver_, result, "allocating device memory"));
  bytes_ = bytes;
  return {};
}

Expected<void> DeviceBuffer::repeat(std::span<const std::byte> pattern, std::int64_t bytes) {
  const std::size_t all = size(bytes);
  std::size_t done = std::min(pattern.size(), all);
  WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyHtoD(address(), pattern.data(), done), "uploading data"));
  while (done < all) {
    const std::size_t more = std::min(done, all - done);
    WARPCLOCK_TRY(
        check(driver_, driver_.cuMemcpyDtoDAsync(address() + done, address(), more, nullptr), "repeating data"));
    done += more;
  }
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
  return master_.repeat(std::as_bytes(std::span(pattern_)), padded);
}

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
