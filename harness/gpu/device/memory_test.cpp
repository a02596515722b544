#include "gpu/device/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "base/testing/matchers.hpp"
#include "gpu/testing/fake_gpu.hpp"

namespace warpclock {
namespace {

double f16(std::uint32_t half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const double fraction = (half & 1023) / 1024.0;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
  return half & 0x8000 ? -magnitude : magnitude;
}

float as_float(std::uint32_t word) {
  float value = 0;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

TEST(FillPattern, UnitIsFiniteInEveryFormat) {
  const auto words = fill_pattern({.bytes = 1 << 20, .fill = Fill::Unit}, 0).value();
  ASSERT_EQ(words.size(), (1U << 20) / 4);
  std::set<std::uint32_t> halves;
  double sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::uint32_t half : {words[i] & 0xffff, words[i] >> 16}) {
      ASSERT_GE(f16(half), -1);
      ASSERT_LT(f16(half), 1);
      ASSERT_TRUE(std::isfinite(as_float(half << 16)));  // bf16 is the upper half of an f32
      halves.insert(half);
      sum += f16(half);
    }
    ASSERT_TRUE(std::isfinite(as_float(words[i])));
    if (i % 2 == 1) {
      double wide = 0;
      std::memcpy(&wide, &words[i - 1], sizeof wide);
      ASSERT_TRUE(std::isfinite(wide));
    }
  }
  EXPECT_EQ(halves.size(), 2048U);
  EXPECT_NEAR(sum / static_cast<double>(2 * words.size()), 0, 0.01);
}

TEST(FillPattern, WhatTheMemoryHeldIsGone) {
  const Data chain{.bytes = 4096, .fill = Fill::Chase, .stride = 128};
  for (const Data& data : {chain, Data{.bytes = 64, .fill = Fill::Lanes}, Data{.bytes = 64, .fill = Fill::Zeros}}) {
    EXPECT_EQ(fill_pattern(data, 4096, std::vector<std::uint32_t>(9000, 0xdead)).value(),
              fill_pattern(data, 4096).value());
  }
}

TEST(FillPattern, BitsAreBalancedAndTheSameEachTime) {
  const auto words = fill_pattern({.bytes = 1 << 20, .fill = Fill::Bits}, 0).value();
  EXPECT_EQ(words, fill_pattern({.bytes = 1 << 20, .fill = Fill::Bits}, 99).value());
  std::vector<int> ones(32);
  for (const std::uint32_t word : words) {
    for (std::size_t bit = 0; bit < 32; ++bit) ones[bit] += static_cast<int>(word >> bit & 1);
  }
  EXPECT_THAT(ones, Each(AllOf(testing::Gt(130'000), testing::Lt(132'144))));
}

TEST(FillPattern, PointersFormOneCycle) {
  const std::uint64_t base = 0x7f0000001000;
  const auto words = fill_pattern({.bytes = 100 * 48 + 40, .fill = Fill::Pointers, .stride = 48}, base).value();
  std::set<std::uint64_t> visited;
  std::uint64_t at = base;
  for (int hop = 0; hop < 100; ++hop) {
    visited.insert(at);
    ASSERT_EQ((at - base) % 48, 0U);
    std::uint64_t next = 0;
    std::memcpy(&next, &words.at((at - base) / 4), sizeof next);
    EXPECT_EQ(next, hop == 99 ? base : at + 48);
    at = next;
  }
  EXPECT_EQ(at, base);
  EXPECT_EQ(visited.size(), 100U);
}

TEST(FillPattern, AChaseIsOneCycleThroughEverySlotInNoOrder) {
  const std::uint64_t base = 0x7f0000001000;
  for (const std::int64_t slots : {1, 2, 3, 100, 4096}) {
    const Data data{.bytes = slots * 128, .fill = Fill::Chase, .stride = 128};
    const auto words = fill_pattern(data, base).value();
    EXPECT_EQ(words, fill_pattern(data, base).value());
    std::set<std::uint64_t> visited;
    std::uint64_t at = base;
    int neighbours = 0;
    for (std::int64_t hop = 0; hop < slots; ++hop) {
      ASSERT_TRUE(visited.insert(at).second) << "slot " << (at - base) / 128 << " of " << slots << " twice";
      std::uint64_t next = 0;
      std::memcpy(&next, &words.at((at - base) / 4), sizeof next);
      neighbours += static_cast<int>(next == at + 128);
      at = next;
    }
    EXPECT_EQ(at, base);
    if (slots > 99) {
      EXPECT_LT(neighbours, slots / 20);
    }
  }
}

TEST(FillPattern, RefusesChainsThatCannotBe) {
  for (const std::int64_t stride : {0, 4, 12, -8, 72}) {
    for (const Fill fill : {Fill::Pointers, Fill::Chase}) {
      EXPECT_EQ(fill_pattern({.bytes = 64, .fill = fill, .stride = stride}, 0).error().code, "data") << stride;
    }
  }
  EXPECT_EQ(fill_pattern({.bytes = 0}, 0).error().code, "data");
  EXPECT_EQ(fill_pattern({.bytes = -1}, 0).error().code, "data");
}

TEST(DataBuffer, RepeatsARandomPatternThroughALargeBuffer) {
  const FakeGpu gpu;
  const Driver driver = FakeGpu::driver();
  DataBuffer buffer(driver, 0);
  const std::int64_t bytes = 3 * random_period_bytes + 20;
  ASSERT_TRUE(buffer.restore({.bytes = bytes, .fill = Fill::Bits}));
  const auto* words = reinterpret_cast<const std::uint32_t*>(buffer.address());
  const std::size_t period = random_period_bytes / 4;
  for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / 4; i += 997)
    ASSERT_EQ(words[i], words[i % period]) << i;
  EXPECT_EQ(words[3 * period + 4], words[4]);
  EXPECT_NE(words[0], words[1]);
}

TEST(DataBuffer, PointersFollowTheBufferWhenItMoves) {
  FakeGpu gpu;
  const Driver driver = FakeGpu::driver();
  DataBuffer buffer(driver, 0);
  const Data chain{.bytes = 4096, .fill = Fill::Pointers, .stride = 64};
  ASSERT_TRUE(buffer.restore(chain));
  const CUdeviceptr before = buffer.address();
  ASSERT_TRUE(buffer.restore({.bytes = 1 << 20, .fill = Fill::Zeros}));
  ASSERT_TRUE(buffer.restore(chain));
  const auto* slots = reinterpret_cast<const std::uint64_t*>(buffer.address());
  EXPECT_EQ(slots[0], buffer.address() + 64);
  EXPECT_EQ(slots[63 * 8], buffer.address());
  EXPECT_EQ(buffer.address() != before, slots[0] != before + 64);
}

TEST(DataBuffer, RestoresWhatAKernelOverwrote) {
  FakeGpu gpu;
  const Driver driver = FakeGpu::driver();
  DataBuffer buffer(driver, 0);
  for (const Fill fill : {Fill::Zeros, Fill::Lanes}) {
    ASSERT_TRUE(buffer.restore({.bytes = 400, .fill = fill}));
    auto* words = reinterpret_cast<std::uint32_t*>(buffer.address());
    words[7] = 12345;
    ASSERT_TRUE(buffer.restore({.bytes = 400, .fill = fill}));
    EXPECT_EQ(words[7], fill == Fill::Zeros ? 0U : 7U);
    EXPECT_EQ(words[99], fill == Fill::Zeros ? 0U : 99U);
  }
  EXPECT_EQ(buffer.restore({.bytes = 0}).error().code, "data");
}

TEST(FillPattern, IndicesAreOneCycleInUnitsOfFourBytes) {
  const auto words = fill_pattern({.bytes = 64 * 128, .fill = Fill::Indices, .stride = 128}, 0xabc000).value();
  std::set<std::uint32_t> seen;
  for (std::uint32_t at = 0; seen.insert(at).second;) {
    ASSERT_EQ(at % 32, 0U);
    ASSERT_LT(at, words.size());
    at = words[at];
  }
  EXPECT_EQ(seen.size(), 64U);
  EXPECT_EQ(fill_pattern({.bytes = 64, .fill = Fill::Indices, .stride = 6}, 0).error().code, "data");
}

TEST(DataBuffer, LiesInTheMemoryOfAnotherDeviceWhereAsked) {
  FakeGpu gpu;
  gpu.devices = 2;
  const Driver driver = FakeGpu::driver();
  CUcontext own = nullptr, current = nullptr;
  driver.cuDevicePrimaryCtxRetain(&own, 0);
  driver.cuCtxSetCurrent(own);
  DataBuffer buffer(driver, 0);
  ASSERT_TRUE(buffer.restore({.bytes = 4096, .fill = Fill::Lanes}));
  const CUdeviceptr near = buffer.address();
  ASSERT_TRUE(buffer.restore({.bytes = 4096, .fill = Fill::Lanes, .peer = true}));
  EXPECT_NE(buffer.address(), near);
  EXPECT_EQ(reinterpret_cast<const std::uint32_t*>(buffer.address())[9], 9U);
  ASSERT_EQ(gpu.allocated_in.size(), 3U);  // the data, its pattern, the other device's data
  EXPECT_EQ(gpu.allocated_in[0], own);
  EXPECT_NE(gpu.allocated_in[2], own);
  driver.cuCtxGetCurrent(&current);
  EXPECT_EQ(current, own);
  ASSERT_TRUE(buffer.restore({.bytes = 4096, .fill = Fill::Lanes}));
  EXPECT_EQ(buffer.address(), near);
}

TEST(DataBuffer, SaysWhyThereIsNoOtherDevice) {
  FakeGpu gpu;
  const Driver driver = FakeGpu::driver();
  DataBuffer buffer(driver, 0);
  const Data far{.bytes = 4096, .peer = true};
  EXPECT_EQ(buffer.restore(far).error().code, "peer");
  EXPECT_THAT(buffer.restore(far).error().text, HasSubstr("no second GPU"));
  gpu.devices = 3;
  gpu.reachable = false;
  EXPECT_THAT(buffer.restore(far).error().text, HasSubstr("none of the 2 other GPUs"));
}

}  // namespace
}  // namespace warpclock
