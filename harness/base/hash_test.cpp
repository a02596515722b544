#include "base/hash.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

// Values of the reference implementation's test suite (FNV-1a, 128 bits).
TEST(Hash, MatchesTheReference) {
  EXPECT_EQ(hash_hex(""), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(hash_hex("a"), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(hash_hex("foobar"), "343e1662793c64bf6f0d3597ba446f18");
}

TEST(Hash, BytesAboveSevenBitsAreUnsigned) { EXPECT_EQ(hash_hex("\xff\x80"), "088094195dab1be95aa0733054fef4a2"); }

TEST(Hash, PiecesAreOneStream) { EXPECT_EQ(Hash{}.add("foo").add("bar").hex(), hash_hex("foobar")); }

TEST(Hash, FieldsDoNotRunIntoEachOther) {
  EXPECT_NE(Hash{}.add_field("ab").add_field("c").hex(), Hash{}.add_field("a").add_field("bc").hex());
  EXPECT_NE(Hash{}.add_field("").hex(), Hash{}.hex());
}

}  // namespace
}  // namespace warpclock
