#pragma once

#include <sys/types.h>

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
/// gets these descriptors as its standard input, output and error, and no signal that this process blocks or ignores.
/// Error "process".
[[nodiscard]] Expected<pid_t> spawn(const std::string& program, const std::vector<std::string>& argv, int in, int out,
                                    int err);

}  // namespace warpclock
