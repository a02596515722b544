#include "base/process.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

ProcessResult run(const std::vector<std::string>& argv, const ProcessOptions& options = {}) {
  return must(run_process(argv, options));
}

TEST(Process, ArgumentsReachTheProgramAsTheyAre) {
  const ProcessResult result = run({"printf", "%s|", "a b", "$HOME", "; exit 3", ""});
  EXPECT_EQ(result.out, "a b|$HOME|; exit 3||");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(Process, ANonZeroExitIsAResult) {
  const ProcessResult result = run({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST(Process, ASignalIsNamed) {
  const ProcessResult result = run({"sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
}

TEST(Process, InputAndBothOutputsMayBeLargerThanAPipe) {
  const std::string text(3'000'000, 'x');
  const ProcessResult result = run({"tee", "/dev/stderr"}, {.input = text});
  EXPECT_TRUE(result.out == text) << result.out.size();
  EXPECT_TRUE(result.err == text) << result.err.size();
}

TEST(Process, InputThatNobodyReadsIsNoError) {
  EXPECT_EQ(run({"true"}, {.input = std::string(1'000'000, 'x')}).exit_code, 0);
}

TEST(Process, WithoutInputTheChildSeesItsEnd) { EXPECT_EQ(run({"cat"}).out, ""); }

TEST(Process, AMissingProgramIsAnError) {
  EXPECT_THAT(failure_of(run_process({"/nowhere/nvdisasm", "-c"})), IsError("process", HasSubstr("/nowhere/nvdisasm")));
  EXPECT_FALSE(run_process({}));
  EXPECT_FALSE(run_process({""}));
}

TEST(Process, ATimeoutEndsTheChild) {
  EXPECT_EQ(failure_of(run_process({"sleep", "1000"}, {.timeout = std::chrono::milliseconds(20)})).code, "timeout");
}

TEST(Process, ATimeoutHoldsForAChildThatClosedItsOutput) {
  EXPECT_EQ(
      failure_of(run_process({"sh", "-c", "exec sleep 1000 >&- 2>&-"}, {.timeout = std::chrono::milliseconds(50)}))
          .code,
      "timeout");
}

TEST(Process, AFloodEndsTheChild) {
  EXPECT_THAT(failure_of(run_process({"yes"}, {.timeout = std::chrono::seconds(20), .most_output = 1 << 20})),
              IsError("process", HasSubstr("'yes' wrote more than 1 MiB")));
  const ProcessResult enough = run({"printf", "four"}, {.most_output = 4});
  EXPECT_EQ(enough.out, "four");
}

/// Whether a process is there and at work.
bool at_work(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z" && state != "X";
}

/// From now on, this process cannot read so many bytes at once.
void fail_to_read(unsigned bytes) {
  constexpr unsigned low_of_third = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);
  std::array<sock_filter, 6> filter = {
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 0, 3), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_of_third),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, bytes, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

// What was read until then would be taken for all that the program said.
TEST(Process, OutputThatCannotBeReadIsAnError) {
  EXPECT_EXIT(
      {
        fail_to_read(1 << 16);  // of the pipes
        const auto ran = run_process({"echo", "all"});
        std::cerr << (ran ? "read: " + ran->out : ran.error().message());
        std::_Exit(ran ? 0 : 2);
      },
      ::testing::ExitedWithCode(2), "cannot read from 'echo': Input/output error");
}

TEST(Process, AGrandchildThatHoldsThePipesIsNotWaitedFor) {
  const ProcessResult result = run({"sh", "-c", "sleep 1000 & echo $!"}, {.timeout = std::chrono::seconds(20)});
  const pid_t grandchild = std::stoi(result.out);
  EXPECT_TRUE(at_work(grandchild));
  kill(grandchild, SIGKILL);
}

// Not a test by itself: a parent whose child says its number and kills it.
TEST(Process, DISABLED_IsKilledByItsChild) {
  run({"sh", "-c", "echo $$ > \"$0\"; kill -KILL $PPID; exec sleep 1000", std::getenv("WARPCLOCK_TEST_PID_FILE")});
}

TEST(Process, NoChildOutlivesItsParent) {
  const testing::TemporaryFolder folder;
  const testing::Variable file("WARPCLOCK_TEST_PID_FILE", folder / "pid");
  const ProcessResult parent =
      run({"/proc/self/exe", "--gtest_also_run_disabled_tests", "--gtest_filter=Process.DISABLED_IsKilledByItsChild"},
          {.timeout = std::chrono::seconds(60)});
  EXPECT_EQ(parent.signal, SIGKILL);
  pid_t child = 0;
  std::ifstream(folder / "pid") >> child;
  ASSERT_GT(child, 0);
  constexpr int most_looks = 1000;
  int looks = 0;
  while (at_work(child) && ++looks < most_looks) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LT(looks, most_looks);
  if (looks == most_looks) kill(child, SIGKILL);
}

TEST(Process, ChildrenDoNotInheritEachOthersPipes) {
  std::string marker = ::testing::TempDir() + "warpclock-process-XXXXXX";
  const int file = mkstemp(marker.data());
  ASSERT_GE(file, 0);
  close(file);
  const std::vector<std::string> list = {"ls", "/proc/self/fd"};
  const std::string alone = run(list).out;

  const std::string started = marker + ".started";
  std::thread other([&] {
    run({"sh", "-c", "touch \"$1\"; while [ -e \"$0\" ]; do sleep 0.01; done", marker, started});
  });
  while (access(started.c_str(), F_OK) != 0) std::this_thread::yield();
  EXPECT_EQ(run(list).out, alone);
  unlink(marker.c_str());
  other.join();
  unlink(started.c_str());
}

TEST(Process, ManyAtOnceKeepTheirOutputsApart) {
  constexpr int count = 16;
  std::vector<std::string> outputs(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&outputs, i] {
      const Expected<ProcessResult> result = run_process({"sh", "-c", "cat"}, {.input = std::to_string(i)});
      if (result) outputs[static_cast<std::size_t>(i)] = result->out;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < count; ++i) EXPECT_EQ(outputs[static_cast<std::size_t>(i)], std::to_string(i));
}

}  // namespace
}  // namespace warpclock
