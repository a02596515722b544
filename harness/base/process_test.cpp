#include "base/process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

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
