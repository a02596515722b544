#include "cli/options/options.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

TEST(ArchChoice, AcceptsWhatPeopleWrite) {
  for (const char* name : {"sm_90a", "90a", "SM_90A", "sm90a", "compute_90a", " sm_90a ", "H100", "h200", "GH200"}) {
    const auto arch = named_arch(name);
    ASSERT_TRUE(arch) << name << ": " << arch.error().text;
    EXPECT_EQ(to_string(*arch), "sm_90a") << name;
  }
  EXPECT_EQ(named_arch("90").value(), (Arch{90, false}));
  EXPECT_EQ(named_arch("A100").value(), (Arch{80, false}));
}

TEST(ArchChoice, KnowsProducts) {
  const std::pair<const char*, const char*> all[] = {{"T4", "sm_75"},
                                                     {"A100", "sm_80"},
                                                     {"Orin", "sm_87"},
                                                     {"L40S", "sm_89"},
                                                     {"4090", "sm_89"},
                                                     {"B200", "sm_100a"},
                                                     {"B300", "sm_103a"},
                                                     {"thor", "sm_110a"},
                                                     {"5090", "sm_120a"},
                                                     {"Spark", "sm_121a"},
                                                     {"NVIDIA GeForce RTX 5090", "sm_120a"},
                                                     {"dgx-spark", "sm_121a"}};
  for (const auto& [name, arch] : all) EXPECT_EQ(to_string(named_arch(name).value()), arch) << name;
  EXPECT_FALSE(named_arch("RTX"));
}

TEST(ArchChoice, KnowsFamilies) {
  EXPECT_EQ(to_string(named_arch("100f").value()), "sm_100f");
  EXPECT_THAT(failure_of(named_arch("sm_90f")), IsError("usage", HasSubstr("unknown architecture 'sm_90f'")));
}

TEST(ArchChoice, RefusesWithTheListOfTheKnown) {
  for (const char* name : {"", "sm_", "90b", "V200", "sm_9 0", "smith", "sm_60", "sm_99", "sm_80a", "sm_1000"}) {
    EXPECT_THAT(failure_of(named_arch(name)), IsError("usage", AllOf(HasSubstr("sm_90[a]"), HasSubstr("H100"))))
        << name;
  }
  EXPECT_THAT(named_arch("sm_99").error().text, HasSubstr(" does not know sm_99: say sm_"));
}

TEST(ArchChoice, TakesEachOnce) {
  EXPECT_THAT(named_archs("sm_90a,H100, 80").value(), ElementsAre(Arch{90, true}, Arch{80, false}));
  EXPECT_EQ(named_archs("ALL").value(), all_archs());
  EXPECT_FALSE(named_archs("sm_90a,"));
}

TEST(DeviceChoice, IsANumberOrAUuid) {
  for (const char* word : {"0", "12", "GPU-5f0c", "MIG-1"}) EXPECT_TRUE(is_device(word)) << word;
  for (const char* word : {"", "h200", "-1", "1a", "all"}) {
    EXPECT_FALSE(is_device(word)) << word;
    EXPECT_EQ(visible_devices(word, "").error().code, "usage") << word;
  }
}

TEST(DeviceChoice, CountsWhatTheSchedulerLeavesVisible) {
  EXPECT_EQ(visible_devices("3", ""), "3");
  EXPECT_EQ(visible_devices("GPU-5f0c", "2,3"), "GPU-5f0c");
  EXPECT_EQ(visible_devices("1", "2,3"), "3");
  EXPECT_EQ(visible_devices("0", "GPU-5f0c"), "GPU-5f0c");
  EXPECT_FALSE(visible_devices("2", "2,3"));
  EXPECT_FALSE(visible_devices("99999999999999999999", "2,3"));
}

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
