#pragma once

#include <string>

#include "base/error.hpp"

namespace warpclock {

/// What a person asked: a line, or the name of a file with a block.
struct AskedLine {
  std::string text;
  int number = 0;  ///< in standard input, from 1; 0 for an argument
};

/// The line as the head of its answer: short, without control bytes and semicolon.
[[nodiscard]] std::string title_of(const AskedLine& asked);

/// The error with the number of the line in its place.
[[nodiscard]] Error error_in(const AskedLine& asked, Error error);

/// "1:1: unknown opcode 'foo'", and below it the line.
[[nodiscard]] Error with_line(const AskedLine& asked, const Error& error);

}  // namespace warpclock
