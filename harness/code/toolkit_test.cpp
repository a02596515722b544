#include "code/toolkit.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

const std::string major = split(WARPCLOCK_TOOLKIT_VERSION, '.').front();

/// A toolkit in a temporary folder that CUDAToolkit_ROOT names.
class AToolkit : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root() / "lib"); }

  fs::path root() const { return folder_.path(); }

  /// A library that certainly loads: a copy of zlib.
  fs::path add_library(const std::string& name) const {
    Dl_info info{};
    EXPECT_NE(dladdr(reinterpret_cast<void*>(&zlibVersion), &info), 0);
    fs::path path = root() / "lib" / name;
    fs::copy_file(fs::canonical(info.dli_fname), path);
    return path;
  }

  static bool is_loaded(const fs::path& path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr; }

  testing::TemporaryFolder folder_;
  testing::Variable named_{"CUDAToolkit_ROOT", folder_.path()};
};

TEST_F(AToolkit, IsSearchedFirstIfTheEnvironmentNamesIt) { EXPECT_EQ(toolkit_folders().front(), root()); }

TEST_F(AToolkit, IsNotLookedForBesideAProgramThatIsNotOfThePackage) {
  EXPECT_EQ(toolkit_folders(), (std::vector<fs::path>{root(), "/usr/local/cuda"}));
}

TEST_F(AToolkit, GivesALibraryOfTheReleaseAndItsCompanions) {
  const fs::path library = add_library("libwarpclock-probe.so." + major);
  const fs::path companion = add_library("libwarpclock-probe-part.so.9");
  const fs::path other = add_library("libwarpclock-other.so");
  const auto loaded = must(load_library({"libwarpclock-probe.so", "", {"libwarpclock-probe-part.so"}}));
  EXPECT_TRUE(is_loaded(library));
  EXPECT_TRUE(is_loaded(companion));
  EXPECT_FALSE(is_loaded(other));

  const char* (*version)() = nullptr;
  load_function(loaded, "zlibVersion", version);
  ASSERT_NE(version, nullptr);
  EXPECT_STREQ(version(), zlibVersion());
  load_function(loaded, "warpclock_has_no_such_function", version);
  EXPECT_EQ(version, nullptr);
}

TEST_F(AToolkit, IsPassedOverForTheLibraryThatTheProgramWasBuiltWith) {
  const fs::path other = add_library("libwarpclock-built.so." + major);
  const fs::path built_with = add_library("libwarpclock-built-with.so");
  ASSERT_TRUE(load_library({"libwarpclock-built.so", built_with.native(), {}}));
  EXPECT_TRUE(is_loaded(built_with));
  EXPECT_FALSE(is_loaded(other));
}

TEST_F(AToolkit, WithoutTheLibraryIsAnErrorWithTheFix) {
  const auto missing = load_library({"libwarpclock-none.so", "/nowhere/libwarpclock-none.so", {}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "toolkit");
  EXPECT_THAT(missing.error().text, StartsWith("there is no libwarpclock-none.so." + major + "; "));
  EXPECT_THAT(missing.error().text, HasSubstr("CUDAToolkit_ROOT"));
}

TEST_F(AToolkit, WithABrokenLibrarySaysWhatTheLoaderSays) {
  std::ofstream(root() / "lib" / ("libwarpclock-broken.so." + major)) << "no library";
  const Error broken = failure_of(load_library({"libwarpclock-broken.so", "", {}}));
  EXPECT_THAT(broken.text, StartsWith("cannot load libwarpclock-broken.so." + major + " ("));
  EXPECT_THAT(broken.text, HasSubstr("too short"));
}

TEST_F(AToolkit, GivesATool) {
  const Tool tool{.name = "warpclock-tool", .variable = "WARPCLOCK_NO_TOOL", .built_with = "", .fix = "build it"};
  EXPECT_EQ(find_tool(tool, {}).error().text, "there is no warpclock-tool; build it");
  const fs::path program = root() / "bin" / "warpclock-tool";
  fs::create_directories(program.parent_path());
  std::ofstream(program) << "#!/bin/sh\n";
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_EQ(find_tool(tool, {}), program.native());
}

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
