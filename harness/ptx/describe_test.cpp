#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/described_fixture.hpp"

namespace warpclock {
namespace {

TEST(Describe, TheCommittedTableLoads) { EXPECT_GT(testing_table().rows.size(), 100u); }

}  // namespace
}  // namespace warpclock
