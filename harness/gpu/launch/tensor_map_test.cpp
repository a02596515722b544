#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "gpu/device/memory.hpp"
#include "gpu/testing/fake_gpu.hpp"

namespace warpclock {
namespace {

Tensor tiled() {
  Tensor tensor;
  tensor.type = "f16";
  tensor.dims = {64, 32, 4};
  tensor.box = {64, 8, 1};
  tensor.swizzle = "128B";
  return tensor;
}

TEST(TensorMap, HasTheStridesOfDenseData) {
  const FakeGpu gpu;
  const auto map = must(encode(FakeGpu::driver(), tiled(), 0x1000, 64 * 32 * 4 * 2));
  EXPECT_THAT(gpu.dims, ElementsAre(64, 32, 4));
  EXPECT_THAT(gpu.strides, ElementsAre(128, 128 * 32));
  EXPECT_EQ(map.words[0], std::uint64_t{CU_TENSOR_MAP_DATA_TYPE_FLOAT16});
  EXPECT_EQ(map.words[2], std::uint64_t{CU_TENSOR_MAP_SWIZZLE_128B});
}

// The words of a config are in the order of the driver's enumerations.
TEST(TensorMap, WordsMeanWhatTheDriverCallsThem) {
  const TensorWords& words = tensor_words();
  ASSERT_EQ(words.type.size(), 13U);
  EXPECT_EQ(words.type[CU_TENSOR_MAP_DATA_TYPE_UINT8], "u8");
  EXPECT_EQ(words.type[CU_TENSOR_MAP_DATA_TYPE_INT64], "s64");
  EXPECT_EQ(words.type[CU_TENSOR_MAP_DATA_TYPE_BFLOAT16], "bf16");
  EXPECT_EQ(words.type[CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ], "tf32_ftz");
  EXPECT_EQ(words.swizzle[CU_TENSOR_MAP_SWIZZLE_64B], "64B");
  EXPECT_EQ(words.interleave[CU_TENSOR_MAP_INTERLEAVE_32B], "32B");
  EXPECT_EQ(words.promotion[CU_TENSOR_MAP_L2_PROMOTION_L2_256B], "256B");
  EXPECT_EQ(words.oob[CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA], "nan");
}

TEST(TensorMap, OfImagesHasCornersAndNoBox) {
  const FakeGpu gpu;
  Tensor tensor = tiled();
  tensor.box.clear();
  tensor.lower = {-1};
  tensor.upper = {2};
  tensor.channels = 64;
  tensor.pixels = 16;
  const auto map = must(encode(FakeGpu::driver(), tensor, 0x1000, 1 << 20));
  EXPECT_THAT((std::vector<std::uint64_t>{map.words[0], map.words[1], map.words[2]}), ElementsAre(3, 64, 16));
}

TEST(TensorMap, MustLieInTheBuffer) {
  FakeGpu gpu;
  EXPECT_EQ(failure_of(encode(FakeGpu::driver(), tiled(), 0x1000, 64 * 32 * 4 * 2 - 1)).code, "data");
  gpu.tensor_map = CUDA_ERROR_INVALID_VALUE;
  EXPECT_THAT(failure_of(encode(FakeGpu::driver(), tiled(), 0x1000, 1 << 20)),
              IsError("data", HasSubstr("f16 [64, 32, 4], box [64, 8, 1], swizzle 128B")));
  EXPECT_EQ(encode(FakeGpu::driver(), Tensor{}, 0, 0).value(), TensorMap{});
}

TEST(Texture, LivesUntilTheNextIsBound) {
  FakeGpu gpu;
  const Driver driver = FakeGpu::driver();
  Texture texture(driver);
  ASSERT_TRUE(texture.bind("u32", 0x1000, 4096));
  EXPECT_EQ(gpu.texture_bytes, 4096U);
  EXPECT_NE(texture.handle(), 0U);
  ASSERT_TRUE(texture.bind("", 0x1000, 4096));
  EXPECT_EQ(gpu.texture_bytes, 0U);
  EXPECT_EQ(texture.handle(), 0U);
  EXPECT_EQ(texture.bind("u32", 0x1000, std::int64_t{1} << 31).error().code, "data");
}

}  // namespace
}  // namespace warpclock
