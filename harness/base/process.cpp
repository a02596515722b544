#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/lookup.hpp"
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

  /// Waits for at most so long, and takes what is there. False if it cannot wait or read, see errno: what follows would
  /// look like all that there is.
  bool take(int wait_ms) {
    std::array<pollfd, 2> ready{{{pipes_[0].get(), POLLIN, 0}, {pipes_[1].get(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), wait_ms) < 0) return errno == EINTR;
    for (std::size_t i = 0; i < ready.size(); ++i)
      if (ready[i].revents != 0 && !take_from(i)) return false;
    return true;
  }

 private:
  bool take_from(std::size_t i) {
    const ssize_t count = read(pipes_[i].get(), buffer_.data(), buffer_.size());
    if (count > 0) texts_[i]->append(buffer_.data(), static_cast<std::size_t>(count));
    if (count == 0) pipes_[i].reset();
    return count >= 0 || errno == EINTR || errno == EAGAIN;
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

namespace {

/// What a child is made of. All of it is there before it starts: until it has its program, it has the memory of this
/// process, with whatever locks other threads hold there.
struct Image {
  std::vector<std::string> candidates;  ///< paths of the program, tried in order
  std::vector<char*> arguments;         ///< ends with a null pointer
  std::array<int, 3> descriptors{};     ///< its standard input, output and error
  pid_t parent = 0;
  int report = -1;  ///< where the child says why it could not start
  bool own_group = false;
};

/// The paths that a name may have. A name without a slash is looked for in PATH.
std::vector<std::string> candidates_of(const std::string& program) {
  if (program.contains('/')) return {program};
  const char* path = std::getenv("PATH");
  return mapped(split(path == nullptr ? "/bin:/usr/bin" : path, ':'),
                [&](const std::string& folder) { return (folder.empty() ? "." : folder) + "/" + program; });
}

[[noreturn]] void give_up(const Image& image, int number) {
  // Nothing can be done if even that fails.
  [[maybe_unused]] const ssize_t written = write(image.report, &number, sizeof number);
  _exit(127);
}

/// Signals that the parent handles or ignores would be handled, or stay ignored.
void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    const bool ignored = action.sa_handler == SIG_IGN;
    const bool stays = signal != SIGPIPE && signal != SIGCHLD && signal != SIGTERM && signal != SIGHUP;
    if (action.sa_handler == SIG_DFL || (ignored && stays)) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
}

/// Gives the child its standard descriptors, from descriptors that may have their numbers.
bool take_descriptors(std::array<int, 3> from) {
  constexpr int first_other = 3;
  for (int& descriptor : from) {
    if (descriptor < first_other) descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, first_other);
    if (descriptor < 0) return false;
  }
  for (int to = 0; to < first_other; ++to)
    if (dup2(from[static_cast<std::size_t>(to)], to) < 0) return false;
  return true;
}

/// The child's way from its start to its program. Only calls that are safe there.
[[noreturn]] void become(const Image& image) {
  if (image.own_group) {
    if (setpgid(0, 0) != 0) give_up(image, errno);
  } else {
    // A parent that died before this was in force is no longer the parent.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(image, errno);
    if (getppid() != image.parent) _exit(127);
  }
  reset_signals();
  if (!take_descriptors(image.descriptors)) give_up(image, errno);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  int number = ENOENT;
  for (const std::string& path : image.candidates) {
    execve(path.c_str(), image.arguments.data(), environ);
    if (errno != ENOENT && errno != ENOTDIR) number = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
  }
  give_up(image, number);
}

/// Starts a child with all signals blocked, so that no handler of the parent runs in it. A copy of the memory, as fork
/// makes it, takes 26 ms of a process with 250 MB, most of it for the pages that it writes later.
pid_t start(const Image& image) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t pid = vfork();    // NOLINT(clang-analyzer-security.insecureAPI.vfork): posix_spawn has no death signal
  if (pid == 0) become(image);  // NOLINT(clang-analyzer-unix.Vfork): it writes to its own frames only
  const int number = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = number;
  return pid;
}

/// Why the child could not start; 0 if it did.
int reported(int descriptor) {
  int number = 0;
  ssize_t count = 0;
  do {
    count = read(descriptor, &number, sizeof number);
  } while (count < 0 && errno == EINTR);
  return count == sizeof number ? number : 0;
}

}  // namespace

Expected<pid_t> spawn(const std::string& program, const std::vector<std::string>& argv, int in, int out, int err,
                      bool own_group) {
  const auto failed = [&](int number) {
    return fail("process", fmt::format("cannot start '{}': {}", program, std::strerror(number)));
  };
  Descriptor report, child_report;
  if (!make_pipe(report, child_report)) return failed(errno);
  Image image{candidates_of(program),
              mapped(argv, [](const std::string& argument) { return const_cast<char*>(argument.c_str()); }),
              {in, out, err},
              getpid(),
              child_report.get(),
              own_group};
  image.arguments.push_back(nullptr);
  const pid_t pid = start(image);
  if (pid < 0) return failed(errno);
  child_report.reset();
  const int number = reported(report.get());
  if (number == 0) return pid;
  waitpid(pid, nullptr, 0);
  return failed(number);
}

namespace {

constexpr std::size_t longest_line = 256 << 20;
constexpr std::chrono::milliseconds look_for_death_every{100};
constexpr std::size_t kept_words = 4096;
constexpr std::size_t told_words = 600;

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* name = sigabbrev_np(signal);
    return name != nullptr ? fmt::format("was killed by SIG{}", name) : fmt::format("was killed by signal {}", signal);
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace

Expected<Child> Child::start(const std::string& path, const std::vector<std::string>& argv, Group group) {
  std::array<int, 2> ends{-1, -1};
  const int made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
  Descriptor channel(ends[0]), child_channel(ends[1]), errors, child_errors;
  if (made != 0 || !make_pipe(errors, child_errors)) {
    return fail("process", fmt::format("cannot start '{}': {}", path, strerror(errno)));
  }
  const pid_t pid = WARPCLOCK_TRY(
      spawn(path, argv, child_channel.get(), child_channel.get(), child_errors.get(), group == Group::Own));
  setsockopt(channel.get(), SOL_SOCKET, SO_SNDBUF, &child_buffer_bytes, sizeof child_buffer_bytes);
  for (const int fd : {channel.get(), errors.get()}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return Child(pid, group, std::move(channel), std::move(errors));
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(group_, other.group_);
  std::swap(channel_, other.channel_);
  std::swap(errors_, other.errors_);
  std::swap(status_, other.status_);
  std::swap(unread_, other.unread_);
  std::swap(words_, other.words_);
  return *this;
}

Child::~Child() {
  if (pid_ > 0) end(std::chrono::milliseconds(0));
}

void Child::drain_errors() {
  std::array<char, 4096> buffer;
  ssize_t got = 0;
  while (errors_.get() >= 0 && (got = read(errors_.get(), buffer.data(), buffer.size())) > 0) {
    words_.append(buffer.data(), static_cast<std::size_t>(got));
    if (words_.size() > 2 * kept_words) words_.erase(0, words_.size() - kept_words);
  }
  if (got == 0) errors_.reset();
}

Expected<void> Child::wait_for(short events, Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return fail(ErrorCode::Timeout, "no answer in time");
    std::array<pollfd, 2> fds = {{{channel_.get(), events, 0}, {errors_.get(), POLLIN, 0}}};
    const auto slice = std::min<std::int64_t>(left.count(), look_for_death_every.count());
    const int ready = poll(fds.data(), fds.size(), static_cast<int>(slice));
    if (ready < 0 && errno != EINTR) return fail(ErrorCode::Closed, strerror(errno));
    // A process started by the child may still hold its output open. What the child wrote before it ended counts.
    if (ready == 0 && !running() && poll(fds.data(), 1, 0) == 0) return fail(ErrorCode::Closed, "the process ended");
    if (ready <= 0) continue;
    // A child that fills its error pipe would block forever.
    if (fds[1].revents != 0) drain_errors();
    if (fds[0].revents != 0) return {};
  }
}

Expected<void> Child::send(const std::string& line, Deadline deadline) {
  const std::string text = line + '\n';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t done = ::send(channel_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (done >= 0) {
      sent += static_cast<std::size_t>(done);
    } else if (errno == EAGAIN) {
      WARPCLOCK_TRY(wait_for(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return fail(ErrorCode::Closed, strerror(errno));
    }
  }
  return {};
}

Expected<std::string> Child::receive(Deadline deadline) {
  std::array<char, 65536> buffer;
  for (std::size_t searched = 0;;) {
    if (const auto at = unread_.find('\n', searched); at != std::string::npos) {
      std::string line = unread_.substr(0, at);
      unread_.erase(0, at + 1);
      return line;
    }
    searched = unread_.size();
    if (searched > longest_line) return fail("protocol", "a line without end");
    WARPCLOCK_TRY(wait_for(POLLIN, deadline));
    const ssize_t got = read(channel_.get(), buffer.data(), buffer.size());
    if (got > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return fail(ErrorCode::Closed, got == 0 ? "end of output" : strerror(errno));
    }
  }
}

bool Child::reap(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (pid_ > 0 && !status_) {
    int status = 0;
    const pid_t done = waitpid(pid_, &status, WNOHANG);
    if (done == pid_ || (done < 0 && errno != EINTR)) {
      status_ = done == pid_ ? status : 0;
    } else if (std::chrono::steady_clock::now() >= until) {
      break;
    } else {
      drain_errors();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  return status_.has_value();
}

bool Child::running() { return pid_ > 0 && !reap(std::chrono::milliseconds(0)); }

std::string Child::end(std::chrono::milliseconds patience) {
  if (!reap(patience)) {
    kill(group_ == Group::Own ? -pid_ : pid_, SIGKILL);
    // The driver needs a while to tear down a context whose kernel never ends.
    if (!reap(std::chrono::seconds(20))) return "cannot be killed";
  }
  drain_errors();
  return status_ ? describe(*status_) : "gone";
}

std::string Child::last_words() const {
  std::string text;
  for (const std::string& line : lines(words_)) {
    if (trim(line).empty()) continue;
    if (!text.empty()) text += " | ";
    text += trim(line);
  }
  return text.size() > told_words ? "..." + text.substr(text.size() - told_words) : text;
}

int take_channel() {
  const int channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  return channel >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? channel : -1;
}

}  // namespace warpclock
