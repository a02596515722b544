#include "compose/copies/compile_instruction.hpp"

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "compose/copies/composing.hpp"
#include "compose/testing/compiled_lines.hpp"
#include "verify/instruction/linkage.hpp"

// What compile_instructions() reports, without a GPU, for instructions that compilers fold. testdata/folds.txt is the
// table.

namespace warpclock {
namespace {

using testing::compile_lines;
using testing::CompiledLine;
using testing::Row;

/// Instructions of the shown window by kind.
Kinds window_of(const Trial& trial) {
  const Verdict& verdict = trial.verdict.verdicts[trial.which];
  Kinds kinds;
  for (std::size_t i = verdict.open + 1; i < verdict.close; ++i) ++kinds[kind_of(trial.shown.instructions[i])];
  return kinds;
}

void every_copy_is_there(const CompiledLine& one) {
  const Expansion& expansion = one.compiled.expansion;
  for (const Trial& trial : one.compiled.trials) {
    if (!trial.verdict.verified()) continue;
    SCOPED_TRACE(one.line + ": " + trial.experiment.name(one.instruction));
    const Kinds found = window_of(trial);
    const std::int64_t copies = trial.kernels[trial.which].n * trial.experiment.ilp;
    // Shared work is noted. Without a note, nothing may be missing.
    const std::string& note = trial.verdict.note;
    if (note.empty()) {
      EXPECT_GE(total(found), copies * total(expansion.kinds) * 4 / 5);
    }
    for (const auto& [kind, count] : expansion.kinds) {
      if (note.empty() || note.contains(kind) || is_link_kind(kind)) continue;
      EXPECT_GE(found.contains(kind) ? found.at(kind) : 0, copies * count) << kind;
    }
    if (total(expansion.kinds) > 1) continue;
    const std::string& kind = expansion.kinds.begin()->first;
    if (note.contains(kind)) continue;
    const auto at = found.find(kind);
    EXPECT_GE(at == found.end() ? 0 : at->second, copies) << kind;
  }
}

void no_chain_is_shorter_than_an_instruction(const CompiledLine& one) {
  for (const Trial& trial : one.compiled.trials) {
    if (!trial.verdict.verified() || !trial.verdict.encoded_cycles) continue;
    double cycles = *trial.verdict.encoded_cycles;
    for (const auto& [opcode, link] : trial.verdict.via) cycles -= link;
    EXPECT_GE(cycles, 3.99) << one.line << ": " << trial.experiment.name(one.instruction);
  }
}

void reasons_are_given(const CompiledLine& one) {
  if (one.compiled.problem) {
    EXPECT_FALSE(one.compiled.problem->text.empty()) << one.line;
    EXPECT_THAT(one.compiled.trials, IsEmpty()) << one.line;
  }
  for (const Trial& trial : one.compiled.trials) {
    EXPECT_EQ(trial.verdict.text.empty(), trial.verdict.verified()) << one.line;
    EXPECT_FALSE(trial.verdict.verdicts.empty()) << one.line;
    if (trial.verdict.verified()) {
      EXPECT_EQ(trial.verdict.verdicts.size(), 3U) << one.line;
    }
    EXPECT_EQ(trial.kernels.size(), 3U) << one.line;
    if (one.compiled.expansion.branches || one.compiled.expansion.calls) {
      EXPECT_THAT(trial.executed, Each(std::nullopt)) << one.line << ": its operands decide";
    }
    EXPECT_GT(trial.registers, 4) << one.line;
    EXPECT_THAT(trial.kernels, Each(::testing::Field(&TrialKernel::cubin_path, Not(IsEmpty())))) << one.line;
  }
}

/// Checks each row of a table. All rows are studied in one batch.
void the_table_holds(const std::string& table, bool throughput) {
  const std::vector<Row> rows = testing::rows_of(table);
  const auto lines = mapped(rows, &Row::line);
  const std::vector<CompiledLine> all = compile_lines(lines, "sm_90a", throughput);
  std::map<std::string, std::string> answers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    answers[all[i].line] = testing::answer_of(all[i]);
    if (!testing::accepting()) {
      EXPECT_EQ(testing::answer_of(all[i]), rows[i].answer) << all[i].line;
    }
    every_copy_is_there(all[i]);
    no_chain_is_shorter_than_an_instruction(all[i]);
    reasons_are_given(all[i]);
  }
  if (testing::accepting()) testing::accept(table, answers);
}

TEST(CompileInstruction, LatenciesOfWhatCompilersFold) { the_table_holds("folds.txt", false); }

TEST(CompileInstruction, ThroughputsOfWhatCompilersFold) { the_table_holds("fold_throughputs.txt", true); }

/// What compile_instructions() finds for a block, and for each path through it.
TEST(CompileInstruction, BlocksOfSeveralInstructions) {
  const std::vector<Row> rows = testing::rows_of("blocks.txt");
  const auto texts = mapped(rows, &Row::line);
  const auto all = testing::compile_blocks(texts, "sm_90a");
  std::map<std::string, std::string> answers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string& answer = answers[rows[i].line];
    for (const CompiledLine& one : all[i]) {
      if (!one.compiled.problem) every_copy_is_there(one);
      answer += (answer.empty() ? "" : " | " + one.line + ": ") + testing::answer_of(one);
    }
    if (!testing::accepting()) {
      EXPECT_EQ(answer, rows[i].answer) << rows[i].line;
    }
  }
  if (testing::accepting()) testing::accept("blocks.txt", answers);
}

/// Every form answers but one.
std::vector<CompiledLine> answered_lines(const std::vector<std::string>& lines) {
  return compile_lines(lines, "sm_90a", true, [](const WordForm& form) { return key_of(form) != "@PT POPC R#, R#"; });
}

TEST(CompileInstruction, OneMachineInstructionIsAnsweredByItsForm) {
  const auto all = answered_lines({"fma.rn.f32 {d}, {a}, {b}, {c}", "sub.f32 {d}, {a}, {b}", "mul.rn.f32 {d}, {a}, {a}",
                                   "atom.global.add.u32 {d}, [{a}], {b}", "setp.lt.and.s32 {p}, {a}, {b}, {c}"});
  for (const CompiledLine& one : all) {
    ASSERT_TRUE(one.compiled.word) << one.line;
    EXPECT_THAT(one.compiled.trials, IsEmpty()) << one.line;
    EXPECT_THAT(one.compiled.word->others, IsEmpty()) << one.line;
  }
  const auto word = [&](std::size_t i) { return *all[i].compiled.word; };
  EXPECT_EQ(word(0), (OneWord{"@PT FFMA R#, R#, R#, R#", {{}, {0}, {1}, {2}}, {}}));
  EXPECT_EQ(word(1), (OneWord{"@PT FADD R#, R#, -R#", {{}, {0}, {1}}, {}}));
  EXPECT_EQ(word(2), (OneWord{"@PT FMUL R#, R#, R#", {{}, {0, 1}}, {}})) << "both read it";
  EXPECT_EQ(word(3).sources, (std::vector<std::vector<int>>{{}, {0}, {1}}));
  EXPECT_EQ(word(4).sources, (std::vector<std::vector<int>>{{}, {0}, {1}, {2}})) << "PT is a result";
}

TEST(CompileInstruction, SoIsWhatHasNoCopiesAndAPhaseThatHasEnded) {
  const auto all =
      answered_lines({"bar.sync 0", "bar.arrive 1, 64", "cp.async.wait_group 0",
                      "mbarrier.try_wait.shared::cta.b64 {p}, [{a}], {b}", "bar.red.and.pred {p}, 0, {q}"});
  const auto form = [&](std::size_t i) { return all[i].compiled.word ? all[i].compiled.word->form : "none"; };
  EXPECT_EQ(form(0), "@PT BAR.SYNC.DEFER_BLOCKING #");
  EXPECT_EQ(form(1), "@PT BAR.ARV #, #");
  EXPECT_EQ(form(2), "@PT DEPBAR.LE #, #");
  EXPECT_THAT(form(3), HasSubstr("SYNCS.PHASECHK.TRANS64.TRYWAIT"));
  EXPECT_EQ(form(4), "none") << "two words";
  for (const Trial& trial : all[4].compiled.trials) EXPECT_FALSE(trial.experiment.composed) << "the barrier has it";
}

TEST(CompileInstruction, WhereItsFormDoesNotAnswerItsCopiesDo) {
  for (const CompiledLine& one : answered_lines({"popc.b32 {d}, {a}", "mad.lo.u64 {d}, {a}, {b}, {c}"})) {
    EXPECT_FALSE(one.compiled.word) << one.line;
    EXPECT_THAT(one.compiled.trials, Not(IsEmpty())) << one.line;
  }
  // A chosen value is a question of its own.
  const PtxInstruction zero = described("fma.rn.f32 {d}, {a}, {b}, {c}", {.values = {{"a", "zero"}}}).value();
  CompileInstructionOptions options;
  options.throughput = false;
  options.answers = [](const WordForm&) { return true; };
  const auto compiled = compile_instructions({&zero}, parse_arch("sm_90a").value(), options);
  EXPECT_FALSE(compiled[0].word);
  EXPECT_THAT(compiled[0].trials, SizeIs(3));
}

TEST(CompileInstruction, FormsBetweenWhichPtxasAlternatesAreNamed) {
  const auto all = answered_lines({"fma.rn.f16x2 {d}, {a}, {b}, {c}", "add.s32 {d}, {a}, {b}"});
  EXPECT_EQ(all[0].compiled.word->forms(),
            (std::vector<std::string>{"@PT HFMA2.MMA R#, R#, R#, R#", "@PT HFMA2 R#, R#, R#, R#"}));
  ASSERT_THAT(all[0].compiled.trials, SizeIs(1)) << "what ptxas makes of several";
  EXPECT_TRUE(all[0].compiled.trials[0].verdict.verified());
  EXPECT_THAT(all[1].compiled.word->others, IsEmpty()) << "ptxas may, but does not";
  EXPECT_THAT(all[1].compiled.trials, IsEmpty());
}

TEST(CompileInstruction, OnOtherArchitecturesToo) {
  const std::vector<std::string> lines{"abs.f32 {d}, {a}", "not.b32 {d}, {a}", "mul.lo.s32 {d}, {a}, {b} | b=imm:8",
                                       "add.s32 {d}, {a}, {b} | b=imm:0"};
  for (const char* name : {"sm_80", "sm_120"}) {
    SCOPED_TRACE(name);
    for (const CompiledLine& one : compile_lines(lines, name, false)) {
      every_copy_is_there(one);
      const bool identity = one.line.ends_with("imm:0");
      EXPECT_EQ(one.compiled.problem.has_value(), identity) << one.line;
      if (identity) continue;
      EXPECT_TRUE(one.compiled.trials.front().verdict.verified()) << testing::answer_of(one);
    }
  }
}

TEST(CompileInstruction, WhatAnArchitectureLacksIsAProblemOfItsOwn) {
  const auto all = compile_lines({"fma.rn.f32 {d}, {a}, {b}, {c}", "redux.sync.add.s32 {d}, {a}, {mask}"}, "sm_75", {});
  EXPECT_FALSE(all[0].compiled.problem);
  ASSERT_TRUE(all[1].compiled.problem);
  EXPECT_TRUE(all[1].compiled.trials.empty());
}

}  // namespace
}  // namespace warpclock
