#include "base/files/packed_file.hpp"

#include <gtest/gtest.h>

#include "base/files/marked.hpp"
#include "base/files/paths.hpp"
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

}  // namespace
}  // namespace warpclock
