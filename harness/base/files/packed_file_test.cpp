#include "base/files/packed_file.hpp"

#include <gtest/gtest.h>

#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

class PackedFile : public ::testing::Test {
 protected:
  const testing::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  const std::filesystem::path plain = folder / "result.json", packed = folder / "result.json.gz";
};

TEST_F(PackedFile, IsFoundUnderEitherName) {
  EXPECT_FALSE(has_packed_file(plain));
  EXPECT_EQ(read_packed_file(plain).error().place, plain.string());
  ASSERT_TRUE(write_file_atomically(packed, gzip_compress("{}")));
  for (const auto& path : {plain, packed}) EXPECT_EQ(read_packed_file(path), "{}") << path;
  std::filesystem::remove(packed);
  ASSERT_TRUE(write_file_atomically(plain, "[]"));
  for (const auto& path : {plain, packed}) EXPECT_EQ(read_packed_file(path), "[]") << path;
  EXPECT_TRUE(has_packed_file(packed));
}

TEST_F(PackedFile, IsUnpackedWhateverItsName) {
  ASSERT_TRUE(write_file_atomically(plain, gzip_compress("{}")));
  EXPECT_EQ(read_packed_file(plain), "{}");
}

TEST_F(PackedFile, SaysWhichFileIsDamaged) {
  ASSERT_TRUE(write_file_atomically(packed, gzip_compress("a text").substr(0, 12)));
  const Error text = failure_of(read_packed_file(plain));
  EXPECT_EQ(text.code, "gzip");
  EXPECT_EQ(text.place, packed.string());
}

TEST_F(PackedFile, HasAtMostAsManyBytesAsARecordMay) {
  // A hole takes no room on the disk.
  ASSERT_TRUE(write_file_atomically(plain, "{"));
  std::filesystem::resize_file(plain, most_record_bytes + 1);
  EXPECT_THAT(failure_of(read_packed_file(plain)), IsError("io", HasSubstr("the file has more than 256 MiB")));
  EXPECT_EQ(failure_of(read_packed_file(plain)).place, plain.string());
}

TEST_F(PackedFile, IsReplacedWhereItHoldsARecordAlone) {
  ASSERT_TRUE(write_file_atomically(packed, gzip_compress("{\"schema\":{\"major\":3},\n\"provenance\":{}}")));
  EXPECT_TRUE(may_replace(packed));
  for (const std::string& own : {gzip_compress("somebody's own"), gzip_compress("{\"schema\"").substr(0, 15)}) {
    ASSERT_TRUE(write_file_atomically(packed, own));
    EXPECT_FALSE(may_replace(packed));
  }
}

/// Compressible in part only, and longer than the buffer that is filled at a time.
std::string sample() {
  std::string out;
  unsigned state = 1;
  for (int i = 0; i < 50'000; ++i) {
    state = state * 1664525 + 1013904223;
    out += i % 3 == 0 ? std::string("latency ") : std::string(1, static_cast<char>(state >> 24));
  }
  return out;
}

std::string why(std::string_view member, std::size_t most = 1u << 20) {
  const auto bytes = gunzip(member, most);
  if (bytes) return "";
  EXPECT_EQ(bytes.error().code, "gzip");
  return bytes.error().text;
}

TEST(Gzip, ComesBackAsItWas) {
  for (const std::string& bytes : {std::string(), std::string("a"), std::string(300'000, 'x'), sample()}) {
    EXPECT_EQ(gunzip(gzip_compress(bytes)), bytes);
  }
}

TEST(Gzip, IsSmallerWhereTextRepeats) { EXPECT_LT(gzip_compress(std::string(300'000, 'x')).size(), 1000u); }

TEST(Gzip, CarriesNoTimeAndNoName) {
  const std::string member = gzip_compress("text");
  ASSERT_GE(member.size(), 10u);
  EXPECT_EQ(member.substr(0, 4), std::string("\x1f\x8b\x08\x00", 4));  // deflate; no optional field
  EXPECT_EQ(member.substr(4, 4), std::string(4, '\0'));
}

TEST(Gzip, ReadsWhatTheProgramGzipWrote) {
  // printf warpclock | gzip -n
  const std::string member(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\x4f\x2c\x2a\x48\xce\xc9\x4f\xce\x06\x00\xdb\x9f\x06\x66"
      "\x09\x00\x00\x00",
      29);
  EXPECT_EQ(gunzip(member), "warpclock");
}

TEST(Gzip, SaysWhereAMemberEndsEarly) {
  const std::string member = gzip_compress(sample());
  for (const std::size_t kept : {std::size_t{0}, std::size_t{1}, std::size_t{9}, std::size_t{10}, member.size() / 2,
                                 member.size() - 8, member.size() - 1}) {
    EXPECT_THAT(why(member.substr(0, kept)), HasSubstr("ends early")) << kept << " bytes";
  }
}

TEST(Gzip, NoticesEveryDamagedByteOfItsData) {
  const std::string whole = gzip_compress("latency latency throughput");
  for (std::size_t i = 10; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_NE(why(damaged), "") << "byte " << i;
  }
}

TEST(Gzip, RefusesWhatIsNoGzip) {
  EXPECT_THAT(why(R"({"schema": 3})"), HasSubstr("not gzip data"));
  EXPECT_THAT(why(gzip_compress("a") + "b"), HasSubstr("after the end"));
  EXPECT_THAT(why(gzip_compress("a") + gzip_compress("b")), HasSubstr("after the end"));
}

// A text that grows while it is unpacked takes up to three times its size.
TEST(Gzip, TakesNoMoreRoomThanItNeeds) {
  const std::string text(3'000'000, 'x');
  EXPECT_LT(must(gunzip(gzip_compress(text))).capacity(), text.size() + (1u << 17));
}

TEST(Gzip, UnpacksNoMoreThanItsLimit) {
  const std::string member = gzip_compress(std::string(1u << 20, 'x'));
  EXPECT_EQ(why(member, 1u << 20), "");
  EXPECT_EQ(why(member, (1u << 20) - 1), "the gzip data holds more than 1 MiB");
  EXPECT_EQ(why(gzip_compress("")), "");
}

}  // namespace
}  // namespace warpclock
