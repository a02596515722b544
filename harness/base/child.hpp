#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"

namespace warpclock {

/// What can be sent to a child that reads nothing. Linux counts its own overhead against twice the size that is asked
/// for, and allows 208 KiB unless configured otherwise.
inline constexpr int child_buffer_bytes = 192 << 10;

/// Whether a child gets a process group of its own, which is then killed as a whole.
enum class Group { Shared, Own };

/// A program with which we exchange lines through its standard input and output. The end of what it writes to its
/// standard error is kept. It is killed and reaped when this object is destroyed.
class Child {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// Starts the program at `path` with an argument vector, without a shell. Error "process".
  [[nodiscard]] static Expected<Child> start(const std::string& path, const std::vector<std::string>& argv,
                                             Group group = Group::Shared);

  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// Errors: "closed" (the program reads no more), "timeout".
  [[nodiscard]] Expected<void> send(const std::string& line, Deadline deadline);

  /// The next line that the program writes. Errors: "closed" (it writes no more), "timeout", "protocol" (a line that
  /// never ends).
  [[nodiscard]] Expected<std::string> receive(Deadline deadline);

  [[nodiscard]] bool running();

  /// Ends the program, waits until it is gone (and with it its work on the GPU), and says how it ended: "was killed by
  /// SIGSEGV", "exited with status 3". `patience` is how long it may take to end by itself.
  std::string end(std::chrono::milliseconds patience);

  /// The last lines that it wrote to its standard error, joined into one line, or empty.
  [[nodiscard]] std::string last_words() const;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Child(pid_t pid, Group group, Descriptor channel, Descriptor errors)
      : pid_(pid), group_(group), channel_(std::move(channel)), errors_(std::move(errors)) {}

  bool reap(std::chrono::milliseconds patience);
  void drain_errors();
  [[nodiscard]] Expected<void> wait_for(short events, Deadline deadline);

  pid_t pid_ = -1;
  Group group_ = Group::Shared;
  Descriptor channel_;  // a socket, because writing to a dead child then is an error and not SIGPIPE
  Descriptor errors_;
  std::optional<int> status_;
  std::string unread_, words_;
};

/// For a program that was started as a Child: the descriptor on which it answers. What it and its libraries print goes
/// to standard error from now on, so that no printf garbles the answers. -1 if that cannot be done.
[[nodiscard]] int take_channel();

}  // namespace warpclock
