#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <thread>

#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"

namespace warpclock {
namespace {

std::vector<std::string> synced;       // what fsync() was called for
std::function<void()> after_exchange;  // what happens when two files have exchanged their names

}  // namespace
}  // namespace warpclock

// Takes the place of the C library's in this program. Nothing else shows whether a file is on the disk.
extern "C" int fsync(int descriptor) {
  struct stat facts {};
  fstat(descriptor, &facts);
  warpclock::synced.emplace_back(S_ISDIR(facts.st_mode) ? "folder" : "file");
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

extern "C" int renameat2(int of, const char* from, int in, const char* to, unsigned flags) noexcept {
  const auto done = static_cast<int>(syscall(SYS_renameat2, of, from, in, to, flags));
  if ((flags & RENAME_EXCHANGE) != 0 && warpclock::after_exchange) warpclock::after_exchange();
  return done;
}

namespace warpclock {
namespace {

namespace fs = std::filesystem;

class ReplacementTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.push_back(entry.path().filename().string());
    std::ranges::sort(all);
    return all;
  }

  Replacement next(const std::string& text = "new") const { return must(Replacement::write(path_, text, Synced::No)); }

  const testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path(), path_ = folder_ / "file";
};

TEST_F(ReplacementTest, FollowsNoLinkThatSomebodyPutInItsWay) {
  const fs::path victim = folder_ / "victim";
  testing::write(victim, "precious");
  constexpr int many = 3000;
  for (int i = 0; i < many; ++i) fs::create_symlink(victim, fmt::format("{}.{}.{}.tmp", path_.string(), getpid(), i));
  ASSERT_TRUE(write_file_atomically(path_, "new"));
  EXPECT_EQ(read_file(victim), "precious");
  EXPECT_FALSE(fs::is_symlink(path_));
}

TEST_F(ReplacementTest, HasANameThatNobodyCanGuess) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const Replacement one = next();
    ASSERT_EQ(names().size(), 1U);
    EXPECT_THAT(names().front(), ::testing::MatchesRegex("\\.warpclock-[0-9a-f]+\\.tmp"));
    seen.insert(names().front());
  }
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(ReplacementTest, OfAKilledProcessIsRemovedByTheNextAndOfALivingOneStays) {
  const pid_t child = fork();
  if (child == 0) {
    const auto half = Replacement::write(path_, "half", Synced::No);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(names().size(), 1U);
  const Replacement living = next();
  ASSERT_EQ(names().size(), 2U);
  ASSERT_TRUE(write_marked(folder_ / "page", markdown_mark));
  EXPECT_THAT(names(), ElementsAre(::testing::StartsWith(".warpclock-"), "page"));
}

TEST_F(ReplacementTest, TakesNoPlaceThatSomebodyTookMeanwhile) {
  auto into_nothing = next();
  testing::write(path_, "precious");
  EXPECT_EQ(into_nothing.put_over(std::nullopt), false);
  EXPECT_EQ(read_file(path_), "precious");

  const auto before = file_state(path_);
  auto over_another = next();
  testing::write(folder_ / "other", "precious too");
  fs::rename(folder_ / "other", path_);
  EXPECT_EQ(over_another.put_over(before), false);
  EXPECT_EQ(read_file(path_), "precious too");

  auto over_nothing = next();
  const auto removed = file_state(path_);
  fs::remove(path_);
  EXPECT_EQ(over_nothing.put_over(removed), false);
  EXPECT_EQ(over_nothing.put_over(std::nullopt), true);
  EXPECT_EQ(read_file(path_), "new");
}

TEST_F(ReplacementTest, TakesThePlaceOfWhatIsAsBefore) {
  testing::write(path_, "old");
  EXPECT_EQ(next().put_over(file_state(path_)), true);
  EXPECT_EQ(read_file(path_), "new");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(ReplacementTest, TakesAPlaceWhileOthersRemoveWhatWasLeft) {
  testing::write(path_, "old");
  after_exchange = [&] { remove_leftovers(folder_); };
  EXPECT_EQ(next().put_over(file_state(path_)), true);
  after_exchange = nullptr;
  EXPECT_EQ(read_file(path_), "new");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(ReplacementTest, IsOnTheDiskWithItsName) {
  synced.clear();
  ASSERT_TRUE(write_file_atomically(path_, "x", Synced::Yes));
  EXPECT_THAT(synced, ElementsAre("file", "folder"));
  ASSERT_TRUE(write_file_atomically(path_, "y", Synced::No));
  EXPECT_EQ(synced.size(), 2U);
}

TEST_F(ReplacementTest, OfAFolderThatIsNewIsOnTheDiskWithTheFoldersName) {
  for (const bool locked : {false, true}) {
    const fs::path above = folder_ / (locked ? "locked" : "new");
    std::optional<FolderLock> lock;
    synced.clear();
    if (locked) lock = must(FolderLock::take(above / "below"));
    ASSERT_TRUE(write_file_atomically(above / "below/file", "x"));
    EXPECT_EQ(std::ranges::count(synced, "folder"), 3) << "those that have the names of new, below and file";
  }
}

TEST_F(ReplacementTest, OfADeviceIsWrittenIntoIt) {
  fs::create_symlink("/dev/null", path_);
  EXPECT_TRUE(write_file_atomically(path_, "x"));
  EXPECT_TRUE(write_marked(path_, "x"));
  EXPECT_EQ(fs::read_symlink(path_), "/dev/null");
  fs::create_symlink("/dev/full", folder_ / "full");
  EXPECT_THAT(failure_of(write_marked(folder_ / "full", "x")), IsError("io", HasSubstr("No space left on device")));
  EXPECT_THAT(names(), ElementsAre("file", "full"));
}

TEST_F(ReplacementTest, OfAPipeIsWrittenIntoIt) {
  const testing::Alarm alarm;
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(path_).value_or("nothing"); });
  EXPECT_TRUE(write_marked(path_, "through the pipe"));
  reader.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(path_));
}

TEST_F(ReplacementTest, OfAPipeThatNobodyReadsIsAnError) {
  const testing::Alarm alarm;
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(failure_of(write_in_place(path_, "x", std::chrono::milliseconds(0))),
              IsError("io", HasSubstr("no program reads from this pipe")));
}

TEST_F(ReplacementTest, OfStandardOutputIsPrinted) {
  const int before = dup(STDOUT_FILENO);
  std::fflush(stdout);
  const Descriptor file(open((folder_ / "out").c_str(), O_WRONLY | O_CREAT, 0600));
  dup2(file.get(), STDOUT_FILENO);
  std::fputs("printed first\n", stdout);
  fs::create_symlink(folder_ / "out", folder_ / "link");
  const auto written = write_file_atomically(folder_ / "link", "then written\n");
  dup2(before, STDOUT_FILENO);
  close(before);
  EXPECT_TRUE(written);
  EXPECT_EQ(read_file(folder_ / "out"), "printed first\nthen written\n");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
}

}  // namespace
}  // namespace warpclock
