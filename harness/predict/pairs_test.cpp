#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "code/semantics.hpp"
#include "model/testing/measured.hpp"
#include "predict/program/occupation.hpp"
#include "predict/simulation/run.hpp"
#include "predict/testing/recorded.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

void append(Listing& listing, const Instruction& instruction, bool yield) {
  Instruction& added = listing.instructions.emplace_back(instruction);
  added.address = 16 * (listing.instructions.size() - 1);
  added.control = {};
  added.control.stall = 1;
  added.control.yield = yield;
}

std::vector<Instruction> instructions_of(const Row& study, const Record& table) {
  std::vector<Instruction> all;
  for (const std::string& form : study.forms) {
    const Row* row = find_by(table.rows, form, &Row::id);
    all.push_back(parse_instruction(row == nullptr ? "NOP" : row->machine.text).value());
  }
  return all;
}

/// As the rows had them: registers that no bank delays, and two pairs of registers in each FP64 instruction.
Program without_banks(const Listing& listing, const CostTable& costs) {
  Program program = make_program(listing, costs, {}).value();
  for (ProgramStep& step : program.steps) {
    step.older.clear();
    const bool pairs = pipe_of(listing.instructions[step.index].name()) == "fp64";
    for (int& registers : step.registers.reads) registers = pairs ? 2 : std::min(registers, 1);
  }
  return program;
}

/// Independent copies of the forms, with a stall count of 1.
Program composed(const Row& study, const std::vector<Instruction>& forms, const CostTable& costs, int copies) {
  Listing listing{.kernel = study.id, .target = costs.machine().arch, .instructions = {}};
  for (int left = copies; left > 0; left -= study.machine.run) {
    for (const Instruction& form : forms) {
      for (int i = 0; i < std::min(left, study.machine.run); ++i) append(listing, form, false);
    }
  }
  return without_banks(listing, costs);
}

/// As a study between warps has them: the copies of the first form, and then those of the second with which the odd
/// groups of warps begin.
double cycles_between_warps(const Row& study, const IssueCell& cell, const std::vector<Instruction>& forms,
                            const CostTable& costs, int groups) {
  static const Instruction exit = parse_instruction("EXIT").value();
  Listing listing{.kernel = study.id, .target = costs.machine().arch, .instructions = {}};
  SimulationOptions options{.block_warps = cell.warps};
  for (std::size_t f = 0; f < forms.size(); ++f) {
    options.odd_start = listing.instructions.size();
    for (int i = 0; i < groups * study.machine.of_each[f]; ++i) append(listing, forms[f], cell.yield);
    append(listing, exit, false);
  }
  return simulate(without_banks(listing, costs), options).value().cycles;
}

struct ComparedCell {
  double predicted = 0, measured = 0;
  [[nodiscard]] double error() const { return predicted / measured - 1; }
};

/// The slope over the copies, as the row has it.
ComparedCell compare(const Row& study, const IssueCell& cell, const std::vector<Instruction>& forms,
                     const CostTable& costs) {
  const auto cycles = [&](int copies) {
    const Program program = composed(study, forms, costs, copies);
    return run_program(program, costs.machine(), {cell.warps, 1}, 0).value().low.cycles;
  };
  const auto [few, first] = cell.curve.front();
  const auto [most, last] = cell.curve.back();
  const double warps = std::max(1, cell.warps / 4), copies = most - few;
  return {(cycles(most) - cycles(few)) / copies / warps, (last - first) / copies / warps};
}

std::string line_of(const std::string& name, const std::vector<ComparedCell>& cells) {
  std::vector<double> errors;
  double worst = 0;
  for (const ComparedCell& one : cells) {
    errors.push_back(std::abs(one.error()));
    if (errors.back() > std::abs(worst)) worst = one.error();
  }
  std::ranges::sort(errors);
  const auto at = [&](std::size_t percent) { return 100 * errors[(errors.size() - 1) * percent / 100]; };
  return fmt::format(
      " {:<34} {:4} numbers: median {:5.1f} %, 90 % within {:5.1f} %, 95 % within {:5.1f} %, worst "
      "{:+6.1f} %\n",
      name, errors.size(), at(50), at(90), at(95), 100 * worst);
}

TEST(Pairs, AreAsFarFromTheirRowsAsTheTableSays) {
  const bool show = std::getenv("WARPCLOCK_SHOW") != nullptr;
  std::string text;
  for (const testing::CommittedGpu& committed : testing::committed_gpus()) {
    if (!committed.gpu.machine) continue;
    const CostTable costs(committed.machine);
    std::map<std::string, std::vector<ComparedCell>> groups;
    for (const Row& study : rows_of(*committed.gpu.machine, RowKind::Pair)) {
      const std::vector<Instruction> forms = instructions_of(study, *committed.gpu.machine);
      for (const IssueCell& cell : study.machine.cells) {
        if (cell.cycles <= 0 || cell.curve.size() < 2) continue;
        const ComparedCell one = compare(study, cell, forms, costs);
        if (show)
          std::printf("%s %-46s %2d warps measured %8.2f predicted %8.2f error %+6.1f %%\n",
                      committed.gpu.folder.c_str(), study.id.c_str(), cell.warps, one.measured, one.predicted,
                      100 * one.error());
        groups[fmt::format("{:2} warps, {}", cell.warps, study.machine.run == 1 ? "in turn" : "runs of four")]
            .push_back(one);
      }
    }
    text += committed.gpu.folder + "\n";
    for (const auto& [name, cells] : groups) text += line_of(name, cells);
  }
  testing::expect_golden("pairs.txt", text, "predict");
}

TEST(Pairs, BetweenWarpsAreAsFarFromTheirRowsAsTheTableSays) {
  const bool show = std::getenv("WARPCLOCK_SHOW") != nullptr;
  std::string text;
  for (const testing::CommittedGpu& committed : testing::committed_gpus()) {
    if (!committed.gpu.machine) continue;
    const Record& table = *committed.gpu.machine;
    const CostTable costs(committed.machine);
    std::map<std::string, std::vector<ComparedCell>> groups;
    for (const Row& study : rows_of(table, RowKind::BetweenWarps)) {
      const bool multiplies = study.forms.front().contains("GMMA");
      const std::vector<Instruction> forms = instructions_of(study, table);
      for (const IssueCell& cell : study.machine.cells) {
        if (cell.cycles <= 0 || cell.curve.size() < 2) continue;
        const auto [few, first] = cell.curve.front();
        const auto [most, last] = cell.curve.back();
        const double turns = (most - few) * cell.warps / 8.0;
        const ComparedCell one{(cycles_between_warps(study, cell, forms, costs, most) -
                                cycles_between_warps(study, cell, forms, costs, few)) /
                                   turns,
                               (last - first) / turns};
        if (show)
          std::printf("%s %-46s %2d warps, yield %d measured %8.2f predicted %8.2f error %+6.1f %%\n",
                      committed.gpu.folder.c_str(), study.id.c_str(), cell.warps, cell.yield ? 1 : 0, one.measured,
                      one.predicted, 100 * one.error());
        groups[fmt::format("{:2} warps{}{}", cell.warps, cell.yield ? ", yield" : "",
                           multiplies ? ", multiply of a group" : "")]
            .push_back(one);
      }
    }
    text += committed.gpu.folder + "\n";
    for (const auto& [name, cells] : groups) text += line_of(name, cells);
  }
  testing::expect_golden("between_warps.txt", text, "predict");
}

Occupation of(const std::string& text, const std::string& pipe, bool two_passes) {
  return occupation_of(parse_instruction(text).value(), {.pipe = pipe, .interval = {4, 4}}, two_passes);
}

TEST(Occupation, KeepsTheIssueSlotIfAWideProductIsAddedToARegister) {
  EXPECT_TRUE(of("IMAD.WIDE.U32 R4, R6, R8, R10", "fma", true).holds_slot);
  EXPECT_FALSE(of("IMAD.WIDE.U32 R4, R6, R8, RZ", "fma", true).holds_slot);
  EXPECT_FALSE(of("IMAD R4, R6, R8, R10", "fma", false).holds_slot);
}

}  // namespace
}  // namespace warpclock
