#include "code/semantics.hpp"

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::instruction;

std::string names(const std::vector<Register>& registers) {
  return join(mapped(registers, [](const Register reg) { return to_string(reg); }), " ");
}

/// "writes <- source; source": an immediate is an empty source.
std::string effects(std::string_view code) {
  const Effects effects = effects_of(instruction(code));
  return names(effects.writes) + " <- " + join(mapped(effects.sources, names), "; ");
}

TEST(Semantics, ArithmeticAndCarries) {
  EXPECT_EQ(effects("IADD3 R11, R3, -R11, R2.reuse"), "R11 <- R3; R11; R2");
  EXPECT_EQ(effects("IADD3 R11, PT, PT, R5, R11, RZ"), "R11 <- R5; R11; ");
  EXPECT_EQ(effects("IADD3 R6, P1, PT, R58, c[0x0][0x160], RZ"), "R6 P1 <- R58; ; ");
  EXPECT_EQ(effects("IADD3.X R7, PT, PT, R48, R2, RZ, P1, !PT"), "R7 <- R48; R2; ; P1; ");
  EXPECT_EQ(effects("IMAD.X R13, R45, 0x1, R23, P0"), "R13 <- R45; ; R23; P0");
  EXPECT_EQ(effects("LEA R8, P1, R2, c[0x0][0x160], 0x4"), "R8 P1 <- R2; ; ");
  EXPECT_EQ(effects("LEA.HI.X R9, R2, UR9, R3, 0x4, P1"), "R9 <- R2; UR9; R3; ; P1");
  EXPECT_EQ(effects("LOP3.LUT R11, R11, R2, RZ, 0x3c, !PT"), "R11 <- R11; R2; ; ; ");
  EXPECT_EQ(effects("LOP3.LUT P0, RZ, R11, 0x1, RZ, 0xc0, !PT"), "P0 <- R11; ; ; ; ");
  EXPECT_EQ(effects("SEL R9, R9, R12, !P2"), "R9 <- R9; R12; P2");
  EXPECT_EQ(effects("VIMNMX R16, PT, PT, R31, R8, !PT"), "R16 <- R31; R8; ");
  EXPECT_EQ(effects("SHF.L.U64.HI R48, R16, R59, R17.reuse"), "R48 <- R16; R59; R17");
  EXPECT_EQ(effects("FFMA R2, -R3, |R4|, R0"), "R2 <- R3; R4; R0");
  EXPECT_EQ(effects("FSETP.GTU.FTZ.AND P2, PT, |R9|, +INF , PT"), "P2 <- R9; ; ");
  EXPECT_EQ(effects("UIADD3 UR4, UP0, UPT, UR4, 0x18, URZ"), "UR4 UP0 <- UR4; ; ");
}

TEST(Semantics, PairsOfRegisters) {
  EXPECT_EQ(effects("IMAD.WIDE.U32 R2, R7, 0x4, R10"), "R2 R3 <- R7; ; R10 R11");
  EXPECT_EQ(effects("IMAD.WIDE.U32 R4, P0, R3, R6, R8"), "R4 R5 P0 <- R3; R6; R8 R9");
  EXPECT_EQ(effects("IMAD.HI.U32 R9, R9, R11, R8"), "R9 <- R9; R11; R8 R9");
  EXPECT_EQ(effects("DFMA R10, R2, -R4, R10"), "R10 R11 <- R2 R3; R4 R5; R10 R11");
  EXPECT_EQ(effects("DADD R32, R4, R32"), "R32 R33 <- R4 R5; R32 R33");
  EXPECT_EQ(effects("DSETP.GT.AND P0, PT, R32, R30, PT"), "P0 <- R32 R33; R30 R31; ");
  EXPECT_EQ(effects("CS2R R6, SR_CLOCKLO"), "R6 R7 <- ");
  EXPECT_EQ(effects("CS2R.32 R6, SR_CLOCKLO"), "R6 <- ");
  EXPECT_EQ(effects("S2UR UR6, SR_CLOCKLO"), "UR6 <- ");
  EXPECT_EQ(effects("MOV.64 R6, R8"), "R6 R7 <- R8 R9");
  EXPECT_EQ(effects("IADD.64 R4, R6.reuse, 0x1000"), "R4 R5 <- R6 R7; ");
  EXPECT_EQ(effects("ISETP.GE.U64.AND P0, PT, R4, R6, PT"), "P0 <- R4 R5; R6 R7; ");
  EXPECT_EQ(effects("ISETP.GE.U32.AND.EX P2, PT, R22.reuse, R5, PT, P3"), "P2 <- R22; R5; ; P3");
  EXPECT_EQ(effects("FFMA2 R8, R8.F32x2.HI_LO, R4.F32x2.HI_LO, R6.F32x2.HI_LO"), "R8 R9 <- R8 R9; R4 R5; R6 R7");
}

TEST(Semantics, Conversions) {
  EXPECT_EQ(effects("F2F.F64.F32 R4, R9"), "R4 R5 <- R9");
  EXPECT_EQ(effects("F2F.F32.F64 R60, R30"), "R60 <- R30 R31");
  EXPECT_EQ(effects("F2I.S64.F64 R46, R30"), "R46 R47 <- R30 R31");
  EXPECT_EQ(effects("F2I.U64.TRUNC R22, R39"), "R22 R23 <- R39");
  EXPECT_EQ(effects("I2F.F64 R2, R39"), "R2 R3 <- R39");
  EXPECT_EQ(effects("I2F.U64.RP R11, R20"), "R11 <- R20 R21");
  EXPECT_EQ(effects("MUFU.RSQ64H R55, R33"), "R55 <- R33");
}

TEST(Semantics, WarpOperations) {
  EXPECT_EQ(effects("SHFL.BFLY PT, R4, R2, R3, 0x1f"), "R4 <- R2; R3; ");
  EXPECT_EQ(effects("SHFL.UP P0, R4, R2, 0x1, RZ"), "P0 R4 <- R2; ; ");
  EXPECT_EQ(effects("VOTE.ANY R54, PT, P2"), "R54 <- P2");
  EXPECT_EQ(effects("VOTE.ALL P0, P1"), "P0 <- P1");
  EXPECT_EQ(effects("VOTEU.ANY UR4, UPT, PT"), "UR4 <- ");
  EXPECT_EQ(effects("MATCH.ANY R13, R39"), "R13 <- R39");
  EXPECT_EQ(effects("MATCH.ALL P1, R56, R39"), "P1 R56 <- R39");
  EXPECT_EQ(effects("REDUX.SUM UR4, R39"), "UR4 <- R39");
  EXPECT_EQ(effects("R2UR UR11, R45"), "UR11 <- R45");
  EXPECT_EQ(effects("ELECT P3, URZ, PT"), "P3 <- ");
  EXPECT_EQ(effects("PLOP3.LUT P0, PT, P1, P2, PT, 0xf6, 0x0"), "P0 <- P1; P2; ; ; ");
  EXPECT_EQ(effects("P2R R0, PR, RZ, 0x1"), "R0 <- P0; ; ");
  EXPECT_EQ(effects("P2R R0, PR, RZ, 0x7f"), "R0 <- P0 P1 P2 P3 P4 P5 P6; ; ");
  EXPECT_EQ(effects("B2R.RESULT RZ, P0"), "P0 <- ");
}

TEST(Semantics, Memory) {
  EXPECT_EQ(effects("LDG.E R2, [R4.64]"), "R2 <- R4 R5");
  EXPECT_EQ(effects("LDG.E.64.STRONG.SM R10, desc[UR4][R2.64+0x80]"), "R10 R11 <- UR4 UR5 R2 R3");
  EXPECT_EQ(effects("LDG.E.128 R20, [R20.64+0x50]"), "R20 R21 R22 R23 <- R20 R21");
  EXPECT_EQ(effects("LDG.E.ENL2.256 R12, R8, desc[UR4][R2.64]"), "R12 R13 R14 R15 R8 R9 R10 R11 <- UR4 UR5 R2 R3");
  EXPECT_EQ(effects("LDS R49, [R46+UR4]"), "R49 <- R46 UR4");
  EXPECT_EQ(effects("LDS.U.128 R4, [R46]"), "R4 R5 R6 R7 <- R46");
  EXPECT_EQ(effects("LDC.64 R4, c[0x0][0x388]"), "R4 R5 <- ");
  EXPECT_EQ(effects("STG.E.64 desc[UR6][R34.64], R12"), " <- UR6 UR7 R34 R35; R12 R13");
  EXPECT_EQ(effects("STS.128 [R60], R20"), " <- R60; R20 R21 R22 R23");
  EXPECT_EQ(effects("LDSM.16.M88.4 R16, [R57]"), "R16 R17 R18 R19 <- R57");
  EXPECT_EQ(effects("LDSM.16.MT88.2 R50, [R57]"), "R50 R51 <- R57");
  EXPECT_EQ(effects("LDSM.16.M88 R50, [R57]"), "R50 <- R57");
  EXPECT_EQ(effects("STSM.16.MT88.4 [R44], R16"), " <- R44; R16 R17 R18 R19");
  EXPECT_EQ(effects("LDGSTS.E.BYPASS.128 [R57], [R52.64]"), " <- R57; R52 R53");
  EXPECT_EQ(effects("ATOMG.E.ADD.STRONG.GPU PT, R38, [R6.64], R13"), "R38 <- R6 R7; R13");
  EXPECT_EQ(effects("REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR4][R14.64], R4"), " <- UR4 UR5 R14 R15; R4 R5 R6 R7");
  EXPECT_EQ(effects("ATOMG.E.ADD.F64.RN.STRONG.GPU PT, R8, desc[UR4][R14.64], R4"), "R8 R9 <- UR4 UR5 R14 R15; R4 R5");
  EXPECT_EQ(effects("ATOMG.E.CAS.64.STRONG.GPU PT, R26, [R8+0x38], R16, R18"), "R26 R27 <- R8 R9; R16 R17; R18 R19");
  EXPECT_EQ(effects("ATOMG.E.MIN.S64.STRONG.GPU PT, R8, desc[UR4][R14.64], R4"), "R8 R9 <- UR4 UR5 R14 R15; R4 R5");
  EXPECT_EQ(effects("ATOMS.CAS R6, [R11], R12, R13"), "R6 <- R11; R12; R13");
  EXPECT_EQ(effects("RED.E.ADD.STRONG.GPU [R6.64+0x18c], R15"), " <- R6 R7; R15");
  EXPECT_EQ(effects("CCTL.E.PF2 [R18]"), " <- R18 R19");
  EXPECT_EQ(effects("SYNCS.PHASECHK.TRANS64.TRYWAIT P3, [R45+URZ], R51"), "P3 <- R45; R51");
  EXPECT_EQ(effects("SYNCS.ARRIVE.TRANS64.A1T0 R50, [R45+URZ], RZ"), "R50 <- R45; ");
  EXPECT_EQ(effects("UBLKCP.S.G [UR10], [UR4], UR8"), " <- UR10; UR4; UR8");
  EXPECT_EQ(effects("LDTM.x4 R4, tmem[UR8]"), "R4 R5 R6 R7 <- UR8");
}

TEST(Semantics, TextureReads) {
  EXPECT_EQ(effects("TLD.SCR.LZ RZ, R5, R11, 0x0, 0x6e, 1D, 0x1"), "R5 <- R11; ; ; ; ");
  EXPECT_EQ(effects("TLD.LZ RZ, R5, R12, UR6, 0x0, 1D, 0x4"), "R5 <- R12; UR6; ; ; ");
  EXPECT_EQ(effects("TLD.LZ RZ, R14, R12, UR4, 1D, 0x5"), "R14 R15 <- R12; UR4; ; ");
  EXPECT_EQ(effects("TLD.LZ R6, R4, R9, UR4, 0x0, 1D"), "R6 R7 R4 R5 <- R9; UR4; ; ");
}

TEST(Semantics, NothingIsWrittenByControlFlow) {
  EXPECT_EQ(effects("NANOSLEEP R4"), " <- R4");
  EXPECT_EQ(effects("BAR.SYNC R2, R3"), " <- R2; R3");
  EXPECT_EQ(effects("RET.REL.NODEC R10 `(k)"), " <- R10 R11");
  EXPECT_EQ(effects("NOP"), " <- ");
}

TEST(Semantics, MatrixMultiplies) {
  EXPECT_EQ(effects("HMMA.16816.F32 R12, R8.reuse, R4.reuse, R16"),
            "R12 R13 R14 R15 <- R8 R9 R10 R11; R4 R5; R16 R17 R18 R19");
  EXPECT_EQ(effects("HMMA.1688.F16 R4, R8, R2, RZ"), "R4 R5 <- R8 R9; R2; ");
  EXPECT_EQ(effects("IMMA.16832.S8.S8 R12, R4.reuse.ROW, R8.reuse.COL, R12"),
            "R12 R13 R14 R15 <- R4 R5 R6 R7; R8 R9; R12 R13 R14 R15");
  EXPECT_EQ(effects("DMMA.884 R4, R8, R2, R4"), "R4 R5 R6 R7 <- R8 R9; R2 R3; R4 R5 R6 R7");
}

std::vector<int> fragments(std::string_view code) {
  const Fragments f = fragments_of(instruction(code));
  return {f.d, f.a, f.b, f.c};
}

TEST(Fragments, FollowShapeAndTypes) {
  EXPECT_THAT(fragments("HMMA.16816.F16 R4, R4, R2, R8"), ElementsAre(2, 4, 2, 2));
  EXPECT_THAT(fragments("HMMA.16816.F32.BF16 R4, R4, R2, R8"), ElementsAre(4, 4, 2, 4));
  EXPECT_THAT(fragments("HMMA.1688.F32.TF32 R4, R4, R2, R8"), ElementsAre(4, 4, 2, 4));
  EXPECT_THAT(fragments("HMMA.1684.F32.TF32 R4, R4, R2, R8"), ElementsAre(4, 2, 1, 4));
  EXPECT_THAT(fragments("HMMA.SP.16832.F32 R4, R4, R2, R8, R9, 0x0"), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(fragments("IMMA.8816.S8.S8 R4, R4.ROW, R2.COL, R8"), ElementsAre(2, 1, 1, 2));
  EXPECT_THAT(fragments("IMMA.16864.S4.U4 R4, R4.ROW, R2.COL, R8"), ElementsAre(4, 4, 2, 4));
  EXPECT_THAT(fragments("BMMA.168256.XOR.POPC R4, R4.ROW, R2.COL, R8"), ElementsAre(4, 4, 2, 4));
  EXPECT_THAT(fragments("DMMA.8x8x4 R4, R4, R2, R8"), ElementsAre(4, 2, 2, 4));
  EXPECT_THAT(fragments("DMMA.16x8x16 R4, R4, R2, R8"), ElementsAre(8, 16, 8, 8));
  EXPECT_THAT(fragments("QMMA.16832.F32.E4M3.E4M3 R4, R4, R2, R8"), ElementsAre(4, 4, 2, 4));
  EXPECT_THAT(fragments("OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R4, R4, R2, R8, R1, R2"), ElementsAre(4, 4, 2, 4));
  EXPECT_EQ(fragments("HGMMA.64x128x16.F32 R24, gdesc[UR4], R24, !UPT")[0], 64);
  EXPECT_THAT(fragments("HMMA.NEWSHAPE R4, R4, R2, R8"), ElementsAre(4, 4, 2, 4));
}

TEST(Semantics, MetadataOfASparseWarpGroupMultiplyIsOneRegister) {
  EXPECT_EQ(effects("HGMMA.SP.64x8x32.F32 R24, gdesc[UR4], R24, R28, 0x0, gsb0"),
            "R24 R25 R26 R27 <- UR4 UR5 UR6 UR7; R24 R25 R26 R27; R28; ; ");
  EXPECT_EQ(effects("HGMMA.64x8x16.F32 R24, R28, gdesc[UR4], R24, gsb0"),
            "R24 R25 R26 R27 <- R28 R29 R30 R31; UR4 UR5 UR6 UR7; R24 R25 R26 R27; ");
}

TEST(Semantics, AnUnknownOpcodeWritesItsFirstRegister) {
  EXPECT_EQ(effects("FROBNICATE.64 R4, P1, R8, 0x1"), "R4 R5 P1 <- R8 R9; ");
  EXPECT_EQ(effects("FROBNICATE [R4], R8"), " <- R4; R8");
}

TEST(Semantics, APredicateIsReadAndKeepsTheOldValue) {
  const Effects effects = effects_of(instruction("@!P2 MOV R4, R5"));
  EXPECT_TRUE(effects.conditional);
  EXPECT_TRUE(effects.reads({RegisterFile::Predicate, 2}));
  EXPECT_TRUE(effects.writes_to({RegisterFile::Vector, 4}));
  EXPECT_FALSE(effects.reads({RegisterFile::Vector, 4}));
  EXPECT_FALSE(effects_of(instruction("@PT MOV R4, R5")).conditional);
}

TEST(Semantics, RegistersPastTheLastAreNone) {
  EXPECT_EQ(effects("LDG.E.128 R252, [R4.64]"), "R252 R253 R254 <- R4 R5");
  EXPECT_EQ(effects("MOV R4, R255"), "R4 <- ");
  EXPECT_EQ(effects("MOV R4, R99999999999"), "R4 <- ");
}

TEST(Semantics, AWriteBarrierMeansVariableLatency) {
  EXPECT_TRUE(variable_latency(instruction("w0 | LDS R4, [R5]")));
  EXPECT_FALSE(variable_latency(instruction("r0 | STS [R5], R4")));
}

}  // namespace
}  // namespace warpclock
