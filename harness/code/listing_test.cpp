#include "code/listing.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::instruction;
using testing::listing_text;
using testing::make_listing;

TEST(Listing, ReadsWhatNvdisasmPrintsForEachArchitecture) {
  for (const std::string arch : {"sm_80", "sm_90a", "sm_100a", "sm_120a"}) {
    const auto listings = parse_listings(testing::read("harness/code/testdata/listings/hmma." + arch + ".sass"));
    ASSERT_TRUE(listings) << arch << ": " << listings.error().message();
    ASSERT_EQ(listings->size(), 1U);
    EXPECT_EQ(listings->front().kernel, "hmma");
    EXPECT_EQ(listings->front().target, arch);
    int multiplies = 0;
    for (const Instruction& i : listings->front().instructions) {
      EXPECT_FALSE(i.opcode.empty());
      if (i.opcode != "HMMA") continue;
      ++multiplies;
      EXPECT_THAT(i.modifiers, ElementsAre("16816", "F32"));
      EXPECT_EQ(i.operands.size(), 4U) << i.text;
      EXPECT_EQ(i.low & 0x1ff, 0x3cU) << "the operation of HMMA, from its encoding";
    }
    EXPECT_EQ(multiplies, 3) << arch;
  }
}

TEST(Listing, SplitsAnInstructionIntoItsParts) {
  const Instruction i = instruction("@!P3 LDG.E.64.STRONG.SM R10, desc[UR4][R2.64+0x80]");
  EXPECT_EQ(i.predicate, "!P3");
  EXPECT_EQ(i.opcode, "LDG");
  EXPECT_THAT(i.modifiers, ElementsAre("E", "64", "STRONG", "SM"));
  EXPECT_THAT(i.operands, ElementsAre("R10", "desc[UR4][R2.64+0x80]"));
  EXPECT_EQ(i.text, "LDG.E.64.STRONG.SM R10, desc[UR4][R2.64+0x80]");
  EXPECT_EQ(i.name(), "LDG.E.64.STRONG.SM");
}

TEST(Listing, SplitsOperandsAtTopLevelCommasOnly) {
  EXPECT_THAT(instruction("DEPBAR.LE SB0, 0x0, {5,4}").operands, ElementsAre("SB0", "0x0", "{5,4}"));
  EXPECT_THAT(instruction("IADD3 R0, -R1, c[0x0][0x16c], RZ").operands,
              ElementsAre("R0", "-R1", "c[0x0][0x16c]", "RZ"));
  EXPECT_TRUE(instruction("NOP").operands.empty());
}

TEST(Listing, DropsTheAnnotationsOfSomeVersions) {
  const Instruction i = instruction("LDC R1, c[0x0][0x37c] &wr=0x0 ?trans1");
  EXPECT_EQ(i.text, "LDC R1, c[0x0][0x37c]");
  EXPECT_THAT(i.operands, ElementsAre("R1", "c[0x0][0x37c]"));
}

TEST(Listing, ResolvesLabelsForwardAndBackward) {
  const Listing listing = make_listing("BRA `(end)\nback:\nNOP\nBRA.U !UP0, `(back)\nend:\nEXIT");
  EXPECT_EQ(listing.instructions[0].branch_target, 0x30U);
  EXPECT_EQ(listing.instructions[2].branch_target, 0x10U);
  EXPECT_FALSE(listing.instructions[3].branch_target);
}

TEST(Listing, ALabelMayBeTheAddressItself) {
  const Listing listing = make_listing("@P0 BRA.U !UP0, `(0x20)\nRET.REL.NODEC R4 `(0x0)\nBSSY B0, `(0x30)");
  EXPECT_EQ(listing.instructions[0].branch_target, 0x20U);
  EXPECT_EQ(listing.instructions[0].text, "BRA.U !UP0, 0x20");
  EXPECT_EQ(listing.instructions[0].operands, (std::vector<std::string>{"!UP0", "0x20"}));
  EXPECT_EQ(listing.instructions[1].branch_target, 0U);
  EXPECT_EQ(listing.instructions[1].operands, std::vector<std::string>{"R4 0x0"});
  EXPECT_EQ(listing.instructions[2].branch_target, 0x30U);
  EXPECT_FALSE(make_listing("MOV R1, 0x20").instructions[0].branch_target);
}

TEST(Listing, LabelsOfOneKernelAreUnknownInTheNext) {
  const auto listings = must(parse_listings(listing_text("a:\nNOP") + listing_text("BRA `(a)")));
  ASSERT_EQ(listings.size(), 2U);
  EXPECT_FALSE(listings[1].instructions[0].branch_target);
}

TEST(Listing, IgnoresOtherSectionsAndSectionDirectives) {
  const auto listings = must(parse_listings(
      "\t.section .nv.info\nwhatever\n\t.section\t.text.f,\"ax\"\n\t.sectioninfo\t@\"x\"\n" + listing_text("EXIT")));
  EXPECT_EQ(listings.size(), 2U);
  EXPECT_EQ(listings[0].kernel, "f");
  EXPECT_EQ(listings[1].instructions.size(), 1U);
}

TEST(Listing, FindsTheTargetInTheFlagsOfOlderCubins) {
  const auto target = [](const std::string& flags) {
    const auto listings =
        parse_listings("\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS " + flags + "\"\n" + "\t.section\t.text.f,\"ax\"\n");
    return listings ? listings->front().target : listings.error().message();
  };
  EXPECT_EQ(target("EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"), "sm_90");
  EXPECT_EQ(target("EF_CUDA_SM90 EF_CUDA_ACCELERATORS EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"), "sm_90a");
  EXPECT_EQ(target("EF_CUDA_VIRTUAL_SM"), "");
}

TEST(Control, DecodesEveryField) {
  // From listings of ptxas: SHFL of a chain, a branch, HMMA on sm_80 and sm_90, LDG.
  EXPECT_EQ(decode_control(0x001e2800000e0000), (Control{.stall = 4, .write_barrier = 0, .wait_mask = 1}));
  EXPECT_EQ(decode_control(0x000fea0003800000), (Control{.stall = 5}));
  EXPECT_EQ(decode_control(0x0c0ff6000000180c), (Control{.stall = 11}));
  EXPECT_EQ(decode_control(0x000fde000000180c), (Control{.stall = 15, .yield = true}));
  EXPECT_EQ(decode_control(0x000362000c1e1900), (Control{.stall = 1, .write_barrier = 5, .read_barrier = 1}));
  EXPECT_EQ(decode_control(0x020fe40007ffe002), (Control{.stall = 2, .wait_mask = 0x20}));
}

TEST(Control, AgreesWithTheEncoderOfTheseTests) {
  EXPECT_EQ(instruction("s9 y w2 r4 b05 | NOP").control,
            (Control{.stall = 9, .yield = true, .write_barrier = 2, .read_barrier = 4, .wait_mask = 0x21}));
}

std::string listing_error(const std::string& text) {
  const auto listings = parse_listings(text);
  return listings ? "no error" : listings.error().code + " " + listings.error().message();
}

TEST(ListingErrors, SayWhichLineIsWrong) {
  EXPECT_THAT(listing_error(""), HasSubstr("no .text section"));
  const std::string head = "\t.section\t.text.k,\"ax\"\n";
  const std::string word = " /* 0x0000000000000001 */\n", second = "        /* 0x000fe20000000000 */\n";
  EXPECT_THAT(listing_error(head + "/*0000*/ NOP ;\n"), HasSubstr("listing line 2: "));
  EXPECT_THAT(listing_error(head + "/*0000*/ NOP ;\n"), HasSubstr("no encoding"));
  EXPECT_THAT(listing_error(head + "/*0000*/ NOP ;" + word), HasSubstr("second half"));
  EXPECT_THAT(listing_error(head + "/*0000*/ NOP ;" + word + "/*0010*/ NOP ;" + word), HasSubstr("line 3: "));
  EXPECT_THAT(listing_error(head + "/*0010*/ NOP ;" + word + second), HasSubstr("expected"));
  EXPECT_THAT(listing_error(head + "/*zz*/ NOP ;" + word + second), HasSubstr("address"));
  EXPECT_THAT(listing_error(head + "/*0000*/ ;" + word + second), HasSubstr("no opcode"));
  EXPECT_THAT(listing_error(head + "/*0000*/ @ NOP ;" + word + second), HasSubstr("no opcode"));
  EXPECT_THAT(listing_error(head + "/*0000*/ NOP ;" + word + second + "Segmentation fault\n"), HasSubstr("line 4: "));
  EXPECT_EQ(listing_error(head + "/*0000*/ NOP ;" + word + second), "no error");
}

TEST(ListingErrors, NoMutationOfAListingBreaksTheParser) {
  const std::string good = testing::read("harness/code/testdata/listings/hmma.sm_80.sass");
  std::mt19937 random(1);
  int refused = 0, read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good.substr(0, 6000);
    for (std::uint32_t edits = 1 + random() % 8; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 5) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 80).append(" ");
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 80));
          break;
        case 3:
          text.resize(at + 1);
          break;
        case 4:
          text[at] = "\n;,[]{}()`.*/@:"[random() % 15];
          break;
      }
    }
    const auto listings = parse_listings(text);
    ++(listings ? read : refused);
    if (listings) continue;
    EXPECT_EQ(listings.error().code, "listing");
    EXPECT_THAT(listings.error().place, HasSubstr("line "));
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(read, 100);
}

TEST(Pattern, IsAnOpcodeWithASubsetOfItsModifiers) {
  const Instruction hmma = instruction("HMMA.16816.F32.BF16 R0, R4, R8, R0");
  EXPECT_TRUE(matches(hmma, "HMMA"));
  EXPECT_TRUE(matches(hmma, "HMMA.16816.F32"));
  EXPECT_TRUE(matches(hmma, "HMMA.BF16.16816"));
  EXPECT_FALSE(matches(hmma, "HMMA.1688"));
  EXPECT_FALSE(matches(hmma, "HMMA.16816.F16"));
  EXPECT_FALSE(matches(hmma, "HMM"));
  EXPECT_FALSE(matches(hmma, ""));
}

TEST(Pattern, CountsAModifierThatIsNamedTwice) {
  const Instruction mixed = instruction("IMMA.16832.S8.U8 R0, R4.ROW, R8.COL, R0");
  EXPECT_TRUE(matches(mixed, "IMMA.16832.S8"));
  EXPECT_FALSE(matches(mixed, "IMMA.16832.S8.S8"));
  EXPECT_TRUE(matches(instruction("IMMA.16832.S8.S8 R0, R4.ROW, R8.COL, R0"), "IMMA.16832.S8.S8"));
}

TEST(Pattern, OneOfSeveralIsEnough) {
  EXPECT_TRUE(matches_any(instruction("MOV R0, R1"), {"IMAD.MOV", "MOV"}));
  EXPECT_FALSE(matches_any(instruction("MOV R0, R1"), {"IMAD.MOV", "UMOV"}));
  EXPECT_FALSE(matches_any(instruction("MOV R0, R1"), {}));
}

TEST(Flow, FollowsJumps) {
  const Listing listing =
      make_listing("top:\nNOP\n@P0 BRA `(top)\nBRA.U !UP0, `(end)\nBRA `(end)\nNOP\nend:\n@P0 EXIT\nEXIT");
  EXPECT_THAT(successors(listing, 0), ElementsAre(1U));
  EXPECT_THAT(successors(listing, 1), ElementsAre(2U, 0U));
  EXPECT_THAT(successors(listing, 2), ElementsAre(3U, 5U)) << "the condition is an operand";
  EXPECT_THAT(successors(listing, 3), ElementsAre(5U));
  EXPECT_THAT(successors(listing, 5), ElementsAre(6U));
  EXPECT_THAT(successors(listing, 6), IsEmpty());
}

TEST(Flow, ACallReturnsBehindItselfAndAReturnLeaves) {
  const Listing listing = make_listing("CALL.REL.NOINC `(f)\nEXIT\nf:\nNOP\nRET.REL.NODEC R10 `(k)");
  EXPECT_THAT(successors(listing, 0), ElementsAre(1U, 2U));
  EXPECT_THAT(successors(listing, 3), IsEmpty());
}

TEST(Flow, WhereAWarpMeetsAgainIsNoJump) {
  const Listing listing = make_listing("BSSY B0, `(end)\nWARPSYNC.COLLECTIVE R1, `(end)\nend:\nBSYNC B0\nEXIT");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(is_jump(listing.instructions[i]));
  EXPECT_THAT(successors(listing, 0), ElementsAre(1U));
}

TEST(Flow, AJumpOutOfTheSectionHasNoTarget) {
  const Listing listing = make_listing("BRA `(elsewhere)\nBRX R4 -0x10\nend:\nEXIT");
  EXPECT_EQ(target_index(listing, listing.instructions[0]), listing.instructions.size());
  EXPECT_THAT(successors(listing, 0), IsEmpty());
}

TEST(Flow, TheWidestLoopIsTheOneAroundTheOthers) {
  const Listing listing = make_listing(
      "NOP\nouter:\nNOP\ninner:\nNOP\n@P0 BRA `(inner)\nNOP\n@P1 BRA `(outer)\n@P0 BRA `(end)\nNOP\nend:\nEXIT");
  EXPECT_EQ(widest_loop(listing, 0, listing.instructions.size()), std::pair(std::size_t{1}, std::size_t{6}));
  EXPECT_EQ(widest_loop(listing, 2, 5), std::pair(std::size_t{2}, std::size_t{4}))
      << "what begins outside is no loop of it";
  EXPECT_EQ(widest_loop(listing, 6, listing.instructions.size()), std::nullopt) << "a branch forward is none";
}

}  // namespace
}  // namespace warpclock
