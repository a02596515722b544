#include "base/files/node.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "base/process.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

bool is_standard_output(const struct stat& named) {
  struct stat standard {};
  return fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == named.st_dev && standard.st_ino == named.st_ino;
}

/// A pipe without a reader cannot be opened at once, and a terminal must not become that of this process.
int open_for_writing(const fs::path& path, bool pipe, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds pause{10};
  const auto deadline = Clock::now() + patience;
  for (;;) {
    const int file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 || errno != ENXIO || !pipe || Clock::now() >= deadline) return file;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

bool is_written_in_place(const fs::path& path) {
  struct stat named {};
  if (stat(path.c_str(), &named) != 0 || S_ISDIR(named.st_mode)) return false;
  return !S_ISREG(named.st_mode) || is_standard_output(named);
}

Expected<void> write_in_place(const fs::path& path, std::string_view text, std::chrono::milliseconds patience) {
  const auto cannot = [&](const std::string& why) {
    return fail("io", fmt::format("cannot write: {}", why), path.string());
  };
  struct stat named {};
  if (stat(path.c_str(), &named) != 0) return cannot(std::strerror(errno));
  if (S_ISBLK(named.st_mode)) return cannot("this is a disk; name a file");
  // Behind what was printed before.
  if (is_standard_output(named)) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    return written ? Expected<void>() : cannot(std::strerror(errno));
  }
  const Descriptor file(open_for_writing(path, S_ISFIFO(named.st_mode), patience));
  if (file.get() < 0 && errno == ENXIO && S_ISFIFO(named.st_mode))
    return cannot("no program reads from this pipe; start one that does, or name a file");
  if (file.get() < 0) return cannot(std::strerror(errno));
  const int flags = fcntl(file.get(), F_GETFL);
  if (flags < 0 || fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) != 0 || !write_fully(file.get(), text))
    return cannot(std::strerror(errno));
  return {};
}

}  // namespace warpclock
