#include "compile/ptx_window.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

constexpr const char* two_entries = R"(
.visible .entry c0_n16(
	.param .align 8 .b8 c0_n16_param_0[56]
)
{
	before;
	// begin inline asm
	mov.u64 %rd1, %clock64;
	// end inline asm

	// begin inline asm
	shfl.sync.bfly.b32 %r1, %r1, %r2, 31, 0xffffffff;
	// end inline asm
	{ .reg .pred p; setp.lt.u32 p, %r1, %r2; }
	// begin inline asm
	mov.u64 %rd2, %clock64;
	// end inline asm
	after;
}
.visible .entry c0_n1(
	.param .align 8 .b8 c0_n1_param_0[56]
)
{
	// begin inline asm
	mov.u64 %rd1, %clock64;
	// end inline asm
	// begin inline asm
	wrong;
	// end inline asm
	mov.u64 %rd2, %clock64;
}
)";

TEST(PtxWindow, IsWhatStandsBetweenTheReads) {
  EXPECT_EQ(ptx_window(two_entries, "c0_n16"),
            "shfl.sync.bfly.b32 %r1, %r1, %r2, 31, 0xffffffff;\n{ .reg .pred p; setp.lt.u32 p, %r1, %r2; }\n");
  EXPECT_EQ(ptx_window(two_entries, "c0_n1"), "wrong;\n");
}

TEST(PtxWindow, ReachesToTheLastRead) {
  EXPECT_EQ(
      ptx_window(".entry k()\nmov.u32 %r1, %clock;\na;\nmov.u32 %r2, %clock;\nb;\nmov.u32 %r3, %clock;\nc;\n", "k"),
      "a;\nmov.u32 %r2, %clock;\nb;\n");
}

TEST(PtxWindow, IsEmptyWithoutTwoReads) {
  EXPECT_EQ(ptx_window(two_entries, "c1_n1"), "");
  EXPECT_EQ(ptx_window(".entry k()\na;\nmov.u64 %rd1, %clock64;\nb;\n", "k"), "");
  EXPECT_EQ(ptx_window(".entry k()\nmov.u32 %r1, %clock_hi;\nb;\nmov.u32 %r2, %clock_hi;\n", "k"), "");
  EXPECT_EQ(ptx_window("", "k"), "");
}

}  // namespace
}  // namespace warpclock
