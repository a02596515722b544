#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text.hpp"

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

/// Reads what a child writes.
class Output {
 public:
  Output(Descriptor out, Descriptor err, ProcessResult& result, std::size_t most)
      : pipes_{std::move(out), std::move(err)}, texts_{&result.out, &result.err}, most_(most) {
    for (const Descriptor& pipe : pipes_) fcntl(pipe.get(), F_SETFL, fcntl(pipe.get(), F_GETFL) | O_NONBLOCK);
  }

  [[nodiscard]] bool open() const { return pipes_[0].get() >= 0 || pipes_[1].get() >= 0; }
  [[nodiscard]] std::size_t size() const { return texts_[0]->size() + texts_[1]->size(); }
  [[nodiscard]] bool too_much() const { return size() > most_; }

  /// Waits for at most so long, and takes what is there. False if it cannot wait, see errno.
  bool take(int wait_ms) {
    std::array<pollfd, 2> ready{{{pipes_[0].get(), POLLIN, 0}, {pipes_[1].get(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), wait_ms) < 0) return errno == EINTR;
    for (std::size_t i = 0; i < ready.size(); ++i)
      if (ready[i].revents != 0) take_from(i);
    return true;
  }

 private:
  void take_from(std::size_t i) {
    const ssize_t count = read(pipes_[i].get(), buffer_.data(), buffer_.size());
    if (count > 0) texts_[i]->append(buffer_.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) pipes_[i].reset();
  }

  std::array<Descriptor, 2> pipes_;
  std::array<std::string*, 2> texts_;
  std::size_t most_;
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
};

enum class Ending { Ended, Late, Flooded, Broken };

/// The child's wait status, if it has ended.
std::optional<int> ended(pid_t child, int options) {
  int status = 0;
  pid_t pid = 0;
  do {
    pid = waitpid(child, &status, options);
  } while (pid < 0 && errno == EINTR);
  return pid == 0 ? std::nullopt : std::optional(status);
}

/// Reads what the child writes until it has ended. It may close its output long before.
Ending follow(pid_t child, Output& output, const std::optional<Clock::time_point>& deadline, int& status) {
  constexpr int look_ms = 20, closed_ms = 1;
  std::optional<int> done;
  while (!(done = ended(child, WNOHANG))) {
    if (passed(deadline)) return Ending::Late;
    const int left = remaining_ms(deadline), wait = output.open() ? look_ms : closed_ms;
    if (!output.take(left < 0 ? wait : std::min(left, wait))) return Ending::Broken;
    if (output.too_much()) return Ending::Flooded;
  }
  status = *done;
  // What it wrote is in the pipes. They may stay open: a process that it started can hold them for as long as it likes.
  for (std::size_t before = output.size() + 1; before != output.size();) {
    before = output.size();
    if (!output.take(0)) return Ending::Broken;
    if (output.too_much()) return Ending::Flooded;
  }
  return Ending::Ended;
}

std::unexpected<Error> stopped(const std::string& program, Ending ending, const ProcessOptions& options, int number) {
  if (ending == Ending::Late)
    return fail(ErrorCode::Timeout, fmt::format("'{}' did not end within {} ms", program, options.timeout.count()));
  if (ending == Ending::Flooded)
    return fail("process", fmt::format("'{}' wrote more than {}", program, human_bytes(options.most_output)));
  return fail("process", fmt::format("cannot read from '{}': {}", program, std::strerror(number)));
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
  Output output(std::move(out), std::move(err), result, options.most_output);
  int status = 0;
  if (const Ending ending = follow(child, output, deadline, status); ending != Ending::Ended) {
    const int number = errno;
    kill(child, SIGKILL);
    static_cast<void>(ended(child, 0));
    return stopped(argv[0], ending, options, number);
  }
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
    result.exit_code = 128 + result.signal;
  } else {
    result.exit_code = WEXITSTATUS(status);
  }
  return result;
}

}  // namespace warpclock
