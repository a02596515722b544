#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

using testing::Process;
using testing::TemporaryFolder;
using testing::Variable;

/// A kernel on which NVRTC works for minutes.
std::string endless_kernel() {
  std::string conditions;
  for (int i = 0; i < 20'000; ++i) conditions += "if (*p) ";
  return "extern \"C\" __global__ void k(int* p) { " + conditions + "*p = 1; }\n";
}

std::string nested(int depth) {
  const auto each = static_cast<std::size_t>(depth);
  return "extern \"C\" __global__ void k(int* p) { *p = " + std::string(each, '(') + "1" + std::string(each, ')') +
         "; }\n";
}

/// Processes that know this folder from their environment, and the compilers among them.
std::vector<Process> marked_by(const TemporaryFolder& folder) {
  auto all = testing::processes();
  std::erase_if(all, [&](const Process& one) {
    return one.environment.find("WARPCLOCK_TEST_MARK=" + folder.path()) == std::string::npos;
  });
  return all;
}

bool is_compiler(const Process& one) { return one.command.find("compiler") != std::string::npos; }

/// Starts `inspect` of a kernel that takes minutes, and sends it a signal once the compiler works. How it ended.
int ended_by(int signal) {
  const TemporaryFolder folder;
  const Variable mark("WARPCLOCK_TEST_MARK", folder.path());
  testing::write(folder / "a.cu", endless_kernel());
  Descriptor out(open((folder / "out").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  const pid_t program =
      must(spawn(WARPCLOCK_PROGRAM, {"warpclock", "inspect", folder / "a.cu", "--reports", testing::cut_reports},
                 out.get(), out.get(), out.get()));
  EXPECT_TRUE(testing::soon([&] { return std::ranges::any_of(marked_by(folder), is_compiler); }));
  kill(program, signal);
  int status = 0;
  waitpid(program, &status, 0);
  EXPECT_TRUE(testing::soon([&] { return marked_by(folder).empty(); })) << "the compiler is left";
  return status;
}

TEST(CompilerProcess, EndsWithTheProgramHoweverThatEnds) {
  // Background commands of a shell ignore it, and so do their children.
  std::signal(SIGINT, SIG_DFL);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const int status = ended_by(signal);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << ": " << status;
  }
}

TEST(CompilerProcess, DeepNestingDoesNotEndTheProgram) {
  const TemporaryFolder folder;
  testing::write(folder / "a.cu", nested(20'000));
  const auto ran =
      run_process({WARPCLOCK_PROGRAM, "inspect", folder / "a.cu", "--reports", testing::cut_reports}).value();
  EXPECT_EQ(ran.signal, 0) << ran.err;
}

TEST(CompilerProcess, IsForTheProgramAlone) {
  const auto ran = run_process({WARPCLOCK_PROGRAM, "compiler"}).value();
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("this command is for warpclock itself"));
}

}  // namespace
}  // namespace warpclock
