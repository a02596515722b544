#include <gtest/gtest.h>

#include "code/semantics.hpp"

namespace warpclock {
namespace {

TEST(PipeOf, IsThatOfTheOpcodeWithoutItsModifiers) {
  EXPECT_EQ(pipe_of("IADD3.X"), "alu");
  EXPECT_EQ(pipe_of("IMAD.WIDE.U32"), "fma");
  EXPECT_EQ(pipe_of("ATOMS.CAST.SPIN.64"), "lsu");
  EXPECT_EQ(pipe_of("MUFU.EX2"), "xu");
  EXPECT_EQ(pipe_of("DFMA.RM"), "fp64");
  EXPECT_EQ(pipe_of("HMMA.16816.F32"), "tensor");
  EXPECT_EQ(pipe_of("SYNCS.ARRIVE"), "adu");
  EXPECT_EQ(pipe_of("BRA"), "cbu");
  EXPECT_EQ(pipe_of("HFMA2.MMA.BF16_V2"), "tensor");
  EXPECT_EQ(pipe_of("HFMA2.BF16_V2"), "fma");
  EXPECT_EQ(pipe_of("VIADD"), "fma");
  EXPECT_EQ(pipe_of("VIADDMNMX"), "alu");
  EXPECT_EQ(pipe_of("TEX.LL"), "tex");
  EXPECT_EQ(pipe_of("UIADD3"), "uniform");
}

}  // namespace
}  // namespace warpclock
