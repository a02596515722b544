#include <fmt/format.h>

#include <cstdio>

#include "base/terminal.hpp"
#include "cli/options/options.hpp"

namespace warpclock {

std::function<void(std::size_t, std::size_t)> progress_on_terminal(const std::string& noun) {
  if (!is_terminal(Stream::Err)) return {};
  return [noun](std::size_t done, std::size_t total) {
    fmt::print(stderr, "\r\033[K{}/{} {}", done, total, noun);
    if (done == total) fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  };
}

void clear_progress() {
  if (!is_terminal(Stream::Err)) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace warpclock
