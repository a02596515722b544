#include "base/files/folder_lock.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

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
