#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/files/paths.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"

namespace warpclock {
namespace {

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
