#include "execute/mapped_tensor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class Number>
std::vector<Number> numbers(const std::string& text, int base) {
  std::istringstream words(text);
  std::vector<Number> all;
  for (std::string word; words >> word;) all.push_back(static_cast<Number>(std::stoull(word, nullptr, base)));
  return all;
}

std::array<std::uint32_t, MappedTensor::words> words_of(const std::string& text) {
  std::array<std::uint32_t, MappedTensor::words> words{};
  std::ranges::copy(numbers<std::uint32_t>(text, 16), words.begin());
  return words;
}

TEST(MappedTensor, IsWhatTheDriverWasAskedFor) {
  constexpr std::array<std::int64_t, 13> bytes{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};  // by type of the API
  std::ifstream file(WARPCLOCK_SOURCE_DIR "/harness/execute/testdata/mapped_tensors.txt");
  int seen = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream parts(line);
    std::string type, sizes, strides, box, steps, words;
    for (std::string* part : {&type, &sizes, &strides, &box, &steps, &words}) std::getline(parts, *part, '|');
    MappedTensor asked{.address = 0x7f1234567000, .element = bytes.at(std::stoul(type))};
    const auto size = numbers<std::uint64_t>(sizes, 10), stride = numbers<std::uint64_t>(strides, 10);
    asked.dimensions = size.size();
    asked.strides[0] = static_cast<std::uint64_t>(asked.element);
    std::ranges::copy(size, asked.sizes.begin());
    std::ranges::copy(stride, asked.strides.begin() + 1);
    std::ranges::copy(numbers<std::uint32_t>(box, 10), asked.box.begin());
    std::ranges::copy(numbers<std::uint32_t>(steps, 10), asked.steps.begin());
    EXPECT_EQ(mapped_tensor(words_of(words)), asked) << line;
    ++seen;
  }
  EXPECT_GT(seen, 25);
}

TEST(MappedTensor, IsNoneIfItsBoxIsLargerThanSharedMemory) {
  EXPECT_TRUE(mapped_tensor(words_of("34567000 7f12 330 9 16a 2a6f 0 0 3f 27 1d 13 0 1f000000 ffff 0")));
  EXPECT_FALSE(mapped_tensor(words_of("34567000 7f12 330 9 16a 2a6f 0 0 3f 27 1d 13 0 1f000000 ffffff 0")));
}

TEST(MappedTensor, IsNoneIfItIsInterleavedOrHasAnotherType) {
  EXPECT_FALSE(mapped_tensor(words_of("34567000 7f12 b20 8 140 0 0 0 3f 27 1d 0 0 7000000 307 0")));
  EXPECT_FALSE(mapped_tensor(words_of("34567000 7f12 7a0 8 140 0 0 0 3f 27 1d 0 0 7000000 307 0")));
}

MappedTensor halves(std::uint64_t width, std::uint64_t height) {
  return {.address = 0x1000,
          .element = 2,
          .dimensions = 2,
          .sizes = {width, height},
          .strides = {2, 2 * width},
          .box = {64, 3},
          .steps = {1, 1}};
}

TEST(MappedTensor, ABoxIsARowForEachOfItsLines) {
  const auto rows = halves(1024, 8).rows(std::array{64, 2});
  EXPECT_THAT(rows, ElementsAre(MemoryRow{0x1000 + 2 * 2048 + 128, 128}, MemoryRow{0x1000 + 3 * 2048 + 128, 128},
                                MemoryRow{0x1000 + 4 * 2048 + 128, 128}));
}

TEST(MappedTensor, WhatIsOutOfBoundsIsNotCopied) {
  const MappedTensor tensor = halves(96, 4);
  EXPECT_THAT(tensor.rows(std::array{64, 3}), ElementsAre(MemoryRow{0x1000 + 3 * 192 + 128, 64}));
  EXPECT_THAT(tensor.rows(std::array{-32, -2}), ElementsAre(MemoryRow{0x1000, 64}));
  EXPECT_THAT(tensor.rows(std::array{96, 0}), IsEmpty());
  EXPECT_THAT(tensor.rows(std::array{0, 4}), IsEmpty());
  EXPECT_THAT(tensor.rows(std::array{0}), IsEmpty()) << "a coordinate is missing";
}

TEST(MappedTensor, LinesThatFollowEachOtherAreOneRow) {
  EXPECT_THAT(halves(64, 8).rows(std::array{0, 1}), ElementsAre(MemoryRow{0x1000 + 128, 3 * 128}));
}

TEST(MappedTensor, StepsLeaveOutLines) {
  MappedTensor tensor = halves(1024, 8);
  tensor.steps[1] = 2;
  EXPECT_THAT(tensor.rows(std::array{0, 0}), ElementsAre(MemoryRow{0x1000, 128}, MemoryRow{0x1000 + 2 * 2048, 128}));
}

}  // namespace
}  // namespace warpclock
