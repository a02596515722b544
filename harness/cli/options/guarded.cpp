#include "cli/options/guarded.hpp"

#include <cstdio>
#include <exception>
#include <string_view>

#include "base/caught.hpp"

namespace warpclock {
namespace {

/// Without control characters, and without memory for another text.
void print_plain(std::string_view text) {
  constexpr char first_printable = ' ', removed = '\x7f';
  for (const char c : text) {
    const bool control = (c >= 0 && c < first_printable) || c == removed;
    std::fputc(control ? '?' : c, stderr);
  }
}

}  // namespace

int guarded(std::span<char* const> command, const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::exception& problem) {
    std::fputs("warpclock: ", stderr);
    print_plain(problem_in(problem));
    std::fputs("; this was the command:", stderr);
    for (const std::string_view argument : command) {
      std::fputc(' ', stderr);
      print_plain(argument);
    }
    std::fputc('\n', stderr);
    return 2;
  }
}

}  // namespace warpclock
