#include "compile/cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/files/file.hpp"
#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/process.hpp"
#include "base/testing/chaos.hpp"
#include "base/testing/matchers.hpp"
#include "compile/build.hpp"
#include "compile/testing/forged.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

/// What a case was compiled to.
struct Compiled {
  CachedCase entry;
  std::string image;
};

const Compiled& compiled() {
  static const Compiled one = [] {
    const TemporaryFolder folder;
    BuildOptions options;
    options.cache_dir = folder.path();
    const auto built = build({testing::make_case("fma.cu", "sm_90a", {2, 4}, {{"add", 1}})},
                             testing::sources_with("fma.cu", testing::fma_probe), options);
    const fs::path path = folder.files(".case").at(0);
    Compiled made;
    made.entry = deserialized(path.stem().string(), read_file(path).value()).value();
    made.image = read_file(folder / made.entry.image).value();
    return made;
  }();
  return one;
}

/// `more` bytes behind the machine code make another image of it.
CachedCase store_sample(Cache& cache, const std::string& key, const std::string& more = "") {
  CachedCase entry = compiled().entry;
  entry.image = cache.store_image(compiled().image + more, ".cubin").value();
  cache.store(key, entry);
  return entry;
}

std::optional<CachedCase> found_in(Cache& cache, const std::string& key) {
  auto found = cache.find(key);
  return found ? std::optional(std::move(found->entry)) : std::nullopt;
}

/// Looks up a key through a new Cache, which remembers nothing of earlier reads.
std::optional<CachedCase> find(const TemporaryFolder& folder, const std::string& key) {
  Cache cache = Cache::open(folder.path());
  return found_in(cache, key);
}

mode_t mode_of(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? facts.st_mode & 0777 : 0;
}

void age(const std::string& path, std::chrono::hours by) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - by);
}

TEST(Cache, GivesBackWhatWasStored) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  EXPECT_EQ(cache.warning(), "");
  const CachedCase entry = store_sample(cache, "key");
  EXPECT_EQ(found_in(cache, "key"), entry);
  EXPECT_EQ(find(folder, "key"), entry);
  EXPECT_EQ(find(folder, "other"), std::nullopt);
  EXPECT_EQ(read_file(cache.path(entry.image)).value(), compiled().image);
  const auto found = cache.find("key");
  EXPECT_EQ(mapped(found->listings, &Listing::kernel),
            mapped(entry.kernels, [](const auto& one) { return one.second; }));
  EXPECT_TRUE(folder.files(".tmp").empty());
}

TEST(Cache, AFlippedByteAnywhereMakesACaseMissing) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  const CachedCase entry = store_sample(cache, "key");
  const std::string path = cache.path("key.case");
  const std::string whole = read_file(path).value();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    testing::write(path, damaged);
    EXPECT_EQ(found_in(cache, "key"), std::nullopt) << i;
  }
  testing::write(path, whole);
  EXPECT_EQ(found_in(cache, "key"), entry);
}

TEST(Cache, ACaseCutShortIsMissing) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  store_sample(cache, "key");
  const std::string path = cache.path("key.case");
  const std::string whole = read_file(path).value();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    testing::write(path, whole.substr(0, size));
    EXPECT_EQ(found_in(cache, "key"), std::nullopt) << size;
  }
}

TEST(Cache, ADamagedImageMakesItsCasesMissing) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  const CachedCase entry = store_sample(cache, "key");
  const std::string& good = compiled().image;
  for (const std::string& damage : {good + "x", good.substr(1), good.substr(0, good.size() - 1), std::string()}) {
    testing::write(cache.path(entry.image), damage);
    EXPECT_EQ(find(folder, "key"), std::nullopt) << damage.size();
  }
  fs::remove(cache.path(entry.image));
  EXPECT_EQ(find(folder, "key"), std::nullopt);
  store_sample(cache, "key");
  EXPECT_EQ(find(folder, "key"), entry);
}

TEST(Cache, SurvivesFieldsThatLieUnderAGoodHash) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  for (const std::string body : {"", "x", "99999999999999999999 x\n", "18446744073709551615 x\n", "-1 x\n", "3 abc",
                                 "3 abc\n20 99999999999999999999\n", "3 abc\n10 9999999999\n", "3 abc\n1 x\n",
                                 "5 ../ab\n1 0\n0 \n0 \n", "9 /dev/null\n1 0\n0 \n0 \n"}) {
    const std::string whole = "3 key\n" + body;
    testing::write(cache.path("key.case"), "warpclock case 2\n" + hash_hex(whole) + "\n" + whole);
    EXPECT_EQ(found_in(cache, "key"), std::nullopt) << body;
  }
}

TEST(Cache, FallsBackToATemporaryFolder) {
  const TemporaryFolder folder;
  const testing::Variable temporary("TMPDIR", folder.path());
  testing::write(folder / "file", "");
  // No folder can be created below a regular file, not even by root.
  Cache cache = Cache::open(folder / "file/cache");
  EXPECT_NE(cache.warning().find(folder / "file/cache"), std::string::npos) << cache.warning();
  EXPECT_TRUE(cache.folder().starts_with(folder.path() + "/warpclock-cache-"));
  const CachedCase entry = store_sample(cache, "key");
  // The next process finds the entry again.
  Cache next = Cache::open(folder / "file/cache");
  EXPECT_EQ(next.folder(), cache.folder());
  EXPECT_EQ(found_in(next, "key"), entry);
}

TEST(Cache, DoesNotTrustATemporaryFolderThatOthersCanWriteTo) {
  const TemporaryFolder folder;
  const testing::Variable temporary("TMPDIR", folder.path());
  testing::write(folder / "file", "");
  const std::string planted = Cache::open(folder / "file/cache").folder();
  chmod(planted.c_str(), 0777);
  EXPECT_EQ(Cache::open(folder / "file/cache").folder(), "");

  fs::rename(planted, folder / "open");
  fs::create_directory_symlink(folder / "open", planted);
  EXPECT_EQ(Cache::open(folder / "file/cache").folder(), "");
}

TEST(Cache, KeepsImagesInMemoryWhereThereIsNoFolder) {
  const TemporaryFolder folder;
  const testing::Variable temporary("TMPDIR", folder.path());
  testing::write(folder / "file", "");
  testing::write(folder / ("warpclock-cache-" + std::to_string(geteuid())), "");
  Cache cache = Cache::open(folder / "file/cache");
  EXPECT_EQ(cache.folder(), "");
  EXPECT_THAT(cache.warning(), AllOf(HasSubstr(folder / "file/cache"), HasSubstr("memory")));
  const std::string name = cache.store_image(compiled().image, ".cubin").value();
  EXPECT_EQ(read_file(cache.path(name)).value(), compiled().image);
  EXPECT_EQ(run_process({"cat", cache.path(name)})->out, compiled().image) << "a child can read it";
  EXPECT_EQ(cache.store_image(compiled().image, ".cubin").value(), name);
  CachedCase entry = compiled().entry;
  entry.image = name;
  EXPECT_THAT(must(cache.listings(entry)), SizeIs(2));
  cache.store("key", entry);
  EXPECT_FALSE(cache.find("key"));
  cache.prune();
}

TEST(Cache, GoesOnWithoutAFolderThatBecomesFull) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  // A folder in its place keeps even root from writing a file.
  fs::create_directories(folder / (hash_hex(compiled().image) + ".cubin/taken"));
  fs::create_directories(folder / "key.case/taken");
  const std::string name = cache.store_image(compiled().image, ".cubin").value();
  EXPECT_EQ(read_file(cache.path(name)).value(), compiled().image);
  EXPECT_THAT(cache.warning(), HasSubstr("kept in memory"));
  cache.store("key", compiled().entry);
  EXPECT_FALSE(cache.find("key"));
}

TEST(Cache, IsNotUsedWhereOthersCanWriteToIt) {
  const TemporaryFolder folder, temporaries;
  const testing::Variable temporary("TMPDIR", temporaries.path());
  Cache cache = Cache::open(folder.path());
  store_sample(cache, "key");
  for (const mode_t mode : {0777, 0770, 0702}) {
    chmod(folder.path().c_str(), mode);
    Cache other = Cache::open(folder.path());
    EXPECT_NE(other.folder(), folder.path());
    EXPECT_FALSE(other.find("key"));
    EXPECT_THAT(other.warning(), HasSubstr("chmod go-w " + folder.path()));
  }
  chmod(folder.path().c_str(), 0755);
  EXPECT_TRUE(find(folder, "key"));
}

TEST(Cache, IsNotUsedIfItBelongsToAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  const TemporaryFolder folder, temporaries;
  const testing::Variable temporary("TMPDIR", temporaries.path());
  Cache cache = Cache::open(folder.path());
  store_sample(cache, "key");
  ASSERT_EQ(chown(folder.path().c_str(), 65534, 65534), 0);
  EXPECT_NE(Cache::open(folder.path()).folder(), folder.path());
  ASSERT_EQ(chown(folder.path().c_str(), 0, 0), 0);
  EXPECT_TRUE(find(folder, "key"));
  ASSERT_EQ(chown((folder / "key.case").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(find(folder, "key"));
}

// As when HOME and XDG_CACHE_HOME are not set: the folder is in the shared temporary one, where anybody can make it.
TEST(Cache, OfATemporaryFolderThatAnotherUserMadeIsNotBelieved) {
  const TemporaryFolder folder;
  const testing::Variable temporary("TMPDIR", folder.path()), home("HOME", ""), xdg("XDG_CACHE_HOME", ""),
      own("WARPCLOCK_CACHE", "");
  const std::string planted = cache_dir().string();
  ASSERT_TRUE(planted.starts_with(folder.path())) << planted;
  {
    Cache theirs = Cache::open("");
    ASSERT_EQ(theirs.folder(), planted);
    EXPECT_EQ(mode_of(planted), 0700U);
    store_sample(theirs, "key");
  }
  chmod(planted.c_str(), 0777);
  Cache ours = Cache::open("");
  EXPECT_NE(ours.folder(), planted);
  EXPECT_FALSE(ours.find("key"));
}

TEST(Cache, IsForThisUserAloneWhateverTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = umask(0);
  Cache cache = Cache::open(folder / "a/cache");
  const CachedCase entry = store_sample(cache, "key");
  umask(before);
  EXPECT_EQ(mode_of(folder / "a/cache"), 0700U);
  EXPECT_EQ(mode_of(cache.path("key.case")), 0600U);
  EXPECT_EQ(mode_of(cache.path(entry.image)), 0600U);
}

TEST(Cache, AFileThatOthersCanWriteToIsMissing) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  const CachedCase entry = store_sample(cache, "key");
  for (const std::string& name : {std::string("key.case"), entry.image}) {
    chmod(cache.path(name).c_str(), 0666);
    EXPECT_FALSE(find(folder, "key")) << name;
    chmod(cache.path(name).c_str(), 0600);
    EXPECT_TRUE(find(folder, "key")) << name;
    fs::rename(cache.path(name), folder / "elsewhere");
    fs::create_symlink(folder / "elsewhere", cache.path(name));
    EXPECT_FALSE(find(folder, "key")) << name;
    fs::rename(folder / "elsewhere", cache.path(name));
  }
}

TEST(Cache, AnEntryUnderAnotherKeyIsMissing) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  store_sample(cache, "key");
  fs::rename(cache.path("key.case"), cache.path("other.case"));
  EXPECT_FALSE(find(folder, "other"));
}

TEST(Cache, AListingOfOtherMachineCodeIsMissingWhateverItsHash) {
  const TemporaryFolder folder;
  Cache cache = Cache::open(folder.path());
  const CachedCase entry = store_sample(cache, "key");
  const auto is_found = [&](const std::string& listing) {
    CachedCase forged = entry;
    forged.listing = listing;
    testing::write(cache.path("key.case"), serialized("key", forged));
    return cache.find("key").has_value();
  };
  ASSERT_TRUE(is_found(entry.listing));
  EXPECT_FALSE(is_found(testing::with_other_stalls(entry.listing)));
  EXPECT_FALSE(is_found(""));
  const std::size_t last = entry.listing.rfind("\t.section");
  EXPECT_FALSE(is_found(entry.listing.substr(0, last))) << "a kernel is missing";
  EXPECT_FALSE(is_found(entry.listing.substr(0, entry.listing.rfind("/*", entry.listing.rfind("/*") - 40))));
  std::size_t digits = 0;
  constexpr std::string_view encoding = "/* 0x";
  for (std::size_t at = entry.listing.find(encoding); at != std::string::npos;
       at = entry.listing.find(encoding, at + 1)) {
    for (std::size_t i = at + encoding.size(); i < at + encoding.size() + 16; i += 5, ++digits) {
      std::string forged = entry.listing;
      forged[i] = forged[i] == '0' ? '1' : '0';
      EXPECT_FALSE(is_found(forged)) << at;
    }
  }
  EXPECT_GT(digits, 100U);
}

/// Does something to one of the two files of an entry.
void spoil(const TemporaryFolder& folder, Cache& cache, const CachedCase& entry, testing::Chaos& chaos) {
  const std::string path = cache.path(chaos.one_in(2) ? "key.case" : entry.image);
  std::string text = read_file(path).value();
  CachedCase forged = entry;
  switch (chaos.below(10)) {
    case 0:
    case 1:
      for (std::size_t k = 0; k <= chaos.below(8); ++k) chaos.damage(text);
      testing::write(path, text);
      break;
    case 2:
      testing::write(path, text.substr(0, chaos.below(text.size())));
      break;
    case 3:
      testing::write(path, text + std::string(1 + chaos.below(100), '\0'));
      break;
    case 4:
      chmod(path.c_str(), chaos.one_in(2) ? 0660 : 0606);
      break;
    case 5:
      if (geteuid() == 0 && chown(path.c_str(), 1 + static_cast<uid_t>(chaos.below(1000)), 0) == 0) break;
      fs::remove(path);
      break;
    case 6:
      fs::rename(path, folder / "elsewhere");
      fs::create_symlink(folder / "elsewhere", path);
      break;
    case 7:  // a hash that is right, over other instructions
      forged.listing = testing::with_other_stalls(forged.listing);
      testing::write(cache.path("key.case"), serialized("key", forged));
      break;
    case 8:
      testing::write(cache.path("key.case"), serialized("another", entry));
      break;
    default:  // other machine code
      forged.image = cache.store_image(compiled().image + std::string(1 + chaos.below(9), 'x'), ".cubin").value();
      fs::rename(cache.path(forged.image), cache.path(entry.image));
      break;
  }
}

// Promised in docs/promises.md.
TEST(Cache, GivesWhatWasStoredOrNothingWhateverIsDoneToIt) {
  testing::Chaos chaos(300);
  std::size_t missing = 0;
  for (std::size_t i = 0; i < chaos.cases(); ++i) {
    const TemporaryFolder folder;
    Cache cache = Cache::open(folder.path());
    const CachedCase entry = store_sample(cache, "key");
    spoil(folder, cache, entry, chaos);
    const auto found = find(folder, "key");
    missing += found ? 0 : 1;
    ASSERT_EQ(found.value_or(entry), entry) << i;
  }
  EXPECT_GT(missing, chaos.cases() / 10 * 9);
}

TEST(Cache, PrunesWhatWasNotUsedForLongest) {
  const TemporaryFolder folder;
  const std::uint64_t each = compiled().image.size() + serialized("key1", compiled().entry).size();
  Cache cache = Cache::open(folder.path(), {.bytes = 2 * each + each / 2});
  for (const int i : {1, 2, 3, 4}) {
    const CachedCase entry = store_sample(cache, "key" + std::to_string(i), std::to_string(i));
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
  Cache cache = Cache::open(folder.path(), {.bytes = 0});
  store_sample(cache, "key");
  testing::write(folder / "notes.txt", "mine");
  age(folder / "notes.txt", std::chrono::hours(100));
  const auto living = must(Replacement::write(folder / "other.case", "half", Synced::No));
  cache.prune();
  EXPECT_TRUE(find(folder, "key"));
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
  EXPECT_THAT(folder.files(".tmp"), SizeIs(1));
}

/// Also if nothing is compiled: a command that was killed after its last case finds all of them the next time.
TEST(Cache, OpeningRemovesWhatAKilledProcessWrote) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Cache::open(folder.path()).warning().empty());
  testing::write(folder / ".warpclock-0123456789abcdef.tmp", "half");
  const auto living = must(Replacement::write(folder / "other.case", "half", Synced::No));
  ASSERT_THAT(folder.files(".tmp"), SizeIs(2));
  EXPECT_TRUE(Cache::open(folder.path()).warning().empty());
  EXPECT_THAT(folder.files(".tmp"), SizeIs(1)) << "that of a process that died is removed, and no other";
}

TEST(Cache, ReadersSeeWholeEntriesWhileWritersReplaceThem) {
  const TemporaryFolder folder;
  Cache writer = Cache::open(folder.path());
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
