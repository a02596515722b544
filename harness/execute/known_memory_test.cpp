#include "execute/known_memory.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

TEST(GlobalMemory, BuffersOfOnePageHoldWhatTheyHold) {
  ExecutedLaunch launch;
  launch.buffers.push_back({.address = 0x1010, .bytes = 0x20, .contents = "abcd", .once = true});
  launch.buffers.push_back({.address = 0x1030, .bytes = 0x1000, .contents = "xyz"});
  GlobalMemory memory(launch);
  EXPECT_EQ(memory.read(0x1010, 4), known_word(0x64636261));
  EXPECT_EQ(memory.read(0x1014, 1), KnownWord()) << "not repeated";
  EXPECT_EQ(memory.read(0x100f, 1), KnownWord()) << "in no buffer";
  EXPECT_EQ(memory.read(0x1030, 4), known_word(0x787a7978)) << "repeated";
  EXPECT_EQ(memory.read(0x2000, 1), known_word(std::uint32_t{"xyz"[(0x2000 - 0x1030) % 3]}));
  memory.write(0x1014, 2, known_word(0x1234));
  EXPECT_EQ(memory.read(0x1014, 2), known_word(0x1234));
}

TEST(GlobalMemory, AFillGoesOnInTheNextPage) {
  ExecutedLaunch launch;
  launch.buffers.push_back({.address = 0x10000,
                            .bytes = 0x4000,
                            .fill = CallArgument{.bytes = 0x4000, .type = CallType::U32, .fill = CallFill::Iota}});
  GlobalMemory memory(launch);
  EXPECT_EQ(memory.read(0x10000 + 4 * 7, 4), known_word(7));
  EXPECT_EQ(memory.read(0x10000 + 4 * 3000, 4), known_word(3000));
}

TEST(GlobalMemory, WhatIsNotKnownTakesNoRoom) {
  constexpr std::uint64_t begin = 0x10000, page = 0x1000;
  ExecutedLaunch launch;
  launch.buffers.push_back({.address = begin, .bytes = std::int64_t{1} << 40});
  GlobalMemory memory(launch);
  for (std::uint64_t at = begin; at < begin + (page << 17); at += page) EXPECT_EQ(memory.read(at, 4), KnownWord());
  EXPECT_FALSE(memory.too_large());
  memory.write(begin, 4, known_word(7));
  EXPECT_EQ(memory.read(begin, 4), known_word(7));
  EXPECT_EQ(memory.read(begin + page, 4), KnownWord());
}

TEST(KnownBytes, ForgetAllThatWasWritten) {
  KnownBytes bytes(64);
  bytes.write(8, 4, known_word(7));
  bytes.write(40, 2, known_word(9));
  bytes.write(20, "abc");
  bytes.forget();
  for (std::size_t at = 0; at < bytes.size(); ++at) EXPECT_EQ(bytes.read(at, 1), KnownWord()) << at;
  bytes.write(60, 4, known_word(1));
  EXPECT_EQ(bytes.read(60, 4), known_word(1));
  bytes.forget();
  EXPECT_EQ(bytes.read(60, 4), KnownWord());
}

}  // namespace
}  // namespace warpclock
