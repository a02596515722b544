#pragma once

#include <sys/fsuid.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files/file.hpp"
#include "base/text.hpp"

namespace warpclock::testing {

/// Nobody may read everything while this lives: root reads files as another user does.
class AsNobody {
 public:
  AsNobody() { setfsuid(geteuid() == 0 ? 65534 : geteuid()); }
  ~AsNobody() { setfsuid(geteuid()); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
};

/// A process as /proc shows it.
struct Process {
  int pid = 0, parent = 0;
  std::string command;      ///< arguments, each ended by a zero
  std::string environment;  ///< the same of variables; empty for a process of somebody else
};

/// All that run now; those that only wait to be reaped are left out.
inline std::vector<Process> processes() {
  std::vector<Process> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    Process one;
    if (std::from_chars(name.data(), name.data() + name.size(), one.pid).ec != std::errc{}) continue;
    const std::string stat = read_file(entry.path() / "stat").value_or("");
    const auto words = split(std::string_view(stat).substr(std::min(stat.rfind(')') + 2, stat.size())), ' ');
    if (words.size() < 2 || words[0] == "Z" || words[0] == "X") continue;
    one.parent = std::stoi(words[1]);
    one.command = read_file(entry.path() / "cmdline").value_or("");
    one.environment = read_file(entry.path() / "environ").value_or("");
    found.push_back(std::move(one));
  }
  return found;
}

/// Process ids of compilers that this process has started.
inline std::vector<int> compiler_children() {
  std::vector<int> found;
  for (const Process& one : processes()) {
    if (one.parent == getpid() && one.command == std::string("warpclock\0compiler\0", 19)) found.push_back(one.pid);
  }
  return found;
}

/// Whether it is so within half a minute.
inline bool soon(const std::function<bool()>& is_so) {
  for (int i = 0; i < 3000; ++i) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// While it lives, the test has a minute. Then the program ends and says why: it would wait for ever.
class Alarm {
 public:
  Alarm() {
    std::signal(SIGALRM, [](int) {
      constexpr std::string_view why = "a test waits for ever\n";
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, why.data(), why.size());
      _exit(1);
    });
    constexpr unsigned seconds = 60;
    alarm(seconds);
  }
  ~Alarm() {
    alarm(0);
    std::signal(SIGALRM, SIG_DFL);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
};

}  // namespace warpclock::testing
