#include "verify/instruction/linkage.hpp"

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

const std::vector<std::int64_t> copies{6, 12, 24};

std::vector<Kinds> windows(std::int64_t first, std::int64_t second, std::int64_t third) {
  return {{{"PRMT", first}}, {{"PRMT", second}}, {{"PRMT", third}}};
}

TEST(UnevenSharing, IsWorkThatOnlySomeWindowsHold) {
  EXPECT_FALSE(uneven_sharing("PRMT", windows(3, 3, 3), copies));
  EXPECT_FALSE(uneven_sharing("PRMT", windows(18, 36, 72), copies));
  EXPECT_FALSE(uneven_sharing("PRMT", windows(6, 9, 17), copies)) << "a part of the copies";
  EXPECT_FALSE(uneven_sharing("UMOV", windows(18, 36, 72), copies));
  EXPECT_THAT(must(uneven_sharing("PRMT", windows(3, 3, 74), copies)), HasSubstr("6 more copies add 0 x PRMT"));
}

TEST(SharingNote, TellsWhatIsDoneOnceFromWhatIsDoneAtTimes) {
  const Kinds shared{{"PRMT", 3}};
  EXPECT_EQ(sharing_note(shared, {}, windows(3, 3, 3), copies), "3 x PRMT is done once for all copies");
  EXPECT_EQ(sharing_note(shared, {}, windows(6, 9, 17), copies),
            "3 x PRMT is the same for all copies, and not done for each");
  EXPECT_EQ(sharing_note(shared, {{"FADD", 1}}, windows(0, 0, 0), copies),
            "3 x PRMT is done once for all copies; FADD is done for the last copy alone: the chain does not read its "
            "result");
  EXPECT_EQ(sharing_note({}, {}, windows(0, 0, 0), copies), "");
}

}  // namespace
}  // namespace warpclock
