#include "code/toolkit.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <string>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "code/tool.hpp"

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

}  // namespace
}  // namespace warpclock
