#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

namespace warpclock {

namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  void reset(int fd = -1) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

// Close-on-exec, so that children started at the same time by other threads do not hold each other's pipes open.
bool make_pipe(Descriptor& read_end, Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  return true;
}

// A file in memory rather than a pipe: nobody has to feed it while output is read, and a child that never reads its
// input cannot cause a SIGPIPE here.
bool make_input(Descriptor& input, const std::string& text) {
  input.reset(text.empty() ? open("/dev/null", O_RDONLY | O_CLOEXEC) : memfd_create("stdin", MFD_CLOEXEC));
  for (std::size_t done = 0; input.get() >= 0 && done < text.size();) {
    const ssize_t count = write(input.get(), text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return input.get() >= 0 && (text.empty() || lseek(input.get(), 0, SEEK_SET) == 0);
}

Expected<pid_t> spawn(const std::vector<std::string>& argv, int in, int out, int err) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return fail("process", fmt::format("cannot start '{}': {}", argv[0], std::strerror(failure)));
  return child;
}

// Milliseconds for poll: -1 without a deadline. Rounded up so that poll does not spin through the last one.
int remaining_ms(const std::optional<Clock::time_point>& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

bool passed(const std::optional<Clock::time_point>& deadline) { return deadline && Clock::now() >= *deadline; }

// Reads both pipes until both are closed. False if the deadline came first.
bool drain(Descriptor& out, Descriptor& err, ProcessResult& result, const std::optional<Clock::time_point>& deadline) {
  std::vector<char> buffer(1 << 16);
  while (out.get() >= 0 || err.get() >= 0) {
    if (passed(deadline)) return false;
    std::array<pollfd, 2> ready{{{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), remaining_ms(deadline)) < 0) continue;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (ready[i].revents == 0) continue;
      Descriptor& pipe = i == 0 ? out : err;
      const ssize_t count = read(pipe.get(), buffer.data(), buffer.size());
      if (count > 0) (i == 0 ? result.out : result.err).append(buffer.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) pipe.reset();
    }
  }
  return true;
}

// The child's wait status, or nothing if the deadline came first. A child may close its output long before it exits.
std::optional<int> await(pid_t child, const std::optional<Clock::time_point>& deadline) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, deadline ? WNOHANG : 0);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return status;
    if (passed(deadline)) return std::nullopt;
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Expected<ProcessResult> run_process(const std::vector<std::string>& argv, const ProcessOptions& options) {
  if (argv.empty() || argv[0].empty()) return fail("process", "no program to start");
  Descriptor input, out, err, child_out, child_err;
  if (!make_pipe(out, child_out) || !make_pipe(err, child_err) || !make_input(input, options.input)) {
    return fail("process", fmt::format("cannot start '{}': {}", argv[0], std::strerror(errno)));
  }
  const auto child = WARPCLOCK_TRY(spawn(argv, input.get(), child_out.get(), child_err.get()));
  child_out.reset();
  child_err.reset();

  std::optional<Clock::time_point> deadline;
  if (options.timeout.count() > 0) deadline = Clock::now() + options.timeout;
  ProcessResult result;
  std::optional<int> status;
  if (drain(out, err, result, deadline)) status = await(child, deadline);
  if (!status) {
    kill(child, SIGKILL);
    (void)await(child, std::nullopt);
    return fail(ErrorCode::Timeout, fmt::format("'{}' did not end within {} ms", argv[0], options.timeout.count()));
  }
  if (WIFSIGNALED(*status)) {
    result.signal = WTERMSIG(*status);
    result.exit_code = 128 + result.signal;
  } else {
    result.exit_code = WEXITSTATUS(*status);
  }
  return result;
}

}  // namespace warpclock
