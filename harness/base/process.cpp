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

#include "base/lookup.hpp"

namespace warpclock {

void Descriptor::reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

// Closed on exec, so that children started at the same time by other threads do not hold each other's pipes open.
bool make_pipe(Descriptor& read_end, Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  return true;
}

bool write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Expected<pid_t> spawn(const std::string& program, const std::vector<std::string>& argv, int in, int out, int err) {
  auto arguments = mapped(argv, [](const std::string& argument) { return const_cast<char*>(argument.c_str()); });
  arguments.push_back(nullptr);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGCHLD, SIGTERM, SIGHUP}) sigaddset(&defaults, signal);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  // glibc's cannot fail; elsewhere both may be out of memory.
  if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0) {
    return fail("process", "out of memory");
  }
  pid_t pid = -1;
  int failed = 0;
  for (const auto& [from, to] : {std::pair{in, STDIN_FILENO}, {out, STDOUT_FILENO}, {err, STDERR_FILENO}}) {
    if (failed == 0) failed = posix_spawn_file_actions_adddup2(&actions, from, to);
  }
  if (failed == 0) failed = posix_spawnattr_setsigmask(&attributes, &none);
  if (failed == 0) failed = posix_spawnattr_setsigdefault(&attributes, &defaults);
  if (failed == 0) failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (failed == 0) failed = posix_spawnp(&pid, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return fail("process", fmt::format("cannot start '{}': {}", program, std::strerror(failed)));
  return pid;
}

namespace {

using Clock = std::chrono::steady_clock;

// A file in memory rather than a pipe: nobody has to feed it while output is read, and a child that never reads its
// input cannot cause a SIGPIPE here.
bool make_input(Descriptor& input, const std::string& text) {
  input.reset(text.empty() ? open("/dev/null", O_RDONLY | O_CLOEXEC) : memfd_create("stdin", MFD_CLOEXEC));
  return input.get() >= 0 && write_fully(input.get(), text) && (text.empty() || lseek(input.get(), 0, SEEK_SET) == 0);
}

// Milliseconds for poll: -1 without a deadline. Rounded up so that poll does not spin through the last one.
int remaining_ms(const std::optional<Clock::time_point>& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

bool passed(const std::optional<Clock::time_point>& deadline) { return deadline && Clock::now() >= *deadline; }

// Reads both pipes until both are closed. Returns 0, ETIMEDOUT if the deadline came first, or errno of poll.
int drain(Descriptor& out, Descriptor& err, ProcessResult& result, const std::optional<Clock::time_point>& deadline) {
  std::vector<char> buffer(1 << 16);
  while (out.get() >= 0 || err.get() >= 0) {
    if (passed(deadline)) return ETIMEDOUT;
    std::array<pollfd, 2> ready{{{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), remaining_ms(deadline)) < 0) {
      if (errno != EINTR) return errno;
      continue;
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (ready[i].revents == 0) continue;
      Descriptor& pipe = i == 0 ? out : err;
      const ssize_t count = read(pipe.get(), buffer.data(), buffer.size());
      if (count > 0) (i == 0 ? result.out : result.err).append(buffer.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) pipe.reset();
    }
  }
  return 0;
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
  const auto child = WARPCLOCK_TRY(spawn(argv[0], argv, input.get(), child_out.get(), child_err.get()));
  child_out.reset();
  child_err.reset();

  std::optional<Clock::time_point> deadline;
  if (options.timeout.count() > 0) deadline = Clock::now() + options.timeout;
  ProcessResult result;
  const int failed = drain(out, err, result, deadline);
  const std::optional<int> status = failed == 0 ? await(child, deadline) : std::nullopt;
  if (!status) {
    kill(child, SIGKILL);
    (void)await(child, std::nullopt);
    if (failed != 0 && failed != ETIMEDOUT) {
      return fail("process", fmt::format("cannot read from '{}': {}", argv[0], std::strerror(failed)));
    }
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
