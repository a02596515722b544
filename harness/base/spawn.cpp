#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/lookup.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace warpclock {
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

}  // namespace warpclock
