#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
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

}  // namespace warpclock
