#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/paths.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

/// Commands that write a file which a person names; behind them comes its path.
std::vector<std::vector<std::string>> writing_commands() {
  const std::string cubin = testing::inspect_data + "kernels.cubin";
  return {{"export", "csv", "--gpu", "h200", "--reports", testing::cut_reports, "--out"},
          {"inspect", cubin, "--reports", testing::cut_reports, "--page"},
          {"predict", cubin, "--kernel", "nested", "--launch", "132,96", "--reports", testing::cut_reports, "--page"},
          {"fleet", testing::cut_reports, "--page"},
          {"fleet", testing::cut_reports, "--write-baseline"}};
}

ProcessResult written_to(std::vector<std::string> command, const std::string& path) {
  command.insert(command.begin(), WARPCLOCK_PROGRAM);
  command.push_back(path);
  return run_process(command, {.timeout = std::chrono::minutes(2)}).value();
}

TEST(NamedFile, ThatIsADeviceStaysOne) {
  const testing::TemporaryFolder folder;
  fs::create_symlink("/dev/null", folder / "null");
  fs::create_symlink("/dev/full", folder / "full");
  for (const auto& command : writing_commands()) {
    const auto ran = written_to(command, folder / "null");
    EXPECT_LT(ran.exit_code, 2) << command.front() << ran.err;
    const auto full = written_to(command, folder / "full");
    EXPECT_EQ(full.exit_code, 2) << command.front();
    EXPECT_THAT(full.err, HasSubstr("No space left on device")) << command.front();
    EXPECT_TRUE(fs::is_character_file(folder / "null")) << command.front();
    EXPECT_TRUE(fs::is_character_file(folder / "full")) << command.front();
  }
}

TEST(NamedFile, ThatIsStandardOutputIsPrinted) {
  const auto command = writing_commands().front();
  const testing::TemporaryFolder folder;
  const auto printed = written_to(command, "/dev/stdout");
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  ASSERT_EQ(written_to(command, folder / "file").exit_code, 0);
  EXPECT_EQ(printed.out, read_file(folder / "file"));
}

TEST(NamedFile, IsShownWithoutWhatATerminalObeys) {
  const testing::TemporaryFolder folder;
  const fs::path odd = folder / "\x1b[31m\xff";
  fs::create_directories(odd / "gpu");
  fs::copy_file(testing::cut_reports + "/nvidia-h200/machine.json", odd / "gpu" / "machine.json");
  fs::copy_file(testing::inspect_data + "kernels.cubin", odd / "kernels.cubin");
  const std::string tool = testing::write_script(odd / "tool", "printf 'release 13.0, V13.0\\033[31m\\n'\n");
  const std::vector<std::vector<std::string>> commands = {
      {"report", "--check", odd},
      {"report", odd},
      {"replay", testing::cut_reports + "/nvidia-h200/result.json", "--out", odd / "again"},
      {"inspect", "--reports", testing::cut_reports, odd / "kernels.cubin"},
      {"predict", "--reports", testing::cut_reports, "--kernel", "nested", "--launch", "132,96", odd / "kernels.cubin"},
      {"doctor"}};
  for (auto command : commands) {
    const std::string name = command.front();
    command.insert(command.begin(), WARPCLOCK_PROGRAM);
    std::optional<testing::Variable> disassembler;
    if (name == "doctor") disassembler.emplace("WARPCLOCK_NVDISASM", tool);
    const auto ran = run_process(command).value();
    EXPECT_THAT(ran.out, Not(HasSubstr("\x1b"))) << name;
    EXPECT_THAT(ran.out, Not(HasSubstr("\xff"))) << name;
    EXPECT_THAT(ran.out, HasSubstr("\\x1b[31m")) << name << ran.err;
  }
}

}  // namespace
}  // namespace warpclock
