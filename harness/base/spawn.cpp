#include "base/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

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
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
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

}  // namespace warpclock
