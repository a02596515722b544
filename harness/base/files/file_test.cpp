#include "base/files/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;
using ::testing::Pair;

class Paths : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"WARPCLOCK_CACHE", "XDG_CACHE_HOME"}) unsetenv(name);
  }
  void TearDown() override {
    for (const char* name : {"WARPCLOCK_CACHE", "XDG_CACHE_HOME"}) unsetenv(name);
  }

  const testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(Paths, CacheGoesWhereTheUserSays) {
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(cache_dir(), "/home/someone/.cache/warpclock");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(cache_dir(), "/home/someone/.cache/warpclock");
  setenv("XDG_CACHE_HOME", "/var/cache/someone", 1);
  EXPECT_EQ(cache_dir(), "/var/cache/someone/warpclock");
  setenv("WARPCLOCK_CACHE", "here", 1);
  EXPECT_EQ(cache_dir(), "here");
}

TEST_F(Paths, WithoutAHomeTheCacheIsTheUsersOwn) {
  unsetenv("HOME");
  EXPECT_EQ(cache_dir().filename(), "warpclock-" + std::to_string(getuid()));
}

TEST_F(Paths, WhatIsWrittenIsRead) {
  const fs::path path = folder_ / "a" / "b" / "result.json";
  const std::string text("zero \0 and \xff", 12);
  ASSERT_TRUE(write_file_atomically(path, "before, and longer than what follows"));
  ASSERT_TRUE(write_file_atomically(path, text));
  EXPECT_EQ(read_file(path).value(), text);
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()), 1)
      << "a temporary file was left";
}

TEST_F(Paths, NoMoreIsReadThanIsAllowed) {
  ASSERT_TRUE(write_file_atomically(folder_ / "file", "four"));
  EXPECT_EQ(read_file(folder_ / "file", 4).value(), "four");
  EXPECT_THAT(failure_of(read_file(folder_ / "file", 3)), IsError("io", HasSubstr("the file has more than 3 B")));
  // A pipe and a device do not say how much they have.
  EXPECT_THAT(failure_of(read_file("/dev/zero", 1 << 20)), IsError("io", HasSubstr("the file has more than 1 MiB")));
}

TEST_F(Paths, WritingFollowsTheUmask) {
  const mode_t before = umask(027);
  ASSERT_TRUE(write_file_atomically(folder_ / "file", "x"));
  umask(before);
  EXPECT_EQ(fs::status(folder_ / "file").permissions(), fs::perms(0640));
}

TEST_F(Paths, AFailedWriteLeavesNothingBehind) {
  fs::create_directories(folder_ / "taken" / "inside");
  const Expected<void> written = write_file_atomically(folder_ / "taken", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "io");
  EXPECT_EQ(written.error().place, (folder_ / "taken").string());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Paths, AFileInPlaceOfAFolderIsAnError) {
  ASSERT_TRUE(write_file_atomically(folder_ / "file", "x"));
  EXPECT_EQ(write_file_atomically(folder_ / "file" / "below", "x").error().code, "io");
}

TEST_F(Paths, ReadingWhatIsNoFileIsAnError) {
  EXPECT_EQ(read_file(folder_ / "missing").error().message(),
            (folder_ / "missing").string() + ": cannot open: No such file or directory");
  EXPECT_EQ(read_file(folder_).error().code, "io");
}

TEST_F(Paths, AFolderIsReadByEnding) {
  for (const char* name : {"a.cu", "below/b.cuh", "below/notes.txt", ".hidden/c.cu", ".d.cu"}) {
    ASSERT_TRUE(write_file_atomically(folder_ / name, name));
  }
  constexpr std::array<std::string_view, 2> endings = {".cu", ".cuh"};
  EXPECT_THAT(read_folder(folder_, endings).value(),
              ElementsAre(Pair("a.cu", "a.cu"), Pair("below/b.cuh", "below/b.cuh")));
  EXPECT_EQ(read_folder(folder_ / "missing", endings).error().code, "io");
}

class ReadFile : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "input";
};

TEST_F(ReadFile, EndsForADeviceWithoutAnEnd) {
  EXPECT_THAT(failure_of(read_file("/dev/zero", 1 << 20)),
              IsError("io", HasSubstr("more than 1 MiB, which is the most that is read of a pipe")));
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST_F(ReadFile, EndsForAPipeThatNobodyWrites) {
  const testing::Alarm alarm;
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(failure_of(read_file(path_, most_file_bytes, std::chrono::milliseconds(1))),
              IsError("io", HasSubstr("no program writes into this pipe")));
}

TEST_F(ReadFile, WaitsForWhatASlowProgramWritesIntoAPipe) {
  const testing::Alarm alarm;
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const std::string text(300'000, 'x');
  std::thread writer([&] {
    std::ofstream out(path_);
    out << "first" << std::flush << text;
  });
  EXPECT_EQ(read_file(path_, most_file_bytes, std::chrono::minutes(1)), "first" + text);
  writer.join();
}

TEST_F(ReadFile, TakesNoMoreThanItsLimit) {
  testing::write(path_, "1234");
  EXPECT_EQ(read_file(path_, 4), "1234");
  EXPECT_THAT(failure_of(read_file(path_, 3)), IsError("io", HasSubstr("the file has more than 3 B")));
}

// A file that says that it has more than any memory.
TEST_F(ReadFile, TakesNoFileThatIsLargerThanMemory) {
  testing::write(path_, "");
  std::filesystem::resize_file(path_, std::uintmax_t{1} << 42);
  EXPECT_THAT(failure_of(read_file(path_)), IsError("io", HasSubstr("the file has more than 4 GiB")));
}

}  // namespace
}  // namespace warpclock
