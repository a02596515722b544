#include "gpu/worker/worker.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <semaphore>
#include <sstream>
#include <thread>

#include "base/testing/matchers.hpp"
#include "gpu/worker/protocol.hpp"

namespace warpclock {
namespace {

using namespace std::chrono_literals;

std::string hello() {
  DeviceFacts device;
  device.name = "Fake";
  device.pci = "0000:5f:00.0";
  return to_line(HelloEvent{device, "", {}, 0});
}

std::string good_line(const std::string& id) {
  Observation seen;
  seen.samples = {{16, {64}}};
  return to_line(ResultEvent{id, seen});
}

// A worker that is a shell script: `$hello` is its greeting, `$good` the answer to job "a", and "$line" the last line
// it read.
WorkerOptions script(const std::string& body) {
  return {.command = {"/bin/sh", "-c", "hello='" + hello() + "'; good='" + good_line("a") + "'; " + body},
          .case_timeout = 20s,
          .start_timeout = 20s,
          .retry_for = 600ms};
}

// Greets, then answers every job well except those whose id contains `word`: for these it does `deed`.
WorkerOptions script_with(const std::string& word, const std::string& deed) {
  return script("echo \"$hello\"; while read -r line; do case \"$line\" in *" + word + "*) " + deed +
                ";; *) echo \"$good\";; esac; done");
}

Job job(const std::string& id) {
  Job job;
  job.id = id;
  return job;
}

TEST(Worker, KeepsTheLastComparisonOfTheClocksAndTheHighestPower) {
  Observation first, last;
  first.timer = {.ratio = 0.9999, .error = 1e-4, .seconds = 1};
  first.board_w = 650;
  last.timer = {.ratio = 0.99998, .error = 1e-6, .seconds = 60};
  last.board_w = 120;
  auto worker =
      must(Worker::start(script("echo \"$hello\"; read -r line; echo '" + to_line(ResultEvent{"1", first}) +
                                "'; read -r line; echo '" + to_line(ResultEvent{"2", last}) +
                                "'; read -r line; echo '" + to_line(ResultEvent{"3", {}}) + "'; read -r line")));
  for (const char* id : {"1", "2", "3"}) EXPECT_TRUE(worker.run(job(id)));
  EXPECT_EQ(worker.timer(), last.timer);
  EXPECT_EQ(worker.most_power_w(), 650);
}

TEST(Worker, WatchesTheGpuThatItsProcessOpened) {
  WorkerOptions options = script("echo \"$hello\"; read -r line");
  std::string watched;
  options.watch = [&](const std::string& pci) -> Expected<GpuWatch> {
    watched = pci;
    return fail("no-nvml", "there is none");
  };
  EXPECT_EQ(must(Worker::start(options)).gpu_events(), GpuEvents());
  EXPECT_EQ(watched, "0000:5f:00.0");
}

TEST(Worker, RunsJobsInOneProcess) {
  auto worker = must(Worker::start(script_with("never", "exit")));
  EXPECT_EQ(worker.device().name, "Fake");
  EXPECT_EQ(worker.counters_missing(), "");
  const pid_t pid = worker.pid();
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(must(worker.run(job("a"))).samples, SizeIs(1));
  }
  EXPECT_EQ(worker.pid(), pid);
}

TEST(Worker, TellsItsProgramToLeaveCountersAlone) {
  const std::string name_itself = "echo \"$hello\" | sed \"s|Fake|$0|\"; cat > /dev/null";
  WorkerOptions options = script(name_itself);
  EXPECT_EQ(Worker::start(options).value().device().name, "/bin/sh");
  options.counters = false;
  EXPECT_EQ(Worker::start(options).value().device().name, "--no-counters");
}

TEST(Worker, PassesOnTheJobsErrorAndKeepsTheProcess) {
  const std::string error = to_line(ErrorEvent{"bad", {"launch", "too many threads", ""}});
  auto worker = Worker::start(script_with("bad", "echo '" + error + "'")).value();
  const pid_t pid = worker.pid();
  EXPECT_THAT(failure_of(worker.run(job("bad"))), IsError("launch", "too many threads"));
  EXPECT_TRUE(worker.run(job("a")));
  EXPECT_EQ(worker.pid(), pid);
}

struct Mishap {
  const char* name;
  const char* deed;
  const char* code;
  const char* text;
};

void PrintTo(const Mishap& mishap, std::ostream* out) { *out << mishap.name; }

class WorkerMishap : public testing::TestWithParam<Mishap> {};

TEST_P(WorkerMishap, FailsItsCaseAndNoOther) {
  auto options = script_with("bad", GetParam().deed);
  if (std::string(GetParam().code) == "watchdog") options.case_timeout = 500ms;
  auto worker = must(Worker::start(options));
  const pid_t pid = worker.pid();
  ASSERT_TRUE(worker.run(job("a")));
  EXPECT_THAT(failure_of(worker.run(job("bad"))), IsError(GetParam().code, HasSubstr(GetParam().text)));
  EXPECT_NE(kill(pid, 0), 0) << "the old worker must be gone before a new one starts";
  const auto next = worker.run(job("a"));
  EXPECT_TRUE(next) << next.error().message();
  EXPECT_NE(worker.pid(), pid);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WorkerMishap,
    testing::Values(
        Mishap{"Hangs", "exec sleep 600", "watchdog", "no answer in 0.5 s"},
        Mishap{"ClosesItsOutputAndHangs", "exec >&- <&-; exec sleep 600", "worker-died", "was killed by SIGKILL"},
        Mishap{"SegmentationFault", "kill -SEGV $$", "worker-died", "was killed by SIGSEGV"},
        Mishap{"KilledWithLastWords", "echo out of luck >&2; kill -KILL $$", "worker-died",
               "was killed by SIGKILL; it last wrote: out of luck"},
        Mishap{"KilledWhileItsChildLives", "sleep 60 & kill -KILL $$", "worker-died", "was killed by SIGKILL"},
        Mishap{"ExitsWithThree", "exit 3", "worker-died", "exited with status 3"},
        Mishap{"ExitsWithZero", "exit 0", "worker-died", "exited with status 0"},
        Mishap{"Garbage", "echo garbage", "protocol", "garbage"},
        Mishap{"Binary", "printf '\\377\\000\\n'", "protocol", "killed"},
        Mishap{"AnswersAnotherJob", "echo \"$good\"", "protocol", "something else"},  // job a's answer
        Mishap{"GreetsAgain", "echo \"$hello\"", "protocol", "something else"},
        Mishap{"Faults",
               "echo '{\"event\":\"fatal\",\"error\":{\"code\":\"fault\",\"place\":\"\",\"text\":\"illegal "
               "address\"}}'; exit 1",
               "fault", "illegal address"}),
    [](const auto& tested) { return std::string(tested.param.name); });

std::string error_line(const std::string& id) { return to_line(ErrorEvent{id, {"launch", "it is " + id, ""}}); }

// Answers only after it has read three jobs. If two were not sent ahead, the watchdog would end the first one.
TEST(Worker, HasTheNextJobsAtHandWhileItRunsOne) {
  auto options = script("echo \"$hello\"; read -r one; read -r two; read -r three; echo '" + error_line("1") +
                        "'; echo '" + error_line("2") + "'; echo '" + error_line("3") + "'; read -r line");
  options.case_timeout = 5s;
  auto worker = Worker::start(options).value();
  worker.post(job("1"));
  worker.post(job("2"));
  worker.post(job("3"));
  EXPECT_EQ(worker.posted(), 3U);
  EXPECT_EQ(worker.take().error().text, "it is 1");
  EXPECT_EQ(worker.take().error().text, "it is 2");
  EXPECT_EQ(worker.run(job("4")).error().code, "protocol") << "one was posted and not taken";
  EXPECT_EQ(worker.take().error().text, "it is 3");
  EXPECT_EQ(worker.posted(), 0U);
  EXPECT_EQ(worker.take().error().code, "protocol");
}

TEST(Worker, AJobThatWasSentAheadIsRunByTheNextProcess) {
  for (const char* deed : {"exec sleep 600", "kill -SEGV $$", "echo garbage"}) {
    auto options = script_with("bad", deed);
    options.case_timeout = 500ms;
    auto worker = Worker::start(options).value();
    const pid_t pid = worker.pid();
    worker.post(job("bad"));
    worker.post(job("a"));
    EXPECT_FALSE(worker.take()) << deed;
    const auto next = worker.take();
    EXPECT_TRUE(next) << deed << ": " << next.error().message();
    EXPECT_NE(worker.pid(), pid);
  }
}

TEST(Worker, AJobTooLongToSendAheadIsSentWhenItIsItsTurn) {
  auto worker = Worker::start(script_with("never", "exit")).value();
  Job large = job("a");
  large.cubin_path.assign(1 << 20, 'x');
  for (int i = 0; i < 3; ++i) worker.post(large);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(worker.take());
}

TEST(Worker, AKillFromOutsideBetweenJobsCostsNoJob) {
  auto worker = Worker::start(script_with("never", "exit")).value();
  ASSERT_TRUE(worker.run(job("a")));
  kill(worker.pid(), SIGKILL);
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(worker.run(job("a")));
}

TEST(Worker, AKillFromOutsideInAJobIsThatJobsError) {
  auto worker = Worker::start(script_with("bad", "exec sleep 600")).value();
  std::thread killer([pid = worker.pid()] {
    std::this_thread::sleep_for(200ms);
    kill(pid, SIGTERM);
  });
  const auto seen = worker.run(job("bad"));
  killer.join();
  EXPECT_THAT(failure_of(seen), IsError("worker-died", HasSubstr("SIGTERM")));
  EXPECT_TRUE(worker.run(job("a")));
}

TEST(Worker, AFloodOnStandardErrorDoesNotBlock) {
  auto worker = Worker::start(script_with("bad", "head -c 300000 /dev/zero | tr '\\0' x >&2; exit 1")).value();
  const Error seen = failure_of(worker.run(job("bad")));
  EXPECT_EQ(seen.code, "worker-died");
  EXPECT_LT(seen.text.size(), 1000U);
  EXPECT_THAT(seen.text, HasSubstr("xxxx"));
}

TEST(Worker, StartReportsWhatTheWorkerSays) {
  const std::string fatal = to_line(FatalEvent{{"no-driver", "the NVIDIA driver is not installed", ""}});
  EXPECT_EQ(failure_of(Worker::start(script("echo '" + fatal + "'"))).code, "no-driver");
  EXPECT_EQ(Worker::start(script("echo nonsense")).error().code, "protocol");
  EXPECT_EQ(Worker::start(script("echo \"$good\"")).error().code, "protocol");
  EXPECT_EQ(Worker::start(script("exit 4")).error().code, "worker-died");
  EXPECT_EQ(Worker::start({.command = {"/nonexistent/worker"}}).error().code, "process");
}

TEST(Worker, IsLostWhenNoNewOneStarts) {
  const std::string flag = testing::TempDir() + "worker_test_started" + std::to_string(getpid());
  std::filesystem::remove(flag);
  auto worker =
      Worker::start(script("[ -e " + flag + " ] && exit 5; touch " + flag + "; echo \"$hello\"; read -r line; exit 1"))
          .value();
  EXPECT_EQ(worker.run(job("a")).error().code, "worker-died");
  const auto lost = worker.run(job("a"));
  EXPECT_THAT(failure_of(lost), IsError("device-lost", HasSubstr("status 5")));
  std::filesystem::remove(flag);
  EXPECT_EQ(worker.run(job("a")).error().code, "device-lost");  // at once, although a new worker could start by now
  std::filesystem::remove(flag);
}

TEST(Worker, TriesAgainWhileTheDeviceIsBusy) {
  const std::string flag = testing::TempDir() + "worker_test_busy" + std::to_string(getpid());
  std::filesystem::remove(flag);
  // The first start greets and dies, the second fails, the third works.
  auto options =
      script("if [ ! -e " + flag + " ]; then echo 1 > " + flag + "; echo \"$hello\"; read -r line; exit 1; fi; " +
             "if [ $(cat " + flag + ") = 1 ]; then echo 2 > " + flag + "; exit 1; fi; " +
             "echo \"$hello\"; while read -r line; do echo \"$good\"; done");
  options.retry_for = 10s;
  auto worker = Worker::start(options).value();
  EXPECT_EQ(worker.run(job("a")).error().code, "worker-died");
  EXPECT_TRUE(worker.run(job("a")));
  std::filesystem::remove(flag);
}

TEST(Worker, TakesTheWatchdogFromTheEnvironment) {
  setenv("WARPCLOCK_WATCHDOG_S", "0.3", 1);
  auto options = script_with("bad", "exec sleep 600");
  options.case_timeout = 0ms;
  auto worker = Worker::start(options).value();
  EXPECT_THAT(worker.run(job("bad")).error().text, HasSubstr("0.3 s"));
  for (const char* bad : {"soon", "-1", "0", "1e9", "nan", "5s"}) {
    setenv("WARPCLOCK_WATCHDOG_S", bad, 1);
    EXPECT_EQ(Worker::start(options).error().code, "usage") << bad;
  }
  unsetenv("WARPCLOCK_WATCHDOG_S");
}

/// An input that has nothing to read after its text, until it is ended.
class OpenEnded : public std::stringbuf {
 public:
  using std::stringbuf::stringbuf;
  void end() { ended_.release(); }

 private:
  int_type underflow() override {
    const int_type next = std::stringbuf::underflow();
    if (next == traits_type::eof()) ended_.acquire();
    return next;
  }
  std::binary_semaphore ended_{0};
};

TEST(Serve, AnswersEachJob) {
  std::istringstream in(to_line(job("a")) + "\n" + to_line(job("b")) + "\n");
  std::vector<std::string> out;
  EXPECT_TRUE(serve(
      in, [&](const std::string& line) { out.push_back(line); },
      [](const Job& j) -> Expected<Observation> {
        if (j.id == "b") return fail("launch", "no");
        return Observation{};
      },
      [] { FAIL() << "the input ends by itself"; }));
  EXPECT_THAT(out, ElementsAre(to_line(ResultEvent{"a", {}}), to_line(ErrorEvent{"b", {"launch", "no", ""}})));
}

TEST(Serve, EndsAfterAFaultAndAfterNonsense) {
  std::vector<std::string> out;
  const auto write = [&](const std::string& line) { out.push_back(line); };
  OpenEnded buffer(to_line(job("a")) + "\n");
  std::istream in(&buffer);
  EXPECT_FALSE(serve(
      in, write, [](const Job&) -> Expected<Observation> { return fail("fault", "gone"); }, [&] { buffer.end(); }));
  EXPECT_THAT(out, ElementsAre(to_line(FatalEvent{{"fault", "gone", ""}})));
  out.clear();
  std::istringstream nonsense("hi\n");
  EXPECT_FALSE(serve(
      nonsense, write, [](const Job&) -> Expected<Observation> { return Observation{}; }, [] {}));
  ASSERT_THAT(out, SizeIs(1));
  EXPECT_EQ(std::get<FatalEvent>(parse_event(out[0]).value()).error.code, "protocol");
}

}  // namespace
}  // namespace warpclock
