#include "verify/instruction/study.hpp"

#include <gmock/gmock.h>

#include "verify/instruction/role.hpp"
#include "verify/testing/study.hpp"

// What study() reports, without a GPU, for instructions that compilers fold. testdata/folds.txt is the table.

namespace warpclock {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Row;
using testing::Studied;
using testing::studied;

/// Instructions of the shown window by kind.
Kinds window_of(const Trial& trial) {
  const Verdict& verdict = trial.inspection.verdicts[trial.which];
  Kinds kinds;
  for (std::size_t i = verdict.open + 1; i < verdict.close; ++i) ++kinds[kind_of(trial.shown.instructions[i])];
  return kinds;
}

/// The number of interposed instructions of a kind: a second way to check that the work of every copy is there.
std::int64_t woven_in(const Trial& trial, const std::string& kind) {
  if (trial.experiment.trick == Trick::WovenAdd) return kind == "FADD" ? 1 : 0;
  if (trial.experiment.trick == Trick::WovenMajority) return kind == "LOP3 majority" ? 1 : 0;
  return 0;
}

void every_copy_is_there(const Studied& one) {
  const Expansion& expansion = one.study.expansion;
  for (const Trial& trial : one.study.trials) {
    if (!trial.inspection.verified()) continue;
    SCOPED_TRACE(one.line + ": " + trial.experiment.name(one.instruction));
    const Kinds found = window_of(trial);
    const std::int64_t copies = trial.kernels[trial.which].n * trial.experiment.ilp;
    // Shared work is noted. Without a note, nothing may be missing.
    const std::string& note = trial.inspection.note;
    if (note.empty()) {
      EXPECT_GE(total(found), copies * total(expansion.kinds) * 4 / 5);
    }
    for (const auto& [kind, count] : expansion.kinds) {
      if (note.empty() || note.contains(kind) || is_glue(kind)) continue;
      EXPECT_GE(found.contains(kind) ? found.at(kind) : 0, copies * count) << kind;
    }
    if (total(expansion.kinds) > 1) continue;
    const std::string& kind = expansion.kinds.begin()->first;
    if (note.contains(kind)) continue;
    const auto at = found.find(kind);
    EXPECT_GE(at == found.end() ? 0 : at->second, copies * (1 + woven_in(trial, kind))) << kind;
  }
}

void no_chain_is_shorter_than_an_instruction(const Studied& one) {
  for (const Trial& trial : one.study.trials) {
    if (!trial.inspection.verified() || !trial.inspection.encoded_cycles) continue;
    double cycles = *trial.inspection.encoded_cycles;
    for (const auto& [opcode, link] : trial.inspection.via) cycles -= link;
    EXPECT_GE(cycles, 3.99) << one.line << ": " << trial.experiment.name(one.instruction);
  }
}

void reasons_are_given(const Studied& one) {
  if (one.study.problem) {
    EXPECT_FALSE(one.study.problem->text.empty()) << one.line;
    EXPECT_THAT(one.study.trials, IsEmpty()) << one.line;
  }
  for (const Trial& trial : one.study.trials) {
    EXPECT_EQ(trial.inspection.text.empty(), trial.inspection.verified()) << one.line;
    EXPECT_FALSE(trial.inspection.verdicts.empty()) << one.line;
    if (trial.inspection.verified()) {
      EXPECT_EQ(trial.inspection.verdicts.size(), 3U) << one.line;
    }
    EXPECT_EQ(trial.kernels.size(), 3U) << one.line;
    if (one.study.expansion.branches || one.study.expansion.calls) {
      EXPECT_THAT(trial.executed, Each(std::nullopt)) << one.line << ": its operands decide";
    }
    EXPECT_GT(trial.registers, 4) << one.line;
    EXPECT_THAT(trial.kernels, Each(Field(&TrialKernel::cubin_path, Not(IsEmpty())))) << one.line;
  }
}

/// Checks each row of a table. One test covers the whole table because every test is a process of its own.
void the_table_holds(const std::string& table, bool throughput) {
  const std::vector<Row> rows = testing::rows_of(table);
  std::vector<std::string> lines;
  for (const Row& row : rows) lines.push_back(row.line);
  const std::vector<Studied> all = studied(lines, "sm_90a", throughput);
  std::map<std::string, std::string> answers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    answers[all[i].line] = testing::told(all[i]);
    if (!testing::accepting()) {
      EXPECT_EQ(testing::told(all[i]), rows[i].answer) << all[i].line;
    }
    every_copy_is_there(all[i]);
    no_chain_is_shorter_than_an_instruction(all[i]);
    reasons_are_given(all[i]);
  }
  if (testing::accepting()) testing::accept(table, answers);
}

TEST(Study, LatenciesOfWhatCompilersFold) { the_table_holds("folds.txt", false); }

TEST(Study, ThroughputsOfWhatCompilersFold) { the_table_holds("fold_throughputs.txt", true); }

/// What study() finds for a block, and for each path through it.
TEST(Study, BlocksOfSeveralInstructions) {
  const std::vector<Row> rows = testing::rows_of("blocks.txt");
  std::vector<std::string> texts;
  for (const Row& row : rows) texts.push_back(row.line);
  const auto all = testing::studied_blocks(texts, "sm_90a");
  std::map<std::string, std::string> answers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string& answer = answers[rows[i].line];
    for (const Studied& one : all[i]) {
      if (!one.study.problem) every_copy_is_there(one);
      answer += (answer.empty() ? "" : " | " + one.line + ": ") + testing::told(one);
    }
    if (!testing::accepting()) {
      EXPECT_EQ(answer, rows[i].answer) << rows[i].line;
    }
  }
  if (testing::accepting()) testing::accept("blocks.txt", answers);
}

TEST(Study, OnOtherArchitecturesToo) {
  const std::vector<std::string> lines{"abs.f32 {d}, {a}", "not.b32 {d}, {a}", "mul.lo.s32 {d}, {a}, {b} | b=imm:8",
                                       "add.s32 {d}, {a}, {b} | b=imm:0"};
  for (const char* name : {"sm_80", "sm_120"}) {
    SCOPED_TRACE(name);
    for (const Studied& one : studied(lines, name, false)) {
      every_copy_is_there(one);
      const bool identity = one.line.ends_with("imm:0");
      EXPECT_EQ(one.study.problem.has_value(), identity) << one.line;
      if (identity) continue;
      EXPECT_TRUE(one.study.trials.front().inspection.verified()) << testing::told(one);
    }
  }
}

TEST(Study, WhatAnArchitectureLacksIsAProblemOfItsOwn) {
  const auto all = studied({"fma.rn.f32 {d}, {a}, {b}, {c}", "redux.sync.add.s32 {d}, {a}, {mask}"}, "sm_75", {});
  EXPECT_FALSE(all[0].study.problem);
  ASSERT_TRUE(all[1].study.problem);
  EXPECT_TRUE(all[1].study.trials.empty());
}

}  // namespace
}  // namespace warpclock
