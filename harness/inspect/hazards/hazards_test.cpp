#include "inspect/hazards/hazards.hpp"

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "code/word.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/measured.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

const std::string reports = WARPCLOCK_SOURCE_DIR "/reports/";

/// What machine.json says of both GPUs of sm_90.
const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = [] {
    std::vector<Machine> read;
    for (const char* folder : {"nvidia-h100-80gb-hbm3", "nvidia-h200"}) {
      MeasuredGpu gpu{.folder = folder};
      gpu.machine = must(read_if_there(reports + folder + "/machine.json", {{RecordFile::Machine}}));
      read.push_back(must(make_machine(gpu)));
    }
    return read;
  }();
  return all;
}

KernelHazards checked(std::string_view assembly, const Arch& arch = {90, true}) {
  LoadedKernel kernel;
  kernel.listing = testing::make_listing(assembly);
  kernel.facts.entry = true;
  MinimumStalls stalls(machines());
  return kernel_hazards(kernel, arch, stalls);
}

/// The hazards as "kind register", or "none".
std::string kinds(std::string_view assembly, const Arch& arch = {90, true}) {
  const KernelHazards found = checked(assembly, arch);
  std::string text;
  for (const Hazard& each : found.hazards) text += (text.empty() ? "" : ", ") + each.kind + " " + each.reg;
  return text.empty() ? "none" : text;
}

TEST(Hazards, AResultIsReadAfterAsManyCyclesAsTheRowOfBothSays) {
  EXPECT_EQ(kinds("s4 | IADD3 R0, R1, R2, R3\nLOP3.LUT R4, R0, R1, R2, 0xc0, !PT\nEXIT"), "none");
  const KernelHazards found = checked("s3 | IADD3 R0, R1, R2, R3\nLOP3.LUT R4, R0, R1, R2, 0xc0, !PT\nEXIT");
  ASSERT_THAT(found.hazards, SizeIs(1));
  EXPECT_EQ(
      hazard_text(found.hazards[0]),
      "0x0010 LOP3.LUT R4, R0, R1, R2, 0xc0, !PT reads R0 3 cycles after 0x0000 IADD3 R0, R1, R2, R3; 4 are needed "
      "(dependences/IADD3->LOP3.LUT.A)");
  EXPECT_EQ(found.by_stalls, 1);
  // To another pipe it takes longer.
  EXPECT_EQ(kinds("s4 | IADD3 R0, R1, R2, R3\nFFMA R4, R0, R1, R2\nEXIT"), "early-read R0");
  EXPECT_EQ(kinds("s5 | IADD3 R0, R1, R2, R3\nFFMA R4, R0, R1, R2\nEXIT"), "none");
}

TEST(Hazards, TensorResultsNeedWhatTheOperandOfTheReaderNeeds) {
  const auto chain = [](int stall, std::string_view sources) {
    return kinds(fmt::format("s{} | HMMA.16816.F32 R8, R0, R4, R8\nHMMA.16816.F32 R16, {}\nEXIT", stall, sources));
  };
  EXPECT_EQ(chain(11, "R0, R4, R8"), "none");
  EXPECT_EQ(chain(10, "R0, R4, R8"), "early-read R8");
  EXPECT_EQ(chain(13, "R0, R8, R20"), "none");
  EXPECT_EQ(chain(12, "R0, R8, R20"), "early-read R8");
  EXPECT_EQ(chain(15, "R8, R4, R20"), "early-read R8");
  const std::string_view after_no_operation =
      "s15 | HMMA.16816.F32 R8, R0, R4, R8\ns1 | NOP\nHMMA.16816.F32 R16, R8, R4, R20\nEXIT";
  EXPECT_EQ(kinds(after_no_operation), "none");
  // BF16 has rows of its own only as both ends; they are those of F16, whose rows to other pipes hold for it.
  EXPECT_EQ(kinds("s14 | HMMA.16816.F32.BF16 R8, R0, R4, R8\nFADD R0, R8, R1\nEXIT"), "early-read R8");
  EXPECT_EQ(kinds("s15 | HMMA.16816.F32.BF16 R8, R0, R4, R8\nFADD R0, R8, R1\nEXIT"), "none");
}

TEST(Hazards, FormsWithoutARowStandForTheirPipe) {
  EXPECT_EQ(kinds("s3 | MOV R0, R1\nISETP.GE.AND P0, PT, R0, R2, PT\nEXIT"), "early-read R0");
  EXPECT_EQ(kinds("s4 | MOV R0, R1\nISETP.GE.AND P0, PT, R0, R2, PT\nEXIT"), "none");
  EXPECT_EQ(kinds("s3 | ISETP.GE.AND P0, PT, R0, R2, PT\nSEL R4, R5, R6, P0\nEXIT"), "early-read P0");
}

TEST(Hazards, WhatHasNoRowIsCountedAndNoError) {
  const KernelHazards found = checked(
      "s1 | ISETP.GE.AND P0, PT, R0, R2, PT\ns1 | @P0 IADD3 R4, R5, R6, R7\ns1 r0 | STG.E desc[UR4][R2.64], R4\nEXIT");
  EXPECT_THAT(found.hazards, IsEmpty());
  EXPECT_EQ(found.not_checked, 2);
  EXPECT_THAT(mapped(found.unknown, &NotChecked::what),
              ::testing::UnorderedElementsAre("ISETP to a guard", "IADD3 to STG"));
}

TEST(Hazards, EveryPathIsFollowed) {
  // The short way jumps over the no-operation.
  constexpr std::string_view both =
      "s1 | IADD3 R0, R1, R2, R3\ns{} | @P0 BRA `(.L_x_1)\ns4 | NOP\n.L_x_1:\n"
      "IADD3 R4, R0, R1, R2\nEXIT";
  EXPECT_EQ(kinds(fmt::format(fmt::runtime(both), 2)), "early-read R0");
  EXPECT_EQ(kinds(fmt::format(fmt::runtime(both), 3)), "none");
  // From one trip to the next.
  EXPECT_EQ(kinds(".L_x_0:\ns1 | FADD R1, R0, R2\ns1 | FADD R0, R3, R2\ns2 | @P0 BRA `(.L_x_0)\nEXIT"),
            "early-read R0");
  EXPECT_EQ(kinds(".L_x_0:\ns1 | FADD R1, R0, R2\ns2 | FADD R0, R3, R2\ns2 | @P0 BRA `(.L_x_0)\nEXIT"), "none");
}

TEST(Hazards, InstructionsUnderOppositeGuardsDoNotMeet) {
  EXPECT_EQ(kinds("s1 | @P0 IADD3 R0, R1, R2, R3\n@!P0 IADD3 R4, R0, R1, R2\nEXIT"), "none");
  EXPECT_EQ(kinds("s1 | @P0 IADD3 R0, R1, R2, R3\n@P0 IADD3 R4, R0, R1, R2\nEXIT"), "early-read R0");
  EXPECT_EQ(kinds("s1 | @P0 IADD3 R0, R1, R2, R3\nR2P PR, R9, 0x1\n@!P0 IADD3 R4, R0, R1, R2\nEXIT"), "early-read R0")
      << "the predicate changed in between";
  EXPECT_EQ(kinds("s1 | @P0 IADD3 R0, R1, R2, R3\n@P0 EXIT\nIADD3 R4, R0, R1, R2\nEXIT"), "none");
  EXPECT_EQ(kinds("s1 | @P0 IADD3 R0, R1, R2, R3\n@!P0 EXIT\nIADD3 R4, R0, R1, R2\nEXIT"), "early-read R0");
}

TEST(Hazards, AScoreboardIsAwaitedOnEveryPath) {
  EXPECT_EQ(kinds("s2 w0 | LDG.E R0, desc[UR4][R2.64]\nb0 | FADD R4, R0, R1\nEXIT"), "none");
  EXPECT_EQ(kinds("s2 w0 | LDG.E R0, desc[UR4][R2.64]\nb1 | FADD R4, R0, R1\nEXIT"), "no-wait R0");
  EXPECT_EQ(kinds("s1 w0 | LDG.E R0, desc[UR4][R2.64]\nb0 | FADD R4, R0, R1\nEXIT"), "no-wait R0")
      << "right behind, the wait does not see that the scoreboard is set";
  EXPECT_EQ(kinds("s2 w0 | LDG.E R0, desc[UR4][R2.64]\n@P0 BRA `(.L_x_1)\nb0 | NOP\n.L_x_1:\nFADD R4, R0, R1\nEXIT"),
            "no-wait R0");
  EXPECT_EQ(kinds("s2 w0 | LDG.E R0, desc[UR4][R2.64]\nIADD3 R0, R5, R6, R7\nEXIT"), "overwrites-result R0");
  EXPECT_EQ(kinds("s4 | LDS R0, [R2]\ns1 | NOP\nFADD R4, R0, R1\nEXIT"), "no-scoreboard R0");
  EXPECT_EQ(kinds("s4 | LDS R0, [R2]\ns2 w0 | LDS R1, [R2+0x4]\nb0 | FADD R4, R0, R1\nEXIT"), "none")
      << "loads of one queue arrive in order";
  EXPECT_EQ(kinds("s4 | FCHK P0, R1, R2\ns2 w0 | MUFU.RCP R3, R1\nb0 | @P0 BRA `(.L_x_1)\n.L_x_1:\nEXIT"), "none");
}

TEST(Hazards, ScoreboardsThatFallToACountLeaveTheLastOnesUnderWay) {
  constexpr std::string_view two =
      "s2 w0 | LDG.E R0, desc[UR4][R2.64]\ns2 w0 | LDG.E R1, desc[UR4][R2.64+0x4]\n"
      "s2 | DEPBAR.LE SB0, 0x1\nFADD R4, {}, R5\nEXIT";
  EXPECT_EQ(kinds(fmt::format(fmt::runtime(two), "R0")), "none");
  EXPECT_EQ(kinds(fmt::format(fmt::runtime(two), "R1")), "no-wait R1");
}

TEST(Hazards, ASourceIsOverwrittenOnceItWasRead) {
  EXPECT_EQ(kinds("s2 r3 | STG.E desc[UR4][R2.64], R0\nb3 | IADD3 R0, R5, R6, R7\nEXIT"), "none");
  EXPECT_EQ(kinds("s2 r3 | STG.E desc[UR4][R2.64], R0\nIADD3 R0, R5, R6, R7\nEXIT"), "overwrites-source R0");
  EXPECT_EQ(kinds("s2 r3 | STG.E desc[UR4][R2.64], R0\ns2 w0 | LDG.E R0, desc[UR4][R8.64]\nEXIT"), "none")
      << "the load comes behind it in the same queue";
  // A form without a row whose scoreboard a later one sets, as ptxas made it for MT19937 in cuRAND (sm_90).
  EXPECT_EQ(kinds("s2 r3 | STG.E desc[UR8][R68.64], R80\ns2 | SHFL.UP PT, R80, R4, 0x5, 0x1800\n"
                  "s2 w0 | SHFL.UP PT, R81, R5, 0x5, 0x1800\nb0 | IADD3 R7, R80, R81, RZ\nEXIT",
                  {90, false}),
            "none");
  EXPECT_EQ(kinds("s2 r3 | @P1 STG.E desc[UR4][R2.64], R0\nISETP.GE.AND P1, PT, R4, R5, PT\nEXIT"), "none")
      << "a guard is read at issue";
}

TEST(Hazards, NothingIsAssumedOfACalledFunction) {
  EXPECT_EQ(kinds("s1 | IADD3 R0, R1, R2, R3\ns1 | CALL.REL.NOINC `(.L_x_9)\nIADD3 R4, R0, R1, "
                  "R2\nEXIT\n.L_x_9:\nRET.REL.NODEC R8 `(k)"),
            "none");
}

TEST(Hazards, SlackIsWhatStallCountsCanBeLoweredBy) {
  const KernelHazards found = checked(
      ".L_x_0:\ns15 | HMMA.16816.F32 R8, R20, R24, R8\ns9 | NOP\ns4 | FADD R0, R8, R1\ns1 | FADD R2, R0, R1\n"
      "s5 | @P0 BRA `(.L_x_0)\nEXIT");
  EXPECT_THAT(found.hazards, IsEmpty());
  ASSERT_THAT(found.slack, SizeIs(2));
  const LoopSlack& loop = found.slack[0];
  EXPECT_EQ(loop.issue_cycles, 34);
  EXPECT_EQ(loop.slack, 24 - 15);
  ASSERT_FALSE(loop.places.empty());
  EXPECT_EQ(loop.places[0].needed, 15);
  EXPECT_EQ(loop.places[0].row, "dependences/HMMA.16816.F32->FADD.A");
}

int slack_of_first(std::string_view assembly) {
  const KernelHazards found = checked(assembly);
  EXPECT_THAT(found.hazards, IsEmpty());
  return found.slack.empty() ? 0 : found.slack.front().slack;
}

TEST(Hazards, StallCountsWhoseUseIsNotKnownStay) {
  EXPECT_EQ(slack_of_first("s9 | IADD3 R0, R1, R2, R3\nIADD3 R4, R0, R1, R2\nEXIT"), 5);
  EXPECT_EQ(slack_of_first("s2 | IADD3 R0, R1, R2, R3\ns7 | BAR.SYNC.DEFER_BLOCKING 0x0\nIADD3 R4, R0, R1, R2\nEXIT"),
            0)
      << "of a barrier";
  EXPECT_EQ(slack_of_first("s1 | IADD3 R6, R1, R2, R3\ns9 | IADD3 R0, R1, R2, R3\nIADD3 R4, R0, R1, R2\n"
                           "STG.E desc[UR4][R2.64], R6\nEXIT"),
            0)
      << "no row says when a store reads";
  EXPECT_EQ(slack_of_first("s8 | IMAD.HI.U32 R0, R1, R2, RZ\nFADD R4, R0, R1\nEXIT"), 0)
      << "rows of IMAD.WIDE are about the lower half of its result, which comes first";
}

TEST(Hazards, AResultIsOverwrittenOnceEveryReaderWouldHaveHadIt) {
  const auto chain = [](std::string_view end) {
    return slack_of_first(fmt::format("s15 | HMMA.16816.F32 R8, R20, R24, R28\ns9 | NOP\n{}\nEXIT", end));
  };
  EXPECT_EQ(chain("HMMA.16816.F32 R8, R20, R24, R8"), 24 - 11) << "its reader overwrites it";
  EXPECT_EQ(chain("s2 | HMMA.16816.F32 R12, R20, R24, R8\ns2 w0 | LDSM.16.M88.4 R8, [R40]\nb0 | FADD R1, R8, R9"),
            24 + 2 - 16)
      << "after 16 cycles it could also be A of the same";
}

TEST(Hazards, KernelsThatCallAreNoted) {
  EXPECT_FALSE(checked("IADD3 R4, R0, R1, R2\nEXIT").calls);
  EXPECT_TRUE(checked("s1 | CALL.REL.NOINC `(.L_x_9)\nEXIT\n.L_x_9:\nRET.REL.NODEC R8 `(k)").calls);
}

TEST(Hazards, ARefusalNamesWhatIsMissing) {
  LoadedFile file = testing::recorded_kernels();
  file.arch = {80, false};
  const auto report = find_hazards("a.cubin", file, machines(), "");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "unsupported-arch");
  EXPECT_THAT(report.error().text, HasSubstr("minimum stall counts of sm_80"));
  EXPECT_EQ(find_hazards("a.cubin", testing::recorded_kernels(), machines(), "nowhere").error().code, "kernel");
}

TEST(Hazards, PrintsTheAcceptedText) {
  const auto report = must(find_hazards("kernels.cubin", testing::recorded_kernels(), machines(), ""));
  testing::expect_golden("hazards.txt", to_text(hazard_sheet(report), Style(false)), "inspect");
}

}  // namespace
}  // namespace warpclock
