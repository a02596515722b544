#include "cli/options/guarded.hpp"

#include <gtest/gtest.h>

#include <array>
#include <new>
#include <string>

namespace warpclock {
namespace {

TEST(Guarded, SaysWhichCommandAnExceptionEnded) {
  std::string program = "warpclock", inspect = "inspect", file = "big\x1b.cubin";
  const std::array<char*, 3> command = {program.data(), inspect.data(), file.data()};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(guarded(command, []() -> int { throw std::bad_alloc(); }), 2);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warpclock: out of memory: free some, or give it less at once; this was the command: warpclock inspect "
            "big?.cubin\n");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(guarded(command, [] { return 1; }), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace warpclock
