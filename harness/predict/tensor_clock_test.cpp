#include "predict/tensor_clock.hpp"

#include <gtest/gtest.h>

#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

Entry clock_entry(std::string name, double mhz, double rate) {
  return {.name = std::move(name), .leaves = {{.name = "mhz", .value = mhz}, {.name = "rate", .value = rate}}};
}

Machine clocked_machine() {
  Machine made;
  made.clocks = {{.name = "sm", .leaves = {{.name = "mhz", .value = 2000}}},
                 {.name = "sm.tensor", .leaves = {{.name = "mhz", .value = 1900}}},
                 clock_entry("sm.wgmma.f16.pause_0", 1700, 2000),
                 clock_entry("sm.wgmma.f16.pause_80", 1800, 1000),
                 clock_entry("sm.wgmma.s8.pause_0", 1600, 4000)};
  return made;
}

double part(const char* code, double share) {
  return tensor_clock(clocked_machine(), testing::make_listing(code), share).value();
}

TEST(TensorClock, IsOnALineBetweenTheRowsOfItsType) {
  constexpr const char* f16 = "s2 | HGMMA.64x256x16.F32 R24, gdesc[UR4], R24, gsb0";
  EXPECT_EQ(part(f16, 1), 0.85);
  EXPECT_EQ(part(f16, 0.75), 0.875);
  EXPECT_EQ(part(f16, 0.1), 0.9) << "that of the row with the least";
  EXPECT_EQ(part(f16, 0), 1) << "it is not reached";
  EXPECT_EQ(part("s2 | IGMMA.64x256x32.S8.S8 R24, gdesc[UR4], R24, gsb0", 0.5), 0.8);
  EXPECT_EQ(part("s2 | HMMA.16816.F32 R4, R8, R12, R4", 0.5), 0.95);
  EXPECT_EQ(part("s2 | FFMA R4, R8, R12, R4", 1), 1) << "no tensor core";
}

TEST(TensorClock, IsNotKnownWithoutRows) {
  const auto of = [](const char* code) { return tensor_clock(Machine(), testing::make_listing(code), 0.5); };
  EXPECT_FALSE(of("s2 | HMMA.16816.F32 R4, R8, R12, R4"));
  EXPECT_EQ(of("s2 | FFMA R4, R8, R12, R4"), 1);
  Machine only_mma = clocked_machine();
  only_mma.clocks.resize(2);
  const char* const tf32 = "s2 | HGMMA.64x256x8.F32.TF32 R24, gdesc[UR4], R24, gsb0";
  EXPECT_FALSE(tensor_clock(only_mma, testing::make_listing(tf32), 0.5));
}

}  // namespace
}  // namespace warpclock
