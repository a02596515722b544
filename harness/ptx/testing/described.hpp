#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "ptx/describe.hpp"

namespace warpclock {

/// Reads a file of the repository, given by its path in it.
inline std::string read_committed(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(fmt::format("{}/{}", WARPCLOCK_SOURCE_DIR, file), std::ios::binary).rdbuf();
  return text.str();
}

/// The committed configs/instructions/opcodes.yaml.
inline const OpcodeTable& testing_table() {
  static const OpcodeTable table = [] {
    const std::string file = "configs/instructions/opcodes.yaml";
    Expected<OpcodeTable> loaded = load_opcodes(file, read_committed(file));
    if (!loaded) {
      std::cerr << loaded.error().message() << '\n';
      std::abort();
    }
    return std::move(*loaded);
  }();
  return table;
}

inline Expected<PtxInstruction> described(std::string_view text, const Choices& choices = {}) {
  const auto line = WARPCLOCK_TRY(parse_ptx(text));
  return describe(line, testing_table(), choices);
}

/// "d=f32:b32 a<f32:b32*4 c<imm:3": every operand with = (written), < (read) or + (both), its type, its class, the
/// number of elements of a vector, and the space of an address.
inline std::string summary(const PtxInstruction& instruction) {
  std::string all;
  for (const Operand& operand : instruction.operands) {
    if (!all.empty()) all += ' ';
    all += operand.name;
    if (!operand.immediate.empty()) {
      all += ":" + operand.immediate;
    } else {
      all += operand.written && operand.read ? '+' : operand.written ? '=' : operand.read ? '<' : '!';
      all += fmt::format("{}:{}", operand.type, ptx_type(operand.file));
      if (operand.vector) all += fmt::format("*{}", operand.elements);
    }
    if (operand.address) {
      all += fmt::format("@{}/{}{}", operand.space.empty() ? "generic" : operand.space, operand.access_bytes,
                         operand.offset);
    }
    if (!operand.value.empty()) all += "(" + operand.value + ")";
  }
  return all;
}

inline std::string summary(std::string_view text, const Choices& choices = {}) {
  const Expected<PtxInstruction> instruction = described(text, choices);
  return instruction ? summary(*instruction) : instruction.error().code + ": " + instruction.error().message();
}

}  // namespace warpclock
