#include "compile/cache.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/hash.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

CachedCase store_sample(Cache& cache, const std::string& key, const std::string& image = "machine code\0\n") {
  CachedCase entry;
  entry.image = cache.store_image(image, ".cubin").value();
  entry.kernels = {{16, "c0_n16"}, {-1, "c0_n-1"}};
  entry.listing = "a listing\nof two lines";
  entry.ptx = "7 ptx;\n";
  EXPECT_TRUE(cache.store(key, entry));
  return entry;
}

/// Looks up a key through a new Cache, which remembers nothing of earlier reads.
std::optional<CachedCase> find(const TemporaryFolder& folder, const std::string& key) {
  return Cache::open(folder.path()).value().find(key);
}

void age(const std::string& path, std::chrono::hours by) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - by);
}

TEST(Cache, GivesBackWhatWasStored) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path()).value();
  EXPECT_EQ(cache.warning(), "");
  const CachedCase entry = store_sample(cache, "key");
  EXPECT_EQ(cache.find("key"), entry);
  EXPECT_EQ(find(folder, "key"), entry);
  EXPECT_EQ(find(folder, "other"), std::nullopt);
  EXPECT_EQ(read_file(cache.path(entry.image)).value(), "machine code");
  EXPECT_TRUE(folder.files(".tmp").empty());
}

TEST(Cache, AFlippedByteAnywhereMakesACaseMissing) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path()).value();
  const CachedCase entry = store_sample(cache, "key");
  const std::string path = cache.path("key.case");
  const std::string whole = read_file(path).value();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    testing::write(path, damaged);
    EXPECT_EQ(cache.find("key"), std::nullopt) << i;
  }
  testing::write(path, whole);
  EXPECT_EQ(cache.find("key"), entry);
}

TEST(Cache, ACaseCutShortIsMissing) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path()).value();
  store_sample(cache, "key");
  const std::string path = cache.path("key.case");
  const std::string whole = read_file(path).value();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    testing::write(path, whole.substr(0, size));
    EXPECT_EQ(cache.find("key"), std::nullopt) << size;
  }
}

TEST(Cache, ADamagedImageMakesItsCasesMissing) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path()).value();
  const CachedCase entry = store_sample(cache, "key");
  for (const std::string damage : {"machine c0de", "machine cod", ""}) {
    testing::write(cache.path(entry.image), damage);
    EXPECT_EQ(find(folder, "key"), std::nullopt) << damage;
  }
  fs::remove(cache.path(entry.image));
  EXPECT_EQ(find(folder, "key"), std::nullopt);
  store_sample(cache, "key");
  EXPECT_EQ(find(folder, "key"), entry);
}

TEST(Cache, SurvivesFieldsThatLieUnderAGoodHash) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path()).value();
  for (const std::string body : {"", "x", "99999999999999999999 x\n", "18446744073709551615 x\n", "-1 x\n", "3 abc",
                                 "3 abc\n20 99999999999999999999\n", "3 abc\n10 9999999999\n", "3 abc\n1 x\n",
                                 "5 ../ab\n1 0\n0 \n0 \n", "9 /dev/null\n1 0\n0 \n0 \n"}) {
    testing::write(cache.path("key.case"), "warpclock case 1\n" + hash_hex(body) + "\n" + body);
    EXPECT_EQ(cache.find("key"), std::nullopt) << body;
  }
}

TEST(Cache, FallsBackToATemporaryFolder) {
  const TemporaryFolder folder;
  const testing::Variable temporary("TMPDIR", folder.path());
  testing::write(folder / "file", "");
  // No folder can be created below a regular file, not even by root.
  Cache cache = Cache::open(folder / "file/cache").value();
  EXPECT_NE(cache.warning().find(folder / "file/cache"), std::string::npos) << cache.warning();
  EXPECT_TRUE(cache.folder().starts_with(folder.path() + "/warpclock-cache-"));
  const CachedCase entry = store_sample(cache, "key");
  // The next process finds the entry again.
  Cache next = Cache::open(folder / "file/cache").value();
  EXPECT_EQ(next.folder(), cache.folder());
  EXPECT_EQ(next.find("key"), entry);
}

TEST(Cache, DoesNotTrustATemporaryFolderThatOthersCanWriteTo) {
  const TemporaryFolder folder;
  const testing::Variable temporary("TMPDIR", folder.path());
  testing::write(folder / "file", "");
  const std::string planted = Cache::open(folder / "file/cache").value().folder();
  chmod(planted.c_str(), 0777);
  const std::string fresh = Cache::open(folder / "file/cache").value().folder();
  EXPECT_NE(fresh, planted);
  EXPECT_TRUE(fs::is_directory(fresh));

  fs::remove_all(planted);
  fs::create_directory_symlink(fresh, planted);
  EXPECT_NE(Cache::open(folder / "file/cache").value().folder(), planted);
}

TEST(Cache, PrunesWhatWasNotUsedForLongest) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path(), {.bytes = 2500}).value();
  for (const int i : {1, 2, 3, 4}) {
    const CachedCase entry =
        store_sample(cache, "key" + std::to_string(i), std::string(1000, static_cast<char>('0' + i)));
    age(cache.path("key" + std::to_string(i) + ".case"), std::chrono::hours(10 * i));
    age(cache.path(entry.image), std::chrono::hours(10 * i));
  }
  // A use counts: the oldest entry becomes the newest.
  ASSERT_TRUE(find(folder, "key4"));
  cache.prune();
  EXPECT_TRUE(find(folder, "key4"));
  EXPECT_TRUE(find(folder, "key1"));
  EXPECT_FALSE(find(folder, "key2"));
  EXPECT_FALSE(find(folder, "key3"));
}

TEST(Cache, PruningSparesWhatWasJustUsedAndWhatIsNotItsOwn) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path(), {.bytes = 0}).value();
  store_sample(cache, "key");
  testing::write(folder / "notes.txt", "mine");
  testing::write(folder / "dead.case.1.1.tmp", "half");
  age(folder / "notes.txt", std::chrono::hours(100));
  age(folder / "dead.case.1.1.tmp", std::chrono::hours(100));
  cache.prune();
  EXPECT_TRUE(find(folder, "key"));
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
  EXPECT_FALSE(fs::exists(folder / "dead.case.1.1.tmp"));
}

TEST(Cache, ReadersSeeWholeEntriesWhileWritersReplaceThem) {
  const TemporaryFolder folder;
  Cache writer = Cache::open(folder.path()).value();
  const CachedCase entry = store_sample(writer, "key");
  int damaged = 0;
  {
    const std::jthread other([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) store_sample(writer, "key");
    });
    for (int i = 0; i < 300; ++i) damaged += find(folder, "key") != entry;
  }
  EXPECT_EQ(damaged, 0);
}

}  // namespace
}  // namespace warpclock
