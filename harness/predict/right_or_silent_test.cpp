#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "predict/missing.hpp"
#include "predict/predict.hpp"
#include "predict/prediction_output.hpp"
#include "predict/program/access_turns.hpp"
#include "predict/program/constant_cost.hpp"

// A prediction has a number, or says why it has none.

namespace warpclock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string work = "s4 | FFMA R7, R9, R7, R10\ns4 | FFMA R7, R9, R7, R10\n";

Expected<Prediction> of_code(const std::string& code, PredictOptions options) {
  LoadedKernel kernel;
  kernel.listing = testing::make_listing(code);
  kernel.listing.target = "sm_90a";
  kernel.facts.entry = true;
  kernel.facts.registers = 32;
  kernel.facts.parameters = {{0, 8}};
  options.threads = 32;
  options.blocks = 1;
  return predict(kernel, testing::committed_machine("nvidia-h100-80gb-hbm3"), options);
}

std::string text_of(const Prediction& prediction) { return to_text(prediction_sheet(prediction), Style(false)); }

/// A jump to the loop, followed by one past it.
const std::string jumped_to =
    "s5 | @P0 BRA `(loop)\ns5 | BRA `(end)\nloop:\n" + work + "s5 | @P1 BRA `(loop)\nend:\ns5 | EXIT";

/// A jump past the loop.
const std::string jumped_past = "s5 | @P0 BRA `(end)\nloop:\n" + work + "s5 | @P1 BRA `(loop)\nend:\ns5 | EXIT";

TEST(RightOrSilent, ALoopWithTripsIsEnteredWhateverItsGuardIs) {
  for (const std::string& code : {jumped_to, jumped_past}) {
    const Prediction one = must(of_code(code, {.trips = {{0, 1000}}}));
    ASSERT_TRUE(one.low) << text_of(one);
    EXPECT_GT(*one.low, 1000 * 8);
    EXPECT_FALSE(one.loops[0].never_entered);
  }
}

TEST(RightOrSilent, ALoopWithoutTripsIsGonePast) {
  for (const std::string& code : {jumped_to, jumped_past}) {
    const Prediction one = must(of_code(code, {.trips = {{0, 0}}}));
    ASSERT_TRUE(one.low) << text_of(one);
    EXPECT_LT(*one.low, must(of_code(code, {.trips = {{0, 1}}})).low);
    EXPECT_THAT(text_of(one), HasSubstr("never entered, 0 trips by --trips"));
  }
  const Prediction none = must(of_code("loop:\n" + work + "s5 | @P1 BRA `(loop)\ns5 | EXIT", {.trips = {{0, 0}}}));
  EXPECT_FALSE(none.low);
  EXPECT_THAT(text_of(none), HasSubstr("unknown: loop 0 (0x0000) has 0 trips by --trips, but no jump"));
}

TEST(RightOrSilent, ALoopThatIsNeverEnteredIsNoAnswer) {
  const std::string code = "s5 | @P0 BRA `(second)\nfirst:\n" + work +
                           "s5 | @P1 BRA `(first)\ns5 | BRA `(end)\nsecond:\n" + work +
                           "s5 | @P2 BRA `(second)\nend:\ns5 | EXIT";
  const Prediction one = must(of_code(code, {.trips = {{0, 5}, {1, 6}}}));
  EXPECT_FALSE(one.low);
  EXPECT_TRUE(one.bounds.empty() && one.waits.empty() && one.limiter.empty());
  EXPECT_THAT(text_of(one), AllOf(HasSubstr("loop 1 (0x0050) with 6 trips by --trips was never entered: the path goes "
                                            "past it at 0x0040"),
                                  Not(HasSubstr("limiter")), Not(HasSubstr("0 cycles a trip"))));
  EXPECT_THAT(to_json({one}), HasSubstr("\"missing\""));
}

TEST(RightOrSilent, TripsOfALoopThatIsNotThereAreAnError) {
  EXPECT_THAT(of_code(jumped_past, {.trips = {{0, 1}, {99, 3}}}).error().text,
              HasSubstr("--trips 99=3: there is no loop 99: the kernel has only loop 0"));
  EXPECT_THAT(of_code("s5 | EXIT", {.trips = {{0, 3}}}).error().text, HasSubstr("the kernel has no loops"));
}

/// Executions of one warp; the loop of `jumped_past` is at 0x10 to 0x30.
PredictOptions with_counts(std::int64_t before, std::int64_t inside, std::int64_t after) {
  PredictOptions options;
  for (const std::int64_t address : {0x10, 0x20, 0x30}) options.executed.by_address[address] = inside;
  options.executed.by_address[0] = before;
  options.executed.by_address[0x40] = after;
  return options;
}

TEST(RightOrSilent, ACountOfZeroIsZeroTrips) {
  const Prediction one = must(of_code(jumped_past, with_counts(1, 0, 1)));
  ASSERT_TRUE(one.low) << text_of(one);
  EXPECT_EQ(one.loops[0].trips, 0);
  EXPECT_EQ(must(of_code(jumped_past, with_counts(1, 7, 1))).loops[0].trips, 7);
}

TEST(RightOrSilent, IssuesThatCountsDoNotHaveAreNoAnswer) {
  const Prediction one = must(of_code(jumped_past, with_counts(10, 70, 10)));
  EXPECT_FALSE(one.low);
  EXPECT_THAT(text_of(one),
              HasSubstr("unknown: the simulated path issues 23 instructions, and --counts has 230: -90 %"));
  EXPECT_THAT(of_code("s5 | EXIT", with_counts(1, 1, 1)).error().text, HasSubstr("of another kernel"));
}

TEST(RightOrSilent, AResourceIsNotUsedForMoreThanAllOfTheTime) {
  const LoadedKernel kernel;
  const std::vector<KernelLoop> loops;
  const Runs runs;
  const auto missing = wrong_path({kernel, loops, runs, {}}, {{"L2", 100, 4.87}, {"DRAM", 100, 1.0033}});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].why, "L2 would be used for 487 % of the time");
}

TEST(RightOrSilent, AGenericAddressIsFollowedIfItIsExecuted) {
  const auto with = [](const std::string& address) {
    return must(of_code("s5 | LDC.64 R2, c[0x0][0x210]\ns2 w0 | LD.E R4, desc[UR4][" + address +
                            ".64]\nb0 s2 | FFMA R7, R9, R7, R4\ns5 | EXIT",
                        {.given = {.buffers = {{0, {4096}}}}}));
  };
  const Prediction followed = with("R2"), lost = with("R12");
  ASSERT_TRUE(followed.low) << text_of(followed);
  EXPECT_GT(*followed.low, 200) << "L2 answers";
  EXPECT_FALSE(lost.low);
  EXPECT_THAT(text_of(lost), HasSubstr("accesses through generic addresses are not followed"));
}

TEST(RightOrSilent, AtomicOperationsAtAnUnknownAddressMayAllMeet) {
  const auto of = [](const std::string& address) {
    return must(of_code("s5 | LDC.64 R2, c[0x0][0x210]\ns5 | S2R R12, SR_CLOCKLO\nloop:\n" + work +
                            "s2 r0 | REDG.E.ADD.STRONG.GPU desc[UR4][" + address +
                            ".64], R5\ns5 | @P1 BRA `(loop)\ns5 | EXIT",
                        {.trips = {{0, 1000}}, .given = {.buffers = {{0, {4096}}}}}));
  };
  const Prediction known = of("R2"), lost = of("R12");
  ASSERT_TRUE(known.low) << text_of(known);
  EXPECT_GT(*known.low, 1000 * 32) << "all lanes are at one word";
  EXPECT_THAT(text_of(known), HasSubstr("what L2 takes for atomic operations to some lines is between"))
      << "this H100 has no rows over lines";
  EXPECT_FALSE(lost.low) << text_of(lost);
  EXPECT_THAT(text_of(lost), HasSubstr("next to each other, scattered, or all at one word: REDG at 0x"));
  EXPECT_THAT(text_of(lost), HasSubstr("atomic operations of other warps go to other lines"));
}

TEST(RightOrSilent, AtomicOperationsGoOnWhenTheSmHasEnded) {
  std::string reductions;
  for (int i = 0; i < 8; ++i) reductions += "s2 r0 | REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5\n";
  const Prediction one = must(
      of_code("s5 | LDC.64 R2, c[0x0][0x210]\n" + reductions + "s5 | EXIT", {.given = {.buffers = {{0, {4096}}}}}));
  ASSERT_TRUE(one.low) << text_of(one);
  EXPECT_LT(*one.high, 8 * 32) << "the warp waits for none of them";
  EXPECT_GT(*one.low + one.drain, 8 * 32);
}

TEST(RightOrSilent, ConstantsThatTheNearestCacheLacksAreARangeOrNone) {
  EXPECT_EQ(constant_cache(testing::committed_machine("nvidia-h100-80gb-hbm3")),
            (ConstantCache{.lines = 32, .sets = 8}));
  const auto of = [](const std::string& bytes, const std::string& first = "MOV R2, RZ") {
    return must(of_code("s5 | " + first + "\ns5 | MOV R1, RZ\nloop:\ns5 w0 | LDC R4, c[0x3][R2]\n" +
                            "b0 s4 | FFMA R7, R9, R7, R4\ns5 | IADD3 R2, R2, 0x40, RZ\n" +
                            "s5 | IADD3 R1, R1, 0x40, RZ\ns13 | ISETP.LT.AND P0, PT, R1, " + bytes +
                            ", PT\ns5 | @P0 BRA `(loop)\ns5 | EXIT",
                        {}));
  };
  const Prediction held = of("0x800"), missed = of("0x8000");
  ASSERT_TRUE(held.low) << text_of(held);
  EXPECT_EQ(*held.low, *held.high);
  ASSERT_TRUE(missed.low) << text_of(missed);
  EXPECT_GT(*missed.low / 512, *held.low / 32 + 60) << "98 cycles, not 28";
  EXPECT_EQ(*missed.low, *missed.high) << "a warp alone waits for one after the other";
  const Prediction apart = of("0x800", "S2R R2, SR_LANEID");
  ASSERT_TRUE(apart.low) << text_of(apart);
  EXPECT_GT(*apart.high, 1.5 * *apart.low) << "32 addresses, one after the other or at once";
  EXPECT_THAT(text_of(apart), HasSubstr("LDC: constants that the nearest cache lacks, or at several addresses"));
  const Prediction unknown = of("0x800", "S2R R2, SR_CLOCKLO");
  EXPECT_THAT(text_of(unknown), HasSubstr("in the nearest constant cache (address unknown): 0x0020 LDC"));
}

TEST(RightOrSilent, WithoutALevelItIsARangeOrNone) {
  std::string code = "s2 w0 | LDG.E R4, desc[UR4][R2.64]\nb0 s2 | FFMA R7, R9, R7, R4\n" + jumped_past;
  PredictOptions options{.trips = {{0, 1000}}};
  const auto with = [&](std::optional<MemoryLevel> level) {
    options.level = level;
    return must(of_code(code, options));
  };
  const Prediction near = with(MemoryLevel::L2), far = with(MemoryLevel::Dram), open = with(std::nullopt);
  ASSERT_TRUE(open.low) << text_of(open);
  EXPECT_EQ(open.low, near.low);
  EXPECT_EQ(open.high, far.high);
  EXPECT_THAT(text_of(open), HasSubstr("\n  level    not known, L2 to DRAM\n"));

  for (int i = 0; i < 6; ++i) code.insert(0, "b0 s2 w0 | LDG.E R2, desc[UR4][R2.64]\n");
  options.trips[0] = 0;
  const Prediction none = with(std::nullopt);
  EXPECT_FALSE(none.low);
  EXPECT_THAT(text_of(none), HasSubstr("unknown: which level answers accesses to global memory is not known"));
  EXPECT_THAT(text_of(none), HasSubstr("add --hit load=L2 or --hit load=dram"));
}

TEST(RightOrSilent, ALevelThatIsSaidAnswersAll) {
  LoadedKernel kernel;
  kernel.listing = testing::make_listing(
      "s1 w0 | S2R R0, SR_TID.X\ns1 w1 | S2R R1, SR_CTAID.X\ns4 w2 | LDC.64 R2, c[0x0][0x210]\n"
      "b01 s5 | LEA R0, R1, R0, 0x9\nb2 s5 | IMAD.WIDE R2, R0, 0x20, R2\n"
      "s2 w3 | LDG.E.128 R4, desc[UR4][R2.64]\ns2 w3 | LDG.E.128 R8, desc[UR4][R2.64+0x10]\n"
      "b3 s5 | FADD R4, R4, R8\ns5 | EXIT");
  kernel.listing.target = "sm_90a";
  kernel.facts.entry = true;
  kernel.facts.registers = 32;
  kernel.facts.parameters = {{0, 8}};
  PredictOptions options{.blocks = 1 << 15, .threads = 512, .given = {.buffers = {{0, {std::int64_t{1} << 29}}}}};
  const auto cycles = [&](std::optional<MemoryLevel> level) {
    options.level = level, options.level_has_room = level.has_value();
    return must(predict(kernel, testing::committed_machine("nvidia-h200"), options)).low.value_or(0);
  };
  const double by_size = cycles({});
  EXPECT_GT(by_size, 0);
  EXPECT_NEAR(cycles(MemoryLevel::Dram), by_size, 0.01 * by_size);
  EXPECT_LT(cycles(MemoryLevel::L2), 0.8 * by_size) << "512 MiB, but L2 has them";
}

TEST(RightOrSilent, ALaunchThatNobodyGaveIsSaid) {
  const Prediction one = must(predict(testing::recorded_kernel("pipeline"), testing::committed_machine("nvidia-h200"),
                                      {.threads = 32, .trips = {{0, 9}}, .level = MemoryLevel::L2}));
  EXPECT_TRUE(one.launch_assumed);
  EXPECT_THAT(text_of(one), HasSubstr("\n  launch   assumed, as --launch gives none: "));
}

TEST(RightOrSilent, AStrideOfAGlobalAccessTakesNoBanks) {
  const Instruction global = parse_instruction("LDG.E R4, desc[UR4][R2.64]").value();
  const Instruction shared = parse_instruction("LDS R4, [R2]").value();
  constexpr std::int64_t stride = 32768;
  const AccessPattern lines = strided_pattern(global, stride), banks = strided_pattern(shared, stride);
  EXPECT_EQ(lines.lines, 32);
  EXPECT_EQ(lines.wavefronts, assumed_pattern(global).wavefronts);
  EXPECT_EQ(banks.wavefronts, 32);
  ProgramStep step;
  step.unit = 0;
  step.unit_busy = {1, 1};
  add_bank_turns(step, global, lines);
  add_l1_turns(step, global, lines);
  EXPECT_EQ(step.unit_busy.low, 32);
}

}  // namespace
}  // namespace warpclock
