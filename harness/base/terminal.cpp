#include "base/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ext/stdio_sync_filebuf.h>
#include <iostream>

#include "base/process.hpp"

namespace warpclock {
namespace {

int descriptor(Stream stream) { return stream == Stream::Out ? STDOUT_FILENO : STDERR_FILENO; }

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace

bool is_terminal(Stream stream) { return isatty(descriptor(stream)) == 1; }

int terminal_width(Stream stream, int fallback) {
  winsize size{};
  if (ioctl(descriptor(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return size.ws_col;
}

bool wants_color(Stream stream) {
  return environment("NO_COLOR").empty() && environment("TERM") != "dumb" && is_terminal(stream);
}

std::string counted(std::int64_t count, std::string_view noun) {
  const bool hisses = noun.ends_with("ch") || noun.ends_with("s") || noun.ends_with("sh");
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : hisses ? "es" : "s");
}

std::string Style::wrap(std::string_view code, std::string_view text) const {
  return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

namespace {

struct Sink {
  int descriptor;
  int lost = 0;  ///< errno of the first write that failed
};

Sink standard_out{STDOUT_FILENO}, standard_err{STDERR_FILENO};

/// Nothing follows a gap: it would be read as if it belonged to what came before.
ssize_t write_or_drop(void* cookie, const char* text, std::size_t size) {
  auto& sink = *static_cast<Sink*>(cookie);
  if (sink.lost == 0 && !write_fully(sink.descriptor, {text, size})) sink.lost = errno;
  return static_cast<ssize_t>(size);
}

/// The stream of C and the stream of C++ write into the sink.
void lead(FILE*& file, std::ostream& stream, Sink& sink, int buffering) {
  FILE* const into = fopencookie(&sink, "w", {nullptr, write_or_drop, nullptr, nullptr});
  if (into == nullptr) return;
  std::setvbuf(into, nullptr, buffering, BUFSIZ);
  file = into;
  // It lives as long as the program, whose last words go through it.
  stream.rdbuf(new __gnu_cxx::stdio_sync_filebuf<char>(into));
}

/// What was closed can be neither read nor written, and that is noticed.
void occupy(int descriptor, int mode) {
  if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) return;
  const int opened = open("/dev/null", mode);
  if (opened >= 0 && opened != descriptor) close(opened);
}

}  // namespace

void open_output() {
  occupy(STDIN_FILENO, O_WRONLY);
  occupy(STDOUT_FILENO, O_RDONLY);
  occupy(STDERR_FILENO, O_RDONLY);
  lead(stdout, std::cout, standard_out, is_terminal(Stream::Out) ? _IOLBF : _IOFBF);
  lead(stderr, std::cerr, standard_err, _IONBF);
}

void outlive_readers() { std::signal(SIGPIPE, SIG_IGN); }

Expected<void> close_output() {
  std::cout.flush();
  std::fflush(stdout);
  // Some file systems say at the first close that they were full.
  const int copy = dup(STDOUT_FILENO);
  if (copy >= 0 && close(copy) != 0 && standard_out.lost == 0) standard_out.lost = errno;
  if (standard_out.lost == 0) return {};
  return fail("output", fmt::format("a part of the output was lost: {}", std::strerror(standard_out.lost)),
              "standard output");
}

}  // namespace warpclock
