#include "predict/memory/arguments.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

/// A buffer, a number of 32 bits and one of 64.
KernelFacts facts() {
  KernelFacts made;
  made.parameters = {{0, 8}, {8, 4}, {16, 8}};
  return made;
}

TEST(Arguments, AreNotedWhereTheKernelFindsThem) {
  LaunchShape shape;
  must(note_given({.values = {{1, "-2"}, {2, "0x100000002"}}, .buffers = {{0, {4096}}}}, facts(), shape));
  EXPECT_EQ(shape.buffers, (std::map<int, std::int64_t>{{0, 4096}}));
  EXPECT_EQ(shape.words, (std::map<int, std::uint32_t>{{8, 0xfffffffe}, {16, 2}, {20, 1}}));
  EXPECT_TRUE(shape.arguments_known);
}

TEST(Arguments, ANumberWithAPointIsAFloat) {
  for (const char* text : {"0.5", "f32:0.5"}) {
    LaunchShape shape;
    must(note_given({.values = {{1, text}}}, facts(), shape));
    EXPECT_EQ(shape.words.at(8), 0x3f000000) << text;
    EXPECT_FALSE(shape.arguments_known);
  }
}

TEST(Arguments, ThatTheKernelDoesNotHaveAreAnError) {
  const auto refused = [](const GivenArguments& given) {
    LaunchShape shape;
    const auto noted = note_given(given, facts(), shape);
    return noted ? std::string() : noted.error().text;
  };
  EXPECT_THAT(refused({.values = {{3, "1"}}}), HasSubstr("the kernel has no argument 3: it has 0 to 2"));
  EXPECT_THAT(refused({.values = {{1, "f64:1"}}}), HasSubstr("the argument has 4 bytes"));
  EXPECT_THAT(refused({.values = {{1, "many"}}}), HasSubstr("a value is a number"));
  EXPECT_THAT(refused({.buffers = {{1, {64}}}}), HasSubstr("argument 1 has 4 bytes and is no address"));
}

TEST(Arguments, L2AnswersIfItHasRoomForAllBuffers) {
  EXPECT_EQ(level_of_buffers(50, 60, false), MemoryLevel::L2);
  EXPECT_EQ(level_of_buffers(70, 60, false), MemoryLevel::Dram);
  EXPECT_EQ(level_of_buffers(50, 60, true), MemoryLevel::Dram);
}

}  // namespace
}  // namespace warpclock
