#include "predict/simulation/register_ports.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "code/listing.hpp"

namespace warpclock {
namespace {

RegisterUse use_of(std::string_view text) {
  const auto instruction = parse_instruction(std::string(text));
  EXPECT_TRUE(instruction) << text;
  ReuseCache cache;
  return register_use_of(*instruction, cache, text.starts_with("IMAD.WIDE"));
}

int held(const RegisterPorts& ports, const RegisterUse& use, std::int64_t now) {
  const std::int64_t first = now;
  now += ports.held_by_reads(use, now);
  while (!ports.can_write(use, now)) ++now;
  return static_cast<int>(now - first);
}

/// Cycles for which the second instruction is held up, 1 to 12 cycles behind the first.
std::string held_behind(std::string_view first, std::string_view second) {
  std::string all;
  constexpr int most = 12;
  for (int behind = 1; behind <= most; ++behind) {
    RegisterPorts ports;
    ports.take(use_of(first), 0, 0);
    all += std::to_string(held(ports, use_of(second), behind));
  }
  return all;
}

constexpr std::string_view long_multiply = "HMMA.16816.F32 R40, R44, R52, R40",
                           short_multiply = "HMMA.1688.F32 R40, R44, R52, R40", one_each = "FADD R48, R54, R55",
                           two_even = "FADD R48, R54, R52", two_odd = "FADD R48, R53, R55", none = "MOV R48, 0x5";

/// As composed loops take on an H100 and an H200.
TEST(RegisterPorts, HoldUpWhatTheTensorCoreCollidesWith) {
  EXPECT_EQ(held_behind(long_multiply, one_each), "000100021000");
  EXPECT_EQ(held_behind(long_multiply, two_even), "432210021000");
  EXPECT_EQ(held_behind(long_multiply, none), "000000021000");
  EXPECT_EQ(held_behind(long_multiply, "FADD RZ, R54, R55"), "000100000000");
  EXPECT_EQ(held_behind(short_multiply, one_each), "210002100000");
  EXPECT_EQ(held_behind(short_multiply, two_even), "321002100000");
  EXPECT_EQ(held_behind(short_multiply, two_odd), "211002100000");
  EXPECT_EQ(held_behind(short_multiply, "FADD R48, R55, R55"), "000002100000") << "B is in the other bank";
  EXPECT_EQ(held_behind("HMMA.16816.F16 R40, R44, R52, R40", one_each), "000000010000");
  EXPECT_EQ(held_behind("HMMA.16816.F16 R40, R44, R52, R40", two_even), "210100010000");
  EXPECT_EQ(held_behind("IMMA.16832.S8.S8 R40, R44.ROW, R52.COL, R40", one_each), "000102100000");
}

TEST(RegisterPorts, HoldUpResultsOfTheSameCycle) {
  EXPECT_EQ(held_behind("HFMA2.MMA R48, R54, R55, RZ", "MOV R49, 0x5"), "010000000000");
  EXPECT_EQ(held_behind("DADD R48, R54, R52", "MOV R50, 0x5"), "010000000000");
  constexpr std::size_t reads = 5;  // cycles in which its registers are waited for
  EXPECT_EQ(held_behind(long_multiply, "IMAD.WIDE R48, R54, R55, RZ").substr(reads), "4321000");
  EXPECT_EQ(held_behind(one_each, one_each), "000000000000");
}

TEST(RegisterPorts, HoldNothingUpForAMultiplyThatWasNotMeasured) {
  EXPECT_EQ(held_behind("DMMA.884 R40, R44, R52, R40", one_each), "000000000000");
}

TEST(RegisterPorts, KnowBanksThatWereBusyTwice) {
  const auto busy = [](const std::vector<std::string_view>& before) {
    RegisterPorts ports;
    std::int64_t now = 0;
    for (const std::string_view each : before) {
      if (!each.empty()) ports.take(use_of(each), now, now);
      ++now;
    }
    return ports.just_read(now);
  };
  EXPECT_TRUE(busy({one_each, one_each}));
  EXPECT_FALSE(busy({one_each}));
  EXPECT_FALSE(busy({one_each, "", one_each}));
  EXPECT_FALSE(busy({one_each, one_each, ""}));
  EXPECT_FALSE(busy({"FADD R48, R54, R54", "FADD R48, R55, R55"})) << "one of each bank";
  EXPECT_FALSE(busy({none, none}));
  EXPECT_FALSE(busy({two_even}));
}

}  // namespace
}  // namespace warpclock
