#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "code/testing/listing.hpp"
#include "predict/kernel_loops.hpp"

namespace warpclock {
namespace {

std::optional<std::int64_t> trips(const std::string& code) {
  const Listing listing = testing::make_listing(code);
  return constant_trips(listing, testing::index_of(listing, "BRA"));
}

TEST(ConstantTrips, CountsUntilTheComparisonFails) {
  const std::string body = R"(
    loop:
    VIADD R4, R4, 0x1
    LDS R5, [R6]
    ISETP.NE.AND P0, PT, R4, 0x100, PT
    @P0 BRA `(loop)
  )";
  EXPECT_EQ(trips("IMAD.MOV.U32 R4, RZ, RZ, RZ" + body), 256);
  EXPECT_EQ(trips("MOV R4, 0xfe" + body), 2);
  EXPECT_EQ(trips("HFMA2.MMA R4, -RZ, RZ, 0, 8.94069671630859375e-07" + body), 241) << "15";
  EXPECT_EQ(trips("HFMA2.MMA R4, -RZ, RZ, 0, 2" + body), std::nullopt) << "0x4000 is beyond the bound";
  EXPECT_EQ(trips("LDG.E R4, desc[UR4][R2.64]" + body), std::nullopt);
}

TEST(ConstantTrips, TakesTheOrderOfAdditionAndComparison) {
  const std::string after = R"(
    MOV R4, 0x10
    loop:
    ISETP.GT.AND P0, PT, R4, 0x4, PT
    IADD3 R4, R4, -0x4, RZ
    @P0 BRA `(loop)
  )";
  EXPECT_EQ(trips(after), 4);
  EXPECT_EQ(trips(R"(
    MOV R4, RZ
    CS2R R4, SRZ
    loop:
    VIADD R4, R4, 0x1
    ISETP.GE.AND P0, PT, R4, 0x7, PT
    @!P0 BRA `(loop)
  )"),
            7);
}

TEST(ConstantTrips, CountsLongLoopsAtOnceAndNoneThatDoesNotEnd) {
  const auto from = [](const std::string& first, const std::string& step, const std::string& comparison) {
    return trips(
        fmt::format("MOV R4, {}\nloop:\nVIADD R4, R4, {}\nISETP.{}, PT\n@P0 BRA `(loop)\n", first, step, comparison));
  };
  EXPECT_EQ(from("0x0", "0x3", "NE.AND P0, PT, R4, 0x2faf07e"), 16666666);
  EXPECT_EQ(from("0x0", "0x3", "NE.AND P0, PT, R4, 0x2faf07f"), std::nullopt) << "passes the bound";
  EXPECT_EQ(from("0x0", "-0x1", "NE.AND P0, PT, R4, 0x5"), std::nullopt) << "goes the other way";
  EXPECT_EQ(from("0x7", "0x0", "NE.AND P0, PT, R4, 0x5"), std::nullopt) << "stays";
  EXPECT_EQ(from("0x0", "0x2", "LE.AND P0, PT, R4, 0x9"), 5);
  EXPECT_EQ(from("0x0", "0x2", "LT.AND P0, PT, R4, 0x9"), 5);
  EXPECT_EQ(from("0x0", "-0x2", "LT.AND P0, PT, R4, 0x9"), std::nullopt);
  EXPECT_EQ(from("0x14", "-0x2", "LT.AND P0, PT, R4, 0x9"), 1) << "left at once";
  EXPECT_EQ(from("0x8", "0x1", "EQ.AND P0, PT, R4, 0x9"), 2);
  EXPECT_EQ(from("0x5", "0x1", "EQ.AND P0, PT, R4, 0x9"), 1);
  EXPECT_EQ(from("0x0", "0x1", "LT.AND P0, PT, R4, 0x7fffffff"), std::nullopt) << "more than 100 million";
  EXPECT_EQ(from("0x0", "0x7fffffffffffffff", "LT.AND P0, PT, R4, 0x9"), std::nullopt);
  EXPECT_EQ(from("0x0", "0x1", "UNHEARD.AND P0, PT, R4, 0x9"), std::nullopt);
}

TEST(ConstantTrips, KnowsNothingOfACounterThatIsWrittenTwice) {
  EXPECT_EQ(trips(R"(
    MOV R4, 0x0
    loop:
    VIADD R4, R4, 0x1
    VIADD R4, R4, 0x1
    ISETP.NE.AND P0, PT, R4, 0x100, PT
    @P0 BRA `(loop)
  )"),
            std::nullopt);
}

}  // namespace
}  // namespace warpclock
