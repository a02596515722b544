#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

enum class Stream { Out, Err };

[[nodiscard]] bool is_terminal(Stream stream);

/// Columns of the terminal, or `fallback` if the stream is not a terminal.
[[nodiscard]] int terminal_width(Stream stream, int fallback = 100);

/// Whether text on a stream should be coloured: the stream is a terminal that is not "dumb", and NO_COLOR is unset or
/// empty (no-color.org).
[[nodiscard]] bool wants_color(Stream stream);

/// "1 case", "2 cases", "3 launches"
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// ANSI colours, or the text unchanged.
class Style {
 public:
  explicit Style(bool on) : on_(on) {}
  explicit Style(Stream stream) : on_(wants_color(stream)) {}

  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap("2", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return wrap("31", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return wrap("32", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return wrap("33", text); }

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const;

  bool on_;
};

/// Called before anything is opened or printed. Standard streams that are closed are opened, so that no file takes
/// their place. From then on, what cannot be printed is dropped, without an exception, and close_output() says so.
void open_output();

/// For commands that measure: no reader that stops reading ends them. Without it SIGPIPE does, as with every program.
void outlive_readers();

/// Prints what is left. Error "output" if something that was printed on standard output was lost.
[[nodiscard]] Expected<void> close_output();

}  // namespace warpclock
