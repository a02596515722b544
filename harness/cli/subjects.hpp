#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answers/answers.hpp"
#include "measure/measure_instructions.hpp"
#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {

/// Parses `--operand` and `--value`: "b=imm:3". Error "usage".
[[nodiscard]] Expected<Choices> choices_of(const std::vector<std::string>& operands,
                                           const std::vector<std::string>& values);

/// The instructions of the lines given as arguments; "-" stands for those of standard input, without empty ones and
/// comments.
[[nodiscard]] Expected<std::vector<AskedLine>> lines_of(const std::vector<std::string>& given,
                                                        Notation notation = Notation::Any);

/// One line of PTX.
[[nodiscard]] Expected<Subject> subject_of(const std::string& line, const OpcodeTable& table, const Choices& choices);

/// The whole file as one block. Places in errors begin with its name.
[[nodiscard]] Expected<Subject> subject_in(const std::string& file, const OpcodeTable& table, const Choices& choices);

}  // namespace warpclock
