#include "base/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpclock {
namespace {

TEST(Version, CommitIsWholeOrUnknown) {
  EXPECT_THAT(version().commit, ::testing::AnyOf("unknown", ::testing::MatchesRegex("[0-9a-f]+")));
  EXPECT_THAT(version().commit.size(), ::testing::AnyOf(std::string("unknown").size(), 40u));
}

TEST(Version, LineSaysWhatWasBuilt) {
  EXPECT_THAT(version_line(),
              ::testing::MatchesRegex("warpclock [0-9]+.[0-9]+.[0-9]+ \\(([0-9a-f]{12}|unknown)(, modified)?, "
                                      "CUDA [0-9]+.[0-9]+\\)"));
}

}  // namespace
}  // namespace warpclock
