#include "inspect/reuse_cache.hpp"

#include <gtest/gtest.h>

#include <string>

#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

BankReads last_of(const std::string& code, bool two_passes = false) {
  ReuseCache cache;
  BankReads reads;
  for (const Instruction& instruction : testing::make_listing(code).instructions)
    reads = cache.read(instruction, two_passes);
  return reads;
}

TEST(ReuseCache, KeepsUntilAnotherRegisterOfTheBankIsReadInThePosition) {
  const std::string first = "FFMA R0, R10.reuse, R21, R3\n", last = "FFMA R0, R10, R21, R3";
  EXPECT_EQ(last_of(last), (BankReads{{1, 2}, {}}));
  EXPECT_EQ(last_of(first + last), (BankReads{{0, 2}, {{0, 1}}}));
  EXPECT_EQ(last_of(first + "FFMA R0, R11, R10, R2\n" + last), (BankReads{{0, 2}, {{0, 2}}})) << "the other bank";
  EXPECT_EQ(last_of(first + "FADD R0, R12, R11\n" + last), (BankReads{{1, 2}, {}})) << "the same one";
  EXPECT_EQ(last_of(first + last + "\n" + last), (BankReads{{1, 2}, {}})) << "the second has no flag";
  EXPECT_EQ(last_of(first + "LDS R0, [R12]\nNOP\nMUFU.EX2 R0, R12\n" + last), (BankReads{{0, 2}, {{0, 4}}}));
  EXPECT_EQ(last_of(first + "FADD R0, RZ, R12\nMOV R0, R12\n" + last), (BankReads{{0, 2}, {{0, 3}}}));
  EXPECT_EQ(last_of("FFMA R0, R21, R10.reuse, R3\nMOV R0, R12\nFFMA R0, R21, R10, R3"), (BankReads{{1, 2}, {}}));
}

TEST(ReuseCache, CountsARegisterThatIsNamedTwiceOnce) {
  EXPECT_EQ(last_of("FFMA R0, R10, R10, R3"), (BankReads{{1, 1}, {}}));
  EXPECT_EQ(last_of("FFMA R0, R10.reuse, R21, R3\nFFMA R0, R10, R10, R3"), (BankReads{{1, 1}, {}})) << "not kept as B";
  EXPECT_EQ(last_of("IMAD.WIDE R20, R8, R10, R12", true), (BankReads{{5, 1}, {}})) << "the factors in both passes";
  EXPECT_EQ(last_of("LDS R0, [R12]"), BankReads{});
}

}  // namespace
}  // namespace warpclock
