#include "predict/kernel_energy.hpp"

#include <gmock/gmock.h>

#include "base/lookup.hpp"
#include "code/testing/listing.hpp"
#include "predict/missing.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;

constexpr double lanes = 32, mega = 1e6;

Entry energy_entry(std::string name, double random, double zeros, std::string unit = "pJ/B") {
  const auto leaf = [&](const char* of, double value) {
    return Leaf{.name = of, .value = value, .low = value, .high = value, .unit = unit};
  };
  return {.name = std::move(name), .leaves = {leaf("energy.random", random), leaf("energy.zeros", zeros)}};
}

/// One with 11 SMs, of which each takes 2 W beside 100 W of the board.
Machine metered_machine() {
  Machine made;
  made.clocks = {{.name = "sm", .leaves = {{.name = "mhz", .value = 1000}}}};
  made.energy = {
      {.name = "board", .leaves = {{.name = "power.one_sm", .value = 102}, {.name = "power.all_sms", .value = 122}}},
      energy_entry("ffma", 10, 4, "pJ"),
      energy_entry("imad_wide", 40, 15, "pJ"),
      energy_entry("shared.ld.16", 4, 2),
      energy_entry("l1.ld", 3, 2),
      energy_entry("l2.ld", 30, 15),
      energy_entry("dram.ld", 100, 50),
      energy_entry("dram.st", 90, 45),
      energy_entry("wgmma.f16", 2, 0.5, "pJ/FMA")};
  return made;
}

/// A launch of a million cycles, in which each instruction of the code was executed `times`.
Prediction launch_of(const Listing& listing, double times) {
  Prediction made;
  made.sms = 11, made.blocks = 11, made.low = made.high = 900'000, made.drain = 100'000, made.clock_part = 1;
  for (const Instruction& one : listing.instructions)
    made.instructions.push_back({.address = static_cast<std::int64_t>(one.address), .executed = times});
  return made;
}

PredictedEnergy energy_of(const char* code, double times, std::optional<double> l2 = {},
                          std::optional<double> dram = {}) {
  const Listing listing = testing::make_listing(code);
  Prediction launch = launch_of(listing, times);
  launch.instructions[0].l2 = l2, launch.instructions[0].dram = dram;
  if (l2) launch.instructions[0].l1 = 16;
  return kernel_energy(metered_machine(), listing, launch).value_or(PredictedEnergy{});
}

double part(const PredictedEnergy& of, const char* name) {
  const EnergyPart* found = find_by(of.parts, name, &EnergyPart::name);
  return found != nullptr ? found->joules : 0;
}

TEST(KernelEnergy, IsWhatTheBoardTakesMeanwhileAndWhatLanesAdd) {
  const PredictedEnergy found = energy_of("s2 | FFMA R4, R8, R12, R4", 100 * mega);
  EXPECT_DOUBLE_EQ(found.seconds, 1e-3);
  EXPECT_DOUBLE_EQ(part(found, "the board meanwhile"), 0.122);
  EXPECT_NEAR(part(found, "FFMA"), 100 * mega * lanes * 10e-12, 1e-9);
  EXPECT_NEAR(found.joules, 0.122 + 0.032, 1e-9);
  EXPECT_NEAR(found.low_j, 0.122 + 0.0128, 1e-9);
  EXPECT_NEAR(found.high_j, 0.122 + 0.032, 1e-9);
}

TEST(KernelEnergy, OfABlockOnOneSmHasThePowerOfOne) {
  const Listing listing = testing::make_listing("s2 | FFMA R4, R8, R12, R4");
  Prediction launch = launch_of(listing, 1);
  launch.blocks = 1;
  EXPECT_NEAR(kernel_energy(metered_machine(), listing, launch)->joules, 0.102, 1e-6);
}

TEST(KernelEnergy, OfBytesIsThatOfTheLevelThatAnswers) {
  // 16 sectors, of which 12 go on to L2 and 4 of these to DRAM.
  const PredictedEnergy found = energy_of("s2 | LDG.E.128 R4, [R8.64]", mega, 12, 4);
  EXPECT_NEAR(part(found, "L1"), mega * 4 * 32 * 3e-12, 1e-9);
  EXPECT_NEAR(part(found, "L2"), mega * 8 * 32 * 30e-12, 1e-9);
  EXPECT_NEAR(part(found, "DRAM"), mega * 4 * 32 * 100e-12, 1e-9);
  EXPECT_NEAR(part(energy_of("s2 | STG.E.128 [R8.64], R4", mega, 16, 16), "DRAM"), mega * 16 * 32 * 90e-12, 1e-9);
  EXPECT_NEAR(part(energy_of("s2 | LDS.128 R4, [R8]", mega), "shared memory"), mega * 512 * 4e-12, 1e-9);
}

TEST(KernelEnergy, OfAProductIsThatOfItsMultiplyAdds) {
  // The four warps of a group execute one together.
  const PredictedEnergy found = energy_of("s2 | HGMMA.64x256x16.F32 R24, gdesc[UR4], R24, gsb0", 4 * mega);
  EXPECT_NEAR(part(found, "wgmma.f16"), mega * 64 * 256 * 16 * 2e-12, 1e-6);
}

TEST(KernelEnergy, HasNoNumberIfTheProductsAreNotMeasured) {
  const PredictedEnergy found = energy_of("s2 | DMMA.8x8x4 R4, R8, R10, R4", 1);
  EXPECT_EQ(found.missing, "DMMA.8x8x4");
  EXPECT_EQ(found.joules, 0);
  EXPECT_EQ(energy_of("s2 | HGMMA.64x256x8.F32.TF32 R24, gdesc[UR4], R24, gsb0", 1).missing, "HGMMA.64x256x8.F32.TF32");
}

TEST(KernelEnergy, OfWhatNoRowHasIsThatOfTheCheapestInstructionToTheDearest) {
  const PredictedEnergy found = energy_of("s2 | ISETP.GE.AND P0, PT, R2, R3, PT", 100 * mega);
  EXPECT_THAT(found.unmeasured, ElementsAre("ISETP"));
  EXPECT_NEAR(part(found, "unmeasured instructions"), 100 * mega * lanes * 4e-12, 1e-9);
  EXPECT_NEAR(found.low_j, 0.122, 1e-9);
  EXPECT_NEAR(found.high_j, 0.122 + 100 * mega * lanes * 40e-12, 1e-9);
}

TEST(KernelEnergy, GoesWithTheCycles) {
  Prediction silenced;
  silenced.low = silenced.high = 1;
  silenced.energy.emplace();
  silence(silenced);
  EXPECT_FALSE(silenced.energy);
}

TEST(KernelEnergy, IsUnknownWithoutRowsOrCycles) {
  const Listing listing = testing::make_listing("s2 | FFMA R4, R8, R12, R4");
  EXPECT_FALSE(kernel_energy(Machine(), listing, launch_of(listing, 1)));
  Prediction silent = launch_of(listing, 1);
  silent.low.reset();
  EXPECT_FALSE(kernel_energy(metered_machine(), listing, silent));
}

}  // namespace
}  // namespace warpclock
