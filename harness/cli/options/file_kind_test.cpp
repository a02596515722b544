#include <gtest/gtest.h>

#include <vector>

#include "base/files/paths.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "cli/options/options.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

struct WrongFile {
  std::vector<std::string> arguments;  ///< behind them comes the file
  std::string content, message;
};

const std::string module = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry f() { ret; }\n";
const std::string cuda = "__global__ void f() {}\n";

TEST(FileKind, IsNamedWithTheCommandThatReadsIt) {
  const testing::TemporaryFolder folder;
  const std::vector<WrongFile> all = {
      {{"cycles", "--arch", "sm_90a", "--ptx-file"}, module, "this is a whole PTX module, which `warpclock inspect`"},
      {{"cycles", "--arch", "sm_90a", "--ptx-file"}, cuda, "this is CUDA C++, which `warpclock inspect` reads"},
      {{"cycles", "--arch", "sm_90a", "--ptx-file"},
       "{\"schema\":{\"major\":3}}",
       "this is a record of warpclock, which"},
      {{"cycles", "--arch", "sm_90a", "--ptx-file"},
       "\x7f"
       "ELF\x02",
       "this is a cubin, library or program"},
      {{"inspect"}, "{\"schema\":{\"major\":3}}", "this is a record of warpclock, which report, compare"},
      {{"replay"}, cuda, "this is CUDA C++"},
      {{"replay"}, "<!DOCTYPE html><html>", "this is a page; the record is the .json"},
      {{"guide"}, "family: f\n", "this is a config"},
      {{"export", "csv"}, module, "this is a whole PTX module"},
      {{"compare", testing::cut_reports + "/nvidia-h200/result.json"}, cuda, "this is CUDA C++"},
  };
  for (const WrongFile& wrong : all) {
    const std::string path = folder.path() + "/file";
    ASSERT_TRUE(write_file_atomically(path, wrong.content, Synced::No));
    std::vector<std::string> command = {WARPCLOCK_PROGRAM};
    command.insert(command.end(), wrong.arguments.begin(), wrong.arguments.end());
    command.push_back(path);
    const auto ran = run_process(command).value();
    EXPECT_EQ(ran.exit_code, 2) << wrong.message;
    EXPECT_THAT(ran.err, HasSubstr(wrong.message)) << wrong.arguments.front();
  }
}

TEST(FileKind, OfARecordOfAnotherKindIsSaidOnce) {
  const auto ran =
      run_process({WARPCLOCK_PROGRAM, "replay", testing::cut_reports + "/nvidia-h200/instructions.json"}).value();
  EXPECT_THAT(ran.err, HasSubstr("this is an instruction table (instructions.json); a result (result.json) is wanted"));
}

TEST(FileKind, OfAFileThatIsAskedAsALineIsAHint) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/step.ptx";
  ASSERT_TRUE(write_file_atomically(path, "add.s32 %r1, %r2, %r3;\n", Synced::No));
  const auto ran = run_process({WARPCLOCK_PROGRAM, "cycles", "--arch", "sm_90a", path}).value();
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("; this is a file: --ptx-file takes it as one block, and - reads lines"));
  EXPECT_THAT(file_kind("add.s32 %r1, %r2, %r3;"), IsEmpty());
}

}  // namespace
}  // namespace warpclock
