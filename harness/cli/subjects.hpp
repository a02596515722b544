#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "measure/measure_instructions.hpp"
#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {

/// Parses `--operand` and `--value`: "b=imm:3". Error "usage".
[[nodiscard]] Expected<Choices> choices_of(const std::vector<std::string>& operands,
                                           const std::vector<std::string>& values);

/// The opcode table that the program carries.
[[nodiscard]] Expected<OpcodeTable> opcode_table();

/// What a person asked: a line, or the name of a file with a block.
struct AskedLine {
  std::string text;
  int number = 0;  ///< in standard input, from 1; 0 for an argument
};

/// The line as the head of its answer: short, without control bytes and semicolon.
[[nodiscard]] std::string title_of(const AskedLine& asked);

/// The lines given as arguments; "-" stands for those of standard input, without empty ones and comments.
[[nodiscard]] std::vector<AskedLine> lines_of(const std::vector<std::string>& given);

/// The error with the number of the line in its place.
[[nodiscard]] Error error_in(const AskedLine& asked, Error error);
/// "1:1: unknown opcode 'foo'", and below it the line.
[[nodiscard]] Error with_line(const AskedLine& asked, const Error& error);

/// One line of PTX.
[[nodiscard]] Expected<Subject> subject_of(const std::string& line, const OpcodeTable& table, const Choices& choices);

/// The whole file as one block. Places in errors begin with its name.
[[nodiscard]] Expected<Subject> subject_in(const std::string& file, const OpcodeTable& table, const Choices& choices);

}  // namespace warpclock
