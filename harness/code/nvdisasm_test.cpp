#include "code/nvdisasm.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using testing::TemporaryFolder;
using testing::Variable;

TEST(FindNvdisasm, FindsTheInstalledOne) {
  const auto path = must(find_nvdisasm());
  const auto version = must(nvdisasm_version(path));
  EXPECT_GE(std::stoi(version), 12);
  EXPECT_EQ(version.find_first_not_of("0123456789."), std::string::npos) << version;
}

TEST(FindNvdisasm, PrefersTheGivenOneThenTheEnvironment) {
  const TemporaryFolder folder;
  const std::string given = testing::write_script(folder / "given", "");
  const std::string named = testing::write_script(folder / "named", "");
  const Variable environment("WARPCLOCK_NVDISASM", named);
  EXPECT_EQ(find_nvdisasm(given).value(), given);
  EXPECT_EQ(find_nvdisasm().value(), named);
}

TEST(FindNvdisasm, FindsANameThroughPath) {
  const TemporaryFolder folder;
  testing::write_script(folder / "some-nvdisasm", "");
  const Variable path("PATH", "/nowhere:" + folder.path());
  EXPECT_EQ(find_nvdisasm("some-nvdisasm").value(), folder / "some-nvdisasm");
}

TEST(FindNvdisasm, IsNotTakenFromTheCurrentFolderByAnEmptyElementOfPath) {
  const TemporaryFolder folder;
  testing::write_script(folder / "some-nvdisasm", "");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const char* elements : {":/nowhere", "/nowhere:", "/nowhere::/nowhere"}) {
    const Variable path("PATH", elements);
    EXPECT_FALSE(find_nvdisasm("some-nvdisasm")) << elements;
  }
  std::filesystem::current_path(before);
}

TEST(FindNvdisasm, DoesNotPassOverOneThatWasAskedFor) {
  const TemporaryFolder folder;
  testing::write(folder / "plain", "not executable");
  for (const std::string& wrong : {folder / "none", folder / "plain", folder.path(), std::string("no-such-nvdisasm")}) {
    const auto path = find_nvdisasm(wrong);
    ASSERT_FALSE(path) << wrong;
    EXPECT_EQ(path.error().code, "nvdisasm");
    EXPECT_NE(path.error().text.find("bootstrap"), std::string::npos) << path.error().text;
    EXPECT_NE(path.error().text.find(wrong), std::string::npos);
  }
}

TEST(Disassemble, SaysWhatTheProgramSaid) {
  const TemporaryFolder folder;
  const auto path =
      testing::write_script(folder / "old", "echo 'nvdisasm fatal   : sm_100 is not known' >&2\nexit 3\n");
  EXPECT_THAT(failure_of(disassemble(path, "x.cubin")), IsError("nvdisasm", HasSubstr("sm_100 is not known")));
  EXPECT_FALSE(disassemble(folder / "none", "x.cubin"));
  EXPECT_FALSE(nvdisasm_version(path));
}

TEST(Disassemble, PassesThePathAsOneArgument) {
  const TemporaryFolder folder;
  const auto path = testing::write_script(folder / "echo", "for a in \"$@\"; do echo \"<$a>\"; done\n");
  EXPECT_EQ(disassemble(path, "a $(b) 'c'.cubin").value(), "<-hex>\n<-c>\n<-ndf>\n<a $(b) 'c'.cubin>\n");
}

TEST(NvdisasmIdentity, ChangesWithTheFile) {
  const TemporaryFolder folder;
  const auto path = testing::write_script(folder / "one", "");
  const std::string before = nvdisasm_identity(path);
  EXPECT_EQ(nvdisasm_identity(path), before);
  testing::write_script(path, "exit 1\n");
  EXPECT_NE(nvdisasm_identity(path), before);
}

}  // namespace
}  // namespace warpclock
