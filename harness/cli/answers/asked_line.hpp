#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// What a person asked: a line, or the name of a file with a block.
struct AskedLine {
  std::string text;
  int number = 0;           ///< in standard input, from 1; 0 for an argument
  std::string code = text;  ///< the instruction alone, as PTX or nvdisasm write it
  bool machine = false;     ///< a machine instruction
};

/// How lines are read.
enum class Notation { Any, Machine };

/// The instructions of one line of a listing or a source: without address, encoding, comments and quotes. Usually one;
/// a string of `asm` may hold several, and an empty line none. Operands %0, %1 of such a string become registers of the
/// types that their constraints state, and a number behind "n" becomes a constant. A word in upper case is a machine
/// instruction.
[[nodiscard]] std::vector<AskedLine> asked_in(const std::string& line, int number, Notation notation = Notation::Any);

/// The line as the head of its answer: short, without control bytes and semicolon.
[[nodiscard]] std::string title_of(const AskedLine& asked);

/// The error with the number of the line in its place.
[[nodiscard]] Error error_in(const AskedLine& asked, Error error);

/// "1:1: unknown opcode 'foo'", and below it the line.
[[nodiscard]] Error with_line(const AskedLine& asked, const Error& error);

}  // namespace warpclock
