#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "code/listing.hpp"
#include "execute/code_operand.hpp"
#include "execute/code_program.hpp"
#include "execute/executed_warp.hpp"

namespace warpclock::testing {

/// A warp whose registers a test sets, which executes single instructions.
class OneStep {
 public:
  ExecutedLaunch launch;  ///< whose constants it loads

  OneStep() { warp_.begin({.threads = {64, 1, 1}, .warp = 1}, 32); }

  OneStep& with(const std::string& reg, const Words& value, LaneMask known = all_lanes) {
    CodeStep step;
    step.results.push_back({.place = register_operand(reg).value()});
    StepOutputs out;
    out.word[0] = value, out.known = known;
    warp_.write(step, out, {all_lanes, 0}, {Origin::Kind::Instruction, 7});
    return *this;
  }
  OneStep& with(const std::string& reg, std::uint32_t value) { return with(reg, same_words(value)); }
  /// A register and the one after it, from 64 bits of each lane.
  template <class Of>
  OneStep& with_pair(int reg, Of of) {
    with("R" + std::to_string(reg), words_of_lanes([&](std::size_t i) { return static_cast<std::uint32_t>(of(i)); }));
    return with("R" + std::to_string(reg + 1),
                words_of_lanes([&](std::size_t i) { return static_cast<std::uint32_t>(of(i) >> 32); }));
  }
  OneStep& with_predicate(const std::string& reg, LaneMask value, LaneMask known = all_lanes) {
    CodeStep step;
    step.results.push_back({.predicate = true, .place = predicate_operand(reg).value().place});
    StepOutputs out;
    out.predicate[0] = value, out.known = known;
    warp_.write(step, out, {all_lanes, 0}, {Origin::Kind::Instruction, 8});
    return *this;
  }

  /// Executes an instruction in these lanes.
  OneStep& run(const std::string& text, LaneMask lanes = all_lanes) {
    Listing listing{.kernel = "k", .target = "sm_90a"};
    listing.instructions.push_back(parse_instruction(text).value());
    CodeProgram program;
    CodeStep step = code_step(listing, 0, launch, program);
    set_constants(program, launch);
    EXPECT_NE(step.run, nullptr) << text;
    warp_.evaluate(program, step, lanes);
    return *this;
  }

  [[nodiscard]] const Words& word(const std::string& reg) const { return warp_.word(register_operand(reg).value()); }
  [[nodiscard]] std::uint32_t lane(const std::string& reg, std::size_t i) const { return word(reg)[i]; }
  [[nodiscard]] std::uint64_t pair(int reg, std::size_t i) const {
    return std::uint64_t{lane("R" + std::to_string(reg + 1), i)} << 32 | lane("R" + std::to_string(reg), i);
  }
  [[nodiscard]] LaneMask known(const std::string& reg) const { return warp_.known(register_operand(reg).value()); }
  [[nodiscard]] LaneMask predicate(const std::string& reg) const {
    return warp_.holding(predicate_operand(reg).value(), all_lanes).lanes;
  }
  [[nodiscard]] LaneMask unknown_predicate(const std::string& reg) const {
    return warp_.holding(predicate_operand(reg).value(), all_lanes).unknown;
  }
  [[nodiscard]] ExecutedWarp& warp() { return warp_; }

 private:
  ExecutedWarp warp_;
};

}  // namespace warpclock::testing
