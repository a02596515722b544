#include "base/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "base/text.hpp"

namespace warpclock {
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
