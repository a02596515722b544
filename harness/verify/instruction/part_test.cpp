#include "verify/instruction/part.hpp"

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "ptx/testing/described.hpp"
#include "verify/instruction/expansion.hpp"

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

}  // namespace
}  // namespace warpclock
