#include "verify/instruction/expansion.hpp"

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

using testing::make_listing;

struct Isolated {
  PtxInstruction instruction;
  std::vector<Part> parts;
};

Isolated isolated(const std::string& line, const std::string& between) {
  Isolated found{described(line).value(), {}};
  auto expansion =
      expansion_of(make_listing("CS2R R2, SR_CLOCKLO\n" + between + "\nCS2R R4, SR_CLOCKLO\nEXIT"), found.instruction);
  EXPECT_TRUE(expansion);
  if (expansion) found.parts = expansion->parts;
  return found;
}

Experiment through(const PtxInstruction& instruction, std::size_t which) {
  return latency_experiments(instruction).at(which);
}

const char* const product = R"(
    LDS R6, [R0]
    LDS R7, [R0]
    F2FP.UNPACK R8, R6
    F2FP.UNPACK R9, R7
    UMOV UR4, 0x3
    HMMA R10, R8, R9, UR4
    STS [R0], R10
)";

TEST(PartsOf, KnowTheirSourcesAndResults) {
  const Isolated one = isolated("mul.lo.s32 {d}, {a}, {b}", product);
  ASSERT_EQ(one.parts.size(), 4U);
  EXPECT_EQ(one.parts[0], (Part{"F2FP.UNPACK", {1}, {{0, 0}}}));
  EXPECT_EQ(one.parts[1], (Part{"F2FP.UNPACK", {2}, {{0, 0}}}));
  EXPECT_EQ(one.parts[2], (Part{"UMOV", {}, {{0, 0}}}));
  EXPECT_EQ(one.parts[3].sources, (std::set<std::size_t>{1, 2}));
}

TEST(PartsOf, AreUnknownWhereValuesGoUnseen) {
  for (const char* code : {"BAR.SYNC 0x0", "RPCMOV.32 Rpc.LO, R6", "CALL.REL.NOINC `(f)", "BRA `(f)"}) {
    const Isolated one =
        isolated("popc.b32 {d}, {a}", "LDS R6, [R0]\n" + std::string(code) + "\nPOPC R7, R6\nf:\nSTS [R0], R7");
    EXPECT_THAT(one.parts, IsEmpty()) << code;
  }
  EXPECT_THAT(isolated("popc.b32 {d}, {a}", "POPC R7, R6\nSTS [R0], R7").parts, IsEmpty()) << "a load is missing";
}

TEST(SharedParts, DependOnNothingThatDiffers) {
  const Isolated one = isolated("mul.lo.s32 {d}, {a}, {b}", product);
  const Experiment latency = through(one.instruction, 0);
  EXPECT_EQ(shared_parts(one.parts, "F2FP.UNPACK", latency), 1) << "that of b";
  EXPECT_EQ(shared_parts(one.parts, "UMOV", latency), 1);
  EXPECT_EQ(shared_parts(one.parts, "HMMA", latency), 0);
  const Experiment throughput{.question = Question::Throughput, .links = {}, .ilp = 4};
  EXPECT_EQ(shared_parts(one.parts, "F2FP.UNPACK", throughput), 0) << "a rate is of whole instances";
  EXPECT_EQ(shared_parts(one.parts, "UMOV", throughput), 1);
  const Isolated clock =
      isolated("mov.u64 {d}, %globaltimer", "S2UR UR4, SR_GLOBALTIMERLO\nMOV R6, UR4\nSTS.64 [R0], R6");
  EXPECT_EQ(shared_parts(clock.parts, "move", throughput), 0) << "it has no operand at all";
}

TEST(UnreadParts, LeadToNothingThatTheNextCopyReads) {
  const Isolated one = isolated("shfl.sync.bfly.b32 {d}|{p}, {a}, {b}, {c}, {mask}", R"(
    LDS R6, [R0]
    LDS R7, [R0]
    SHFL.BFLY R10, R6, R7, 0x1f
    ISETP.NE.AND P0, PT, R6, RZ, PT
    STS [R0], R10
    @P0 STS [R0], R0
)");
  ASSERT_EQ(one.parts.size(), 2U);
  const Experiment latency = through(one.instruction, 0);
  EXPECT_EQ(unread_parts(one.parts, "ISETP.NE.AND", one.instruction, latency), 1);
  EXPECT_EQ(unread_parts(one.parts, "SHFL.BFLY", one.instruction, latency), 0);
  EXPECT_EQ(unread_parts(one.parts, "ISETP.NE.AND", one.instruction, {}), 0);
}

using testing::instruction;

Expected<Expansion> expansion(const std::string& line, const std::string& between) {
  const auto described_line = described(line);
  EXPECT_TRUE(described_line) << line;
  return expansion_of(make_listing("CS2R R2, SR_CLOCKLO\n" + between + "\nCS2R R4, SR_CLOCKLO\nEXIT"), *described_line);
}

TEST(KindOf, IsOneWhereTheAssemblerChooses) {
  for (const char* code : {"IADD3 R0, R1, R2, RZ", "VIADD R0, R1, 0x5", "IMAD.IADD R0, R1, 0x1, R2"}) {
    EXPECT_EQ(kind_of(instruction(code)), "integer add") << code;
  }
  for (const char* code : {"MOV R0, R1", "IMAD.MOV.U32 R0, RZ, RZ, R1"}) EXPECT_EQ(kind_of(instruction(code)), "move");
  for (const char* code : {"IADD3.X R0, R1, R2, RZ, P0, !PT", "IMAD.X R0, R1, 0x1, R2, P0"}) {
    EXPECT_EQ(kind_of(instruction(code)), "integer add with carry") << code;
  }
  for (const char* code : {"IMAD.SHL.U32 R0, R1, 0x8, RZ", "SHF.L.U32 R0, R1, 0x3, RZ"}) {
    EXPECT_EQ(kind_of(instruction(code)), "shift left") << code;
  }
  EXPECT_EQ(kind_of(instruction("LOP3.LUT R0, R1, R2, R3, 0x96, !PT")), "LOP3");
  EXPECT_EQ(kind_of(instruction("LOP3.LUT R0, R1, R2, R3, 0x78, !PT")), "LOP3 xor-and");
  EXPECT_EQ(kind_of(instruction("SHF.R.U32.HI R0, RZ, 0x3, R1")), "SHF.R.U32.HI") << "no shift left";
  EXPECT_EQ(kind_of(instruction("IMAD R0, R1, R2, R3")), "IMAD");
  EXPECT_EQ(kind_of(instruction("FFMA R0, R1, R2, R3")), "FFMA");
  EXPECT_EQ(kind_of(instruction("NOP")), "");
}

TEST(ExpansionOf, LeavesOutTheKernelsOwnTraffic) {
  const auto found = must(expansion("fma.rn.f32 {d}, {a}, {b}, {c}", R"(
    LDS R6, [R0]
    LDS R7, [R0]
    LDS R8, [R0]
    FFMA R9, R6, R7, R8
    STS [R0], R9
  )"));
  EXPECT_THAT(found.opcodes, ElementsAre("FFMA"));
  EXPECT_EQ(found.kinds, (Kinds{{"FFMA", 1}}));
  EXPECT_EQ(total(found.kinds), 1);
  EXPECT_THAT(found.labels, IsEmpty());
  EXPECT_FALSE(found.calls || found.branches || found.pauses);
}

TEST(ExpansionOf, KeepsLoadsStoresAndComparesThatAreTheInstruction) {
  const auto load = must(expansion("ld.shared.u32 {d}, [{a}]", "LDS R6, [R0]\nLDS R7, [R6]\nSTS [R0], R7"));
  EXPECT_THAT(load.opcodes, ElementsAre("LDS"));
  const auto store = must(expansion("st.shared.u32 [{a}], {b}", "LDS R6, [R0]\nLDS R7, [R0]\nSTS [R6], R7"));
  EXPECT_THAT(store.opcodes, ElementsAre("STS"));
  const auto compare = must(expansion("selp.b32 {d}, {a}, {b}, {c}", R"(
    LDS R6, [R0]
    LDS R7, [R0]
    LDS R8, [R0]
    ISETP.NE.U32.AND P0, PT, R8, RZ, PT
    SEL R9, R6, R7, P0
    STS [R0], R9
  )"));
  EXPECT_THAT(compare.opcodes, ElementsAre("SEL"));
}

TEST(ExpansionOf, SaysWhatItBecame) {
  const auto shift =
      expansion("mul.lo.s32 {d}, {a}, {b}", "LDS R6, [R0]\nLDS R7, [R0]\nSHF.L.U32 R8, R6, R7, RZ\nSTS [R0], R8");
  ASSERT_TRUE(shift);
  EXPECT_THAT(shift->labels, ElementsAre("rewritten: SHF.L.U32"));
  const auto several =
      expansion("clz.b32 {d}, {a}", "LDS R6, [R0]\nFLO.U32 R7, R6\nIADD3 R7, -R7, 0x1f, RZ\nSTS [R0], R7");
  ASSERT_TRUE(several);
  EXPECT_THAT(several->labels, ElementsAre("2 instructions"));
  const auto calls =
      must(expansion("rem.s64 {d}, {a}, {b}",
                     "LDS.64 R6, [R0]\nLDS.64 R8, [R0]\nMOV R10, 0x10\nCALL.REL.NOINC 0x80\nSTS.64 [R0], R6"));
  EXPECT_TRUE(calls.calls);
  EXPECT_FALSE(calls.branches);
  EXPECT_THAT(calls.labels, ElementsAre("2 instructions", "calls a subroutine"));
  const auto pauses = must(expansion("popc.b32 {d}, {a}", "LDS R6, [R0]\nNOP\nPOPC R7, R6\nSTS [R0], R7"));
  EXPECT_TRUE(pauses.pauses);
}

TEST(ExpansionOf, RefusesWhatIsNone) {
  EXPECT_EQ(failure_of(expansion("mov.b32 {d}, {a}", "LDS R6, [R0]\nSTS [R0], R6")).code, "no-instruction");
  EXPECT_EQ(failure_of(expansion_of(make_listing("CS2R R2, SR_CLOCKLO\nPOPC R0, R1\nEXIT"),
                                    described("popc.b32 {d}, {a}").value()))
                .code,
            "clock-mismatch");
}

}  // namespace
}  // namespace warpclock
