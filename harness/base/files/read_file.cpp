#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/files/paths.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> cannot(std::string_view what, int number, const std::string& place) {
  return fail("io", fmt::format("cannot {}: {}", what, std::strerror(number)), place);
}

/// Waits until there is something to read or the other end is closed. Without a limit for a negative `patience`.
bool wait_for(int descriptor, std::chrono::milliseconds patience) {
  pollfd waiting{descriptor, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&waiting, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

struct Input {
  int descriptor;
  std::string place;
  std::size_t most;
  std::chrono::milliseconds patience;
};

std::unexpected<Error> too_much(const Input& input, bool regular) {
  return fail("io",
              fmt::format("the file has more than {}, which is the most that is read of {}", human_bytes(input.most),
                          regular ? "it" : "a pipe or device"),
              input.place);
}

/// Reads to the end, whether the descriptor blocks or not.
Expected<std::string> read_all(Input input, const struct stat& facts) {
  const bool regular = S_ISREG(facts.st_mode), pipe = S_ISFIFO(facts.st_mode);
  if (!regular) input.most = std::min(input.most, most_stream_bytes);
  if (regular && std::cmp_greater(facts.st_size, input.most)) return too_much(input, regular);
  std::string text, buffer(1 << 16, '\0');
  if (regular) text.reserve(static_cast<std::size_t>(facts.st_size));
  // Before a program has opened the other end, a pipe looks like one that has ended.
  for (bool begun = !pipe;;) {
    const ssize_t count = read(input.descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer, 0, static_cast<std::size_t>(count));
    if (text.size() > input.most) return too_much(input, regular);
    if (count == 0 && begun) return text;
    const bool later = count < 0 && errno == EAGAIN && !regular;
    if (count < 0 && errno != EINTR && !later) return cannot("read", errno, input.place);
    begun = begun || count > 0 || later;
    if (count > 0 || (count < 0 && !later)) continue;
    if (!wait_for(input.descriptor, begun ? std::chrono::milliseconds(-1) : input.patience))
      return fail("io", "no program writes into this pipe; start one that does, or name a file", input.place);
    begun = true;
  }
}

Expected<std::string> read_descriptor(const Input& input) {
  struct stat facts {};
  if (input.descriptor < 0 || fstat(input.descriptor, &facts) != 0) return cannot("open", errno, input.place);
  try {
    return read_all(input, facts);
  } catch (const std::bad_alloc&) {
    return fail("io", "there is not enough memory for it", input.place);
  }
}

}  // namespace

Expected<std::string> read_file(const fs::path& path, std::size_t most, std::chrono::milliseconds patience) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return read_descriptor({file.get(), path.string(), most, patience});
}

Expected<std::string> read_standard_input() {
  return read_descriptor({STDIN_FILENO, "standard input", most_stream_bytes, usual_patience});
}

}  // namespace warpclock
