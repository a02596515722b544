#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

/// The command line that starts the program by a loader that ignores LD_LIBRARY_PATH and the folders in this system's
/// ld.so.conf, as on a machine whose only CUDA Toolkit is the one that bootstrap fetched. Empty if there is no such
/// loader.
std::vector<std::string> on_a_bare_machine(std::vector<std::string> arguments) {
  for (const char* loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"}) {
    if (!std::filesystem::exists(loader)) continue;
    std::vector<std::string> argv = {"env", "-u", "LD_LIBRARY_PATH", loader, "--inhibit-cache", WARPCLOCK_PROGRAM};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return argv;
  }
  return {};
}

TEST(OnABareMachine, NvrtcFindsItsBuiltinsBesideIt) {
  const testing::TemporaryFolder cache;
  const auto argv =
      on_a_bare_machine({"verify", "baseline/empty", "--quick", "--arch", "sm_90a", "--cache", cache.path()});
  if (argv.empty()) GTEST_SKIP() << "an unknown loader";
  const auto ran = must(run_process(argv));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST(OnABareMachine, CuptiFindsItsHostLibraryBesideIt) {
  const auto argv = on_a_bare_machine({"doctor"});
  if (argv.empty()) GTEST_SKIP() << "an unknown loader";
  const auto ran = must(run_process(argv));
  EXPECT_THAT(ran.out, HasSubstr("CUPTI knows "));
  EXPECT_THAT(ran.out, Not(HasSubstr("CUPTI knows 0 chips")));
}

}  // namespace
}  // namespace warpclock
