#include "inspect/image/fat_binary.hpp"

#include <random>

#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/testing/fat.hpp"

namespace warpclock {
namespace {

using testing::fat_binary;

std::string recorded(const std::string& name) {
  return read_file(WARPCLOCK_SOURCE_DIR "/harness/inspect/testdata/" + name).value();
}

std::string problem(const std::string& file) {
  const auto entries = fat_entries(file);
  return entries ? "no error" : entries.error().text;
}

TEST(FatBinary, OfNvccHasItsCubinsAndPtx) {
  for (const auto& [file, packing] :
       {std::pair("speed.fatbin", FatEntry::Packing::Lz4), std::pair("size.fatbin", FatEntry::Packing::Zstd)}) {
    const std::string bytes = recorded(file);
    const auto entries = must(fat_entries(bytes));
    ASSERT_EQ(entries.size(), 3U) << file;
    EXPECT_EQ(to_string(entries[0].arch), "sm_80");
    EXPECT_EQ(to_string(entries[1].arch), "sm_90a");
    EXPECT_FALSE(entries[1].ptx);
    const FatEntry& ptx = entries[2];
    EXPECT_TRUE(ptx.ptx);
    EXPECT_EQ(ptx.packing, packing) << file;
    EXPECT_THAT(unpacked(ptx).value(), HasSubstr(".visible .entry twice("));
    EXPECT_THAT(unpacked(entries[1]).value(), HasSubstr(".text.twice"));
  }
}

TEST(FatBinary, IsFoundInAnyFile) {
  const std::string inner = fat_binary({{.sm = 80, .payload = "first"}, {.kind = 1, .payload = "second"}});
  // The magic number alone is no fat binary.
  const std::string file =
      "\x7f"
      "ELF \x50\xED\x55\xBA in code" +
      inner + "between" + fat_binary({{.payload = "third"}});
  const auto entries = must(fat_entries(file));
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].bytes.substr(0, 5), "first");
  EXPECT_EQ(entries[2].bytes.substr(0, 5), "third");
  EXPECT_TRUE(fat_entries("no such thing").value().empty());
}

TEST(FatBinary, ThatIsCutShortIsAnErrorWithItsOffset) {
  const std::string whole = "1234" + fat_binary({{.payload = "first"}, {.kind = 1, .payload = "second"}});
  for (std::size_t size = 20; size < whole.size(); ++size) {
    EXPECT_EQ(failure_of(fat_entries(whole.substr(0, size))).message(),
              "offset 0x4: the fat binary cannot be read: the file ends before it does")
        << size;
  }
}

TEST(FatBinary, WithAnEntryThatReachesBeyondItsEndIsAnError) {
  std::string file = fat_binary({{.payload = "first"}});
  file[16 + 8] = 99;  // bytes of the payload
  EXPECT_EQ(problem(file), "the fat binary cannot be read: an entry reaches beyond its end");
  file = fat_binary({{.payload = "first"}});
  file[16 + 4] = 8;  // bytes of the header
  EXPECT_EQ(problem(file), "the fat binary cannot be read: the header of an entry is cut short");
  file = fat_binary({{.flags = 0x2000, .payload = "first", .unpacked = 5}});
  file[16 + 16] = 9;  // packed bytes
  EXPECT_EQ(problem(file), "the fat binary cannot be read: an entry states more bytes than it has");
}

TEST(FatBinary, StaysWithinGarbledBytes) {
  const std::string good = recorded("speed.fatbin");
  std::mt19937 random(1);
  int read = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string file = good;
    for (auto edits = 1 + random() % 6; edits > 0; --edits) {
      // Most edits hit a header.
      const std::size_t at = random() % 2 == 0 ? random() % 80 : random() % file.size();
      file[at] = static_cast<char>(random());
    }
    const auto entries = fat_entries(file);
    if (!entries) {
      ++refused;
      continue;
    }
    for (const FatEntry& entry : *entries) {
      ++read;
      const auto bytes = unpacked(entry);
      if (bytes) {
        EXPECT_EQ(bytes->size(), entry.size);
      }
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(read, 300);
}

// 0x3f: three literals and a match of 15 + 4 bytes and more; one byte back; four more; then the last literal.
const std::string block(
    "\x3f"
    "abc\x01\x00\x04\x10"
    "d",
    9);

TEST(Lz4, RepeatsWhatItJustWrote) { EXPECT_EQ(unpack_lz4(block, 27).value(), "abc" + std::string(23, 'c') + "d"); }

TEST(Lz4, IsRefusedWhereItDoesNotFit) {
  for (const std::size_t size : {0UL, 3UL, 26UL, 28UL, most_unpacked + 1})
    EXPECT_FALSE(unpack_lz4(block, size)) << size;
  for (std::size_t length = 1; length < block.size(); ++length) EXPECT_FALSE(unpack_lz4(block.substr(0, length), 27));
  std::string far = block;
  far[4] = 4;  // more bytes back than there are
  EXPECT_EQ(unpack_lz4(far, 27).error().code, "fat-binary");
  far[4] = 0;
  EXPECT_FALSE(unpack_lz4(far, 27));
}

TEST(Zstd, IsRefusedIfItIsDamagedOrAsksForTooMuch) {
  EXPECT_FALSE(unpack_zstd("no frame", 100));
  EXPECT_FALSE(unpack_zstd("no frame", most_unpacked));
}

}  // namespace
}  // namespace warpclock
