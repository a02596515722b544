#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "code/listing.hpp"
#include "code/word.hpp"
#include "record/record.hpp"

namespace warpclock::testing {

/// An instruction of a recorded window: "B0----5:R-:W2:Y:S04  @P0 LDG.E R4, desc[UR4][R2.64]".
inline Instruction recorded_instruction(const std::string& line, std::uint64_t address) {
  constexpr std::size_t text_begin = 21;
  Instruction instruction = parse_instruction(line.substr(text_begin)).value_or(Instruction{});
  Control& control = instruction.control;
  for (int i = 0; i < 6; ++i) {
    if (line[1 + static_cast<std::size_t>(i)] != '-') control.wait_mask |= 1U << i;
  }
  const auto scoreboard = [](char digit) { return digit == '-' ? -1 : digit - '0'; };
  control.read_barrier = scoreboard(line[9]);
  control.write_barrier = scoreboard(line[12]);
  control.yield = line[14] == 'Y';
  control.stall = std::atoi(line.substr(17, 2).c_str());
  instruction.address = address;
  if (is_jump(instruction) && !instruction.operands.empty() && instruction.operands.back().starts_with("0x"))
    instruction.branch_target = hex_number(instruction.operands.back().substr(2));
  return instruction;
}

/// The window of a row; `opened` is the address of its first instruction. Jumps are to indices of the window.
inline Listing recorded_window(const Row& row, std::uint64_t opened) {
  Listing listing{.kernel = row.id, .target = row.arch, .instructions = {}};
  for (const std::string& line : row.window.sass) {
    Instruction instruction = recorded_instruction(line, 16 * listing.instructions.size());
    if (instruction.branch_target) {
      const std::uint64_t target = *instruction.branch_target;
      instruction.branch_target = target >= opened ? target - opened : ~std::uint64_t{0};
    }
    listing.instructions.push_back(std::move(instruction));
  }
  return listing;
}

/// Where the recorded windows with jumps begin, by row and by the hash of the window: each GPU's record has the code of
/// its day. From `warpclock verify --suite all --arch sm_90a --quick --show`.
inline const std::map<std::pair<std::string, std::string>, std::uint64_t>& opened_at() {
  static const auto all = [] {
    std::map<std::pair<std::string, std::string>, std::uint64_t> read;
    std::ifstream file(WARPCLOCK_SOURCE_DIR "/harness/predict/testdata/opened.txt");
    std::string id, hash, address;
    while (file >> id >> hash >> address) read[{id, hash}] = hex_number(address).value_or(0);
    EXPECT_FALSE(read.empty());
    return read;
  }();
  return all;
}

}  // namespace warpclock::testing
