#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "base/files/file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

TEST(PrivateFolder, IsMadeForItsUserAlone) {
  const testing::TemporaryFolder folder;
  const mode_t before = umask(0);
  EXPECT_TRUE(private_folder(folder / "a/b/"));
  umask(before);
  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(folder / "a/b").permissions(), fs::perms(0700));
  EXPECT_TRUE(private_folder(folder / "a/b"));
}

TEST(PrivateFolder, IsNoneThatOthersCanWriteTo) {
  const testing::TemporaryFolder folder;
  for (const mode_t mode : {0777, 0775, 0757, 01777}) {
    ASSERT_EQ(chmod(folder.path().c_str(), mode), 0);
    EXPECT_THAT(failure_of(private_folder(folder.path())), IsError("foreign", HasSubstr("chmod go-w"))) << mode;
  }
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  EXPECT_TRUE(private_folder(folder.path()));
}

// Only root can give folders to others.
TEST(PrivateFolder, IsNoneOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "not root";
  const testing::TemporaryFolder folder;
  constexpr uid_t other = 4242;
  fs::create_directory(folder / "others");
  ASSERT_EQ(chown((folder / "others").c_str(), other, other), 0);
  EXPECT_THAT(failure_of(private_folder(folder / "others")), IsError("foreign", HasSubstr("belongs to another user")));
  fs::create_directory(folder / "own");
  fs::create_directory_symlink(folder / "own", folder / "link");
  EXPECT_TRUE(private_folder(folder / "link"));
  ASSERT_EQ(lchown((folder / "link").c_str(), other, other), 0);
  EXPECT_EQ(failure_of(private_folder(folder / "link")).code, "foreign");
}

TEST(PrivateFolder, IsNoFile) {
  const testing::TemporaryFolder folder;
  testing::write(folder / "file", "");
  EXPECT_EQ(failure_of(private_folder(folder / "file")).code, "io");
  EXPECT_EQ(failure_of(private_folder(folder / "file/below")).code, "io");
}

TEST(EntriesOf, AreSortedAndNothingWhereThereIsNoFolder) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"b", "a", ".c"}) testing::write(folder / name, "");
  EXPECT_THAT(must(entries_of(folder.path())), ElementsAre(folder / ".c", folder / "a", folder / "b"));
  EXPECT_THAT(must(entries_of(folder / "none")), IsEmpty());
}

// It would be taken for one that has less.
TEST(EntriesOf, AFolderThatCannotBeReadIsAnError) {
  const testing::TemporaryFolder folder;
  testing::write(folder / "file", "");
  EXPECT_THAT(failure_of(entries_of(folder / "file")), IsError("io", HasSubstr("Not a directory")));
  std::filesystem::create_directory_symlink("loop", folder / "loop");
  EXPECT_THAT(failure_of(entries_of(folder / "loop")), IsError("io", HasSubstr("symbolic links")));
}

TEST(FolderLock, KeepsASecondRunOut) {
  const testing::TemporaryFolder folder;
  {
    const auto first = FolderLock::take(folder.path());
    ASSERT_TRUE(first);
    EXPECT_THAT(failure_of(FolderLock::take(folder.path())), IsError("locked", HasSubstr("another run writes into")));
  }
  EXPECT_TRUE(FolderLock::take(folder.path()));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FolderLock, ForWritingIsWaitedFor) {
  const testing::TemporaryFolder folder;
  std::optional first = must(FolderLock::wait(folder.path()));
  EXPECT_THAT(failure_of(FolderLock::wait(folder.path(), std::chrono::milliseconds(0))),
              IsError("locked", HasSubstr("end it")));
  EXPECT_TRUE(FolderLock::take(folder.path())) << "a run that does not write yet";
  bool second = false;
  std::thread waiting([&] { second = FolderLock::wait(folder.path()).has_value(); });
  first.reset();
  waiting.join();
  EXPECT_TRUE(second);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FolderLock, FollowsNoLink) {
  const testing::TemporaryFolder folder;
  fs::create_symlink(folder / "elsewhere", folder / "run.lock");
  EXPECT_EQ(failure_of(FolderLock::take(folder.path())).code, "io");
  EXPECT_FALSE(fs::exists(folder / "elsewhere"));
}

}  // namespace
}  // namespace warpclock
