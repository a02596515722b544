#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// A file descriptor that is closed at the end; -1 for none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }

  void reset(int fd = -1);
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

/// Opens a pipe whose ends are closed in children. False if it cannot, see errno.
[[nodiscard]] bool make_pipe(Descriptor& read_end, Descriptor& write_end);

/// Writes all of `text`. False if it cannot, see errno.
[[nodiscard]] bool write_fully(int fd, std::string_view text);

/// Starts a program with an argument vector, without a shell. `program` is a path, or a name that PATH knows. The child
/// gets these descriptors as its standard input, output and error, no blocked signal, and the default actions for
/// SIGPIPE, SIGCHLD, SIGTERM and SIGHUP. It is killed when the thread that started it ends, so no child outlives this
/// process, however that ends. With `own_group` it leads a process group instead, so that it can be ended together with
/// what it starts, and Ctrl-C does not reach it; it has to end by itself when its input ends. Error "process".
[[nodiscard]] Expected<pid_t> spawn(const std::string& program, const std::vector<std::string>& argv, int in, int out,
                                    int err, bool own_group = false);

struct ProcessOptions {
  std::string input;                     ///< what the child reads from stdin; if empty, it reads end of file at once
  std::chrono::milliseconds timeout{0};  ///< the child is killed after this time; 0 waits forever
  std::size_t most_output = std::size_t{256} << 20;  ///< bytes of both outputs after which it is killed
};

struct ProcessResult {
  int exit_code = 0;     ///< 0..255; 128 + signal if a signal ended the child, as in shells
  int signal = 0;        ///< the signal that ended the child, or 0
  std::string out, err;  ///< everything it wrote
};

/// Runs a program from its argument vector, without a shell, and waits until it exits. `argv[0]` is a path or a name in
/// PATH. Processes that it started and left behind are not waited for. Safe to call from several threads. A non-zero
/// exit is a result, not an error. Errors: "process" (the program could not be started, or wrote too much), "timeout".
[[nodiscard]] Expected<ProcessResult> run_process(const std::vector<std::string>& argv,
                                                  const ProcessOptions& options = {});

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
