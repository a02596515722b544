#include "compile/compiler/compiler_server.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>

#include "base/child.hpp"
#include "base/process.hpp"
#include "compile/compiler/compiler_lines.hpp"
#include "compile/compiler/nvcc.hpp"
#include "compile/compiler/nvrtc.hpp"

namespace warpclock {
namespace {

// So that a machine with many cores need not keep a compiler for each all day. A new one takes some 20 ms.
constexpr int idle_ms = 10'000;

void limit(decltype(RLIMIT_AS) resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min(most, now.rlim_max);
  setrlimit(resource, &now);
}

/// What is started inherits the limit. The shadow of AddressSanitizer takes terabytes of addresses.
void limit_memory([[maybe_unused]] std::int64_t bytes) {
#ifndef __SANITIZE_ADDRESS__
  limit(RLIMIT_AS, static_cast<rlim_t>(bytes));
#endif
}

bool is_socket(int fd) {
  struct stat file {};
  return fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode);
}

/// Ends this process, and nvcc's, when the one that asks is gone: nobody else would end a compilation that hangs.
void end_with_the_asking_process() {
  std::thread([] {
    // Without an event to wait for, only the end of the other side is seen.
    for (std::array<pollfd, 1> other{{{STDIN_FILENO, 0, 0}}}; poll(other.data(), other.size(), -1) < 0;) {
      if (errno != EINTR) break;
    }
    if (getpgrp() == getpid()) kill(0, SIGKILL);
    _exit(0);
  }).detach();
}

/// Nobody sends a second request before the first is answered, so nothing waits in the stream's buffer.
bool somebody_asks() {
  std::array<pollfd, 1> input{{{STDIN_FILENO, POLLIN, 0}}};
  int ready = 0;
  while ((ready = poll(input.data(), input.size(), idle_ms)) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

}  // namespace

int serve_compilations() {
  if (!is_socket(STDIN_FILENO)) {
    std::fputs("warpclock: this command is for warpclock itself; say warpclock --help\n", stderr);
    return 2;
  }
  const int channel = take_channel();
  if (channel < 0) return 1;
  end_with_the_asking_process();
  limit(RLIMIT_CORE, 0);
  std::ios::sync_with_stdio(false);  // otherwise each character of a request is a call
  for (std::string line; somebody_asks() && std::getline(std::cin, line);) {
    const auto request = parse_request(line);
    if (!request) {
      std::fprintf(stderr, "%s\n", request.error().text.c_str());
      _exit(1);
    }
    limit_memory(request->memory);
    const Compilation done = request->nvcc.empty() ? compile_by_nvrtc(*request) : compile_by_nvcc(*request);
    if (done.status == Compilation::Status::Died) {
      std::fprintf(stderr, "%s\n", done.log.c_str());
      _exit(1);
    }
    if (!write_fully(channel, to_line(done) + '\n')) break;
  }
  // The libraries' own end may hang.
  _exit(0);
}

}  // namespace warpclock
