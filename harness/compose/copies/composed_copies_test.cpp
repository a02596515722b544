#include <fmt/format.h>

#include <map>
#include <set>

#include "base/testing/matchers.hpp"
#include "code/semantics.hpp"
#include "compose/copies/body.hpp"
#include "compose/copies/compile_instruction.hpp"
#include "compose/copies/composing.hpp"
#include "compose/testing/compiled_lines.hpp"
#include "verify/window.hpp"

// Windows that are composed of the machine code of one instance, as they are read back.

namespace warpclock {
namespace {

using testing::compile_lines;
using testing::CompiledLine;

/// The lines of these tests, studied in one batch for each architecture.
const CompiledLine& studied(const std::string& line, const std::string& arch) {
  static std::map<std::string, std::vector<CompiledLine>> known;
  std::vector<CompiledLine>& all = known[arch];
  std::vector<std::string> lines{"and.b32 {d}, {a}, {b}", "st.global.b32 [{a}], {b}"};
  if (arch == "sm_90a") {
    lines.insert(lines.end(), {"st.shared.b32 [{a}], {b}",
                               "mov.u32 {d}, %laneid",
                               "abs.f16 {d}, {a}",
                               "add.s64 {d}, {a}, {b}",
                               "ld.const.b32 {d}, [{a}]",
                               "set.lt.and.u32.s32 {d}, {a}, {b}, {q}",
                               "bfi.b32 {d}, {a}, {b}, {c}, {e}",
                               "popc.b64 {d}, {a}",
                               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}",
                               "mbarrier.test_wait.parity.shared.b64 {p}, [{a}], 0",
                               "ld.shared.v2.b8 {d}, [{a}]",
                               "vabsdiff2.u32.u32.u32.add {d}, {a}, {b}, {c}",
                               "setp.lt.s16 {p}, {a}, {b}",
                               "neg.s16 {d}, {a}",
                               "div.full.f32 {d}, {a}, {b}",
                               "set.eq.u32.f64 {d}, {a}, {b}",
                               "fence.acq_rel.gpu",
                               "nanosleep.u32 20",
                               "atom.global.cas.b32 {d}, [{a}], {b}, {c}",
                               "cvta.to.shared.u64 {d}, {a}",
                               "mad.hi.s64 {d}, {a}, {b}, {c}"});
  }
  if (all.empty()) all = compile_lines(lines, arch, true);
  const auto at = std::ranges::find(all, line, &CompiledLine::line);
  static const CompiledLine none;
  return at == all.end() ? none : *at;
}

struct ComposedWindow {
  Trial trial;
  std::vector<Instruction> code;  ///< between the clock reads, without what counts the trips
  std::vector<Instruction> loop;  ///< that
};

/// The window of the first experiment with this name.
ComposedWindow window_of(const std::string& line, const std::string& name, const std::string& arch = "sm_90a") {
  const CompiledLine& one = studied(line, arch);
  for (const Trial& trial : one.compiled.trials) {
    if (trial.experiment.name(one.instruction) != name) continue;
    EXPECT_TRUE(trial.experiment.composed) << line;
    EXPECT_TRUE(trial.verdict.verified()) << trial.verdict.text << " " << trial.tried;
    const auto reads = clock_reads(trial.shown);
    constexpr std::ptrdiff_t words_of_a_loop = 4;
    const auto first = trial.shown.instructions.begin() + static_cast<std::ptrdiff_t>(reads.front()) + 1;
    const auto last = trial.shown.instructions.begin() + static_cast<std::ptrdiff_t>(reads.back());
    const auto end = last - (trial.experiment.trips > 1 ? words_of_a_loop : 0);
    return {trial, {first, end}, {end, last}};
  }
  ADD_FAILURE() << line << " has no " << name;
  return {};
}

TEST(ComposedCopies, EachReadsTheResultOfTheOneBefore) {
  const ComposedWindow window = window_of("and.b32 {d}, {a}, {b}", "latency.b");
  ASSERT_GT(window.code.size(), 4U);
  for (std::size_t i = 1; i < window.code.size(); ++i) {
    EXPECT_EQ(effects_of(window.code[i]).sources[1], effects_of(window.code[i - 1]).writes);
    EXPECT_EQ(effects_of(window.code[i]).sources[0], effects_of(window.code[0]).sources[0])
        << "the operand off the chain";
  }
  EXPECT_EQ(window.trial.verdict.encoded_cycles, 4.0);
}

TEST(ComposedCopies, OfAThroughputReadTheSameAndWriteToDifferentRegisters) {
  const ComposedWindow window = window_of("st.shared.b32 [{a}], {b}", "throughput.ilp4");
  for (const Instruction& one : window.code) {
    EXPECT_EQ(one.opcode, "STS");
    EXPECT_EQ(effects_of(one).sources, effects_of(window.code[0]).sources);
  }
  const ComposedWindow results = window_of("mov.u32 {d}, %laneid", "throughput.ilp4");
  std::set<std::vector<Register>> written;
  for (std::size_t i = 0; i < 4; ++i) written.insert(effects_of(results.code[i]).writes);
  EXPECT_EQ(written.size(), 4U);
}

TEST(ComposedCopies, OfAThroughputRunInALoop) {
  const ComposedWindow window = window_of("st.shared.b32 [{a}], {b}", "throughput.ilp4");
  ASSERT_EQ(window.loop.size(), 4);
  EXPECT_EQ(window.loop[0].opcode, "BAR") << "the warps stay in step";
  unsigned set = 0;
  for (const Instruction& one : window.code) {
    if (one.control.read_barrier >= 0) set |= 1U << one.control.read_barrier;
  }
  EXPECT_NE(set, 0);
  EXPECT_EQ(window.loop[0].control.wait_mask, set) << "the next trip sets all of them again";
  const std::vector<Register> counter = effects_of(window.loop[1]).writes;
  EXPECT_EQ(effects_of(window.loop[1]).sources.front(), counter);
  EXPECT_EQ(effects_of(window.loop[2]).sources.front(), counter);
  for (const Instruction& one : window.code) EXPECT_FALSE(effects_of(one).writes_to(counter.front())) << one.text;
  EXPECT_EQ(window.loop[3].branch_target, window.code.front().address);
  EXPECT_EQ(effects_of(window.loop[3]).guard, effects_of(window.loop[2]).writes);
}

TEST(ComposedCopies, NeverWriteToAnOperand) {
  for (const char* line : {"st.global.b32 [{a}], {b}", "abs.f16 {d}, {a}"}) {
    const ComposedWindow window = window_of(line, "throughput.ilp4");
    std::set<Register> written;
    for (const Instruction& one : window.code) {
      const Effects effects = effects_of(one);
      written.insert(effects.writes.begin(), effects.writes.end());
    }
    // What is read before it is written comes from before the window: an operand. No later copy may have changed it.
    std::set<Register> fresh, operands;
    for (const Instruction& one : window.code) {
      const Effects effects = effects_of(one);
      for (const auto& source : effects.sources) {
        for (const Register reg : source) {
          if (!fresh.contains(reg)) operands.insert(reg);
        }
      }
      fresh.insert(effects.writes.begin(), effects.writes.end());
    }
    for (const Register reg : operands) EXPECT_FALSE(written.contains(reg)) << line << ": " << to_string(reg);
  }
}

TEST(ComposedCopies, GoAheadOfWhatWaits) {
  // The upper half of an addition waits five cycles for the carry; the next copy's lower half does not.
  const ComposedWindow window = window_of("add.s64 {d}, {a}, {b}", "latency.a");
  EXPECT_EQ(window.code[0].opcode, "IADD3");
  EXPECT_EQ(window.code[1].opcode, "IADD3");
  EXPECT_EQ(window.trial.verdict.encoded_cycles, 4.0);
}

TEST(ComposedCopies, AddWhatIsLoadedToAnAddress) {
  const ComposedWindow window = window_of("ld.const.b32 {d}, [{a}]", "latency.a");
  for (std::size_t i = 0; i + 2 < window.code.size(); i += 2) {
    EXPECT_EQ(window.code[i].opcode, "LDC");
    EXPECT_EQ(window.code[i + 1].opcode, "IADD3");
    ASSERT_GE(window.code[i].control.write_barrier, 0);
    EXPECT_NE(window.code[i + 1].control.wait_mask >> window.code[i].control.write_barrier & 1U, 0U);
    EXPECT_THAT(effects_of(window.code[i + 1]).sources, Contains(effects_of(window.code[i]).writes));
    EXPECT_THAT(effects_of(window.code[i + 2]).sources, Contains(effects_of(window.code[i + 1]).writes));
  }
  ASSERT_EQ(window.trial.verdict.via.size(), 1U);
  EXPECT_EQ(window.trial.verdict.via[0].first, "IADD3");
}

TEST(ComposedCopies, TurnAResultIntoAPredicate) {
  const ComposedWindow window = window_of("set.lt.and.u32.s32 {d}, {a}, {b}, {q}", "latency.q");
  ASSERT_EQ(window.trial.verdict.via.size(), 1U);
  EXPECT_EQ(window.trial.verdict.via[0].first, "ISETP.GE.AND");
}

TEST(ComposedCopies, ReadBothBanks) {
  for (const char* name : {"latency.a", "throughput.ilp4"}) {
    const ComposedWindow window = window_of("bfi.b32 {d}, {a}, {b}, {c}, {e}", name);
    for (const Instruction& one : window.code) {
      std::set<Register> read;
      for (const auto& source : effects_of(one).sources) read.insert(source.begin(), source.end());
      const auto even = std::ranges::count_if(read, [](Register reg) { return reg.index % 2 == 0; });
      EXPECT_TRUE(read.size() != 2 || even == 1) << name << ": " << one.text;
    }
  }
}

TEST(ComposedCopies, HaveOnlyWhatDependsOnTheOperandInAChain) {
  const ComposedWindow window = window_of("vabsdiff2.u32.u32.u32.add {d}, {a}, {b}, {c}", "latency.c");
  const std::string opcode = window.code.at(0).opcode;
  EXPECT_THAT(window.code, Each(::testing::Field(&Instruction::opcode, opcode))) << "the addition of c";
  EXPECT_EQ(std::ssize(window.code), window.trial.kernels[window.trial.which].n);
  EXPECT_THAT(window.trial.verdict.note, HasSubstr("is done once for all copies"));
}

TEST(ComposedCopies, OfAChainMayChangeAnOperandOnce) {
  // b is scaled and inverted before the window.
  const ComposedWindow window = window_of("div.full.f32 {d}, {a}, {b}", "latency.a");
  EXPECT_THAT(window.code, Each(::testing::Field(&Instruction::opcode, StartsWith("FMUL"))));
}

TEST(ComposedCopies, NeedNoMoves) {
  const ComposedWindow window = window_of("setp.lt.s16 {p}, {a}, {b}", "latency.a");
  for (const Instruction& one : window.code) EXPECT_NE(kind_of(one), "move") << one.text;
  EXPECT_THAT(window.trial.verdict.note, HasSubstr("move is left out"));
  // A move that negates is not only a move.
  const ComposedWindow negated = window_of("neg.s16 {d}, {a}", "latency.a");
  EXPECT_THAT(negated.code, Contains(::testing::ResultOf([](const Instruction& one) { return kind_of(one); }, "move")));
}

TEST(ComposedCopies, GiveTheFp64PipeItsOperandsInTime) {
  // DSETP's result is in SEL's guard after its own cycles, and what SEL writes is there for DSETP after six.
  const ComposedWindow window = window_of("set.eq.u32.f64 {d}, {a}, {b}", "latency.a");
  for (std::size_t i = 0; i + 1 < window.code.size(); ++i) {
    if (window.code[i].opcode != "SEL") continue;
    EXPECT_GE(window.code[i].control.stall, 6) << i;
  }
}

TEST(BodyWord, IsSeenWhereItAccessesMemoryOrOrdersAccesses) {
  const auto is_seen = [](const char* text) {
    BodyWord word;
    word.instruction = parse_instruction(text).value();
    return word.is_seen();
  };
  EXPECT_TRUE(is_seen("LDG.E R6, desc[UR4][R4.64]"));
  EXPECT_TRUE(is_seen("MEMBAR.ALL.GPU"));
  EXPECT_TRUE(is_seen("STS [R4], R5"));
  EXPECT_FALSE(is_seen("IADD3 R0, R1, c[0x0][0x210], R2"));
  EXPECT_FALSE(is_seen("FADD R0, R1, R2"));
}

TEST(ComposedCopies, KeepTheLastOfSeveralOnAPipe) {
  // Only the second POPC sets a scoreboard, for both.
  const ComposedWindow window = window_of("popc.b64 {d}, {a}", "latency.a");
  EXPECT_EQ(window.code[0].control.write_barrier, -1);
  EXPECT_EQ(window.code[1].opcode, "POPC");
  EXPECT_GE(window.code[1].control.write_barrier, 0);
}

TEST(ComposedCopies, OfATensorInstructionAreEvenlySpaced) {
  const ComposedWindow window =
      window_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}", "throughput.ilp4");
  for (std::size_t i = 0; i + 1 < window.code.size(); ++i) {
    EXPECT_EQ(window.code[i].control.stall, window.code[0].control.stall);
  }
}

TEST(ComposedCopies, WaitNoEarlierThanAScoreboardIsSet) {
  for (const char* line : {"mbarrier.test_wait.parity.shared.b64 {p}, [{a}], 0", "st.shared.b32 [{a}], {b}"}) {
    ComposedWindow window = window_of(line, "throughput.ilp4");
    const Listing& listing = window.trial.shown;
    const std::size_t close = clock_reads(listing).back();
    for (std::size_t i = 0; i < close; ++i) {
      const Control &set = listing.instructions[i].control, &next = listing.instructions[i + 1].control;
      if (set.stall >= least_scoreboard_distance) continue;
      EXPECT_TRUE(set.write_barrier < 0 || (next.wait_mask >> set.write_barrier & 1U) == 0) << line << " " << i;
      EXPECT_TRUE(set.read_barrier < 0 || (next.wait_mask >> set.read_barrier & 1U) == 0) << line << " " << i;
    }
  }
}

TEST(ComposedCopies, WaitForOneCopyAtATime) {
  const ComposedWindow window = window_of("ld.shared.v2.b8 {d}, [{a}]", "throughput.ilp4");
  std::map<int, int> set;
  for (const Instruction& one : window.code) {
    for (int scoreboard = 0; scoreboard < 6; ++scoreboard) {
      if ((one.control.wait_mask >> scoreboard & 1U) == 0) continue;
      EXPECT_EQ(set[scoreboard], 1) << one.text;
      set[scoreboard] = 0;
    }
    if (one.control.write_barrier >= 0) ++set[one.control.write_barrier];
  }
}

TEST(ComposedCopies, OfAFenceIssueAndWaitAsTheInstance) {
  const ComposedWindow window = window_of("fence.acq_rel.gpu", "throughput.ilp4");
  ASSERT_EQ(window.code.size() % 4, 0U);
  for (std::size_t i = 0; i + 1 < window.code.size(); i += 4) {
    EXPECT_EQ(window.code[i].text, "MEMBAR.ALL.GPU");
    EXPECT_EQ(window.code[i].control.stall, 6);
    EXPECT_EQ(window.code[i + 1].text, "ERRBAR");
    EXPECT_EQ(window.code[i + 2].control.stall, 6) << window.code[i + 2].text;
    EXPECT_EQ(window.code[i + 3].text, "CCTL.IVALL");
    EXPECT_EQ(window.code[i + 3].control.wait_mask, 0x3fU) << "for all that is under way";
  }
}

TEST(ComposedCopies, OfWhatOrdersAreAsFarApartAsPtxasLeavesTheNextInstruction) {
  const ComposedWindow window = window_of("nanosleep.u32 20", "throughput.ilp4");
  ASSERT_GT(window.code.size(), 4U);
  for (std::size_t i = 0; i + 1 < window.code.size(); ++i) EXPECT_EQ(window.code[i].control.stall, 5) << i;
}

TEST(ComposedCopies, KeepAChosenValueThatTheInstructionReturns) {
  const ComposedWindow window = window_of("atom.global.cas.b32 {d}, [{a}], {b}, {c}", "latency.b");
  ASSERT_GT(window.code.size(), 4U);
  for (std::size_t i = 1; i < window.code.size(); ++i)
    EXPECT_EQ(effects_of(window.code[i]).sources[1], effects_of(window.code[i - 1]).writes) << "what was compared with";
}

TEST(ComposedCopies, OfMovesAloneAreMoves) {
  for (const Instruction& one : window_of("cvta.to.shared.u64 {d}, {a}", "latency.a").code)
    EXPECT_EQ(one.opcode, "MOV") << one.text;
}

TEST(ComposedCopies, TakePredicatesThatTheKernelNeedsNoLonger) {
  std::set<Register> written;
  for (const Instruction& one : window_of("mad.hi.s64 {d}, {a}, {b}, {c}", "throughput.ilp1").code) {
    for (const Register reg : effects_of(one).writes)
      if (reg.file == RegisterFile::Predicate) written.insert(reg);
  }
  EXPECT_GT(written.size(), 4U) << "so many are free";
}

TEST(ComposedCopies, OnEveryArchitecture) {
  for (const char* arch : {"sm_80", "sm_86", "sm_90a", "sm_100a", "sm_120a"}) {
    SCOPED_TRACE(arch);
    window_of("and.b32 {d}, {a}, {b}", "latency.a", arch);
    window_of("st.global.b32 [{a}], {b}", "throughput.ilp4", arch);
  }
}

TEST(ComposedCopies, WhatBranchesIsLeftToTheCompiler) {
  const auto all = compile_lines({"bfind.u64 {d}, {a}", "div.rn.f32 {d}, {a}, {b}"}, "sm_90a", false);
  EXPECT_EQ(all[0].compiled.trials[0].verdict.code, "folded");
  EXPECT_THAT(all[0].compiled.trials[0].tried, HasSubstr("composed: "));
  EXPECT_TRUE(all[1].compiled.trials[0].verdict.verified());
  EXPECT_FALSE(all[1].compiled.trials[0].experiment.composed);
}

TEST(KnownForms, RoundingDoesNotChangeWhenAResultIsReady) {
  const Arch arch = parse_arch("sm_90a").value();
  const KnownForms forms(forms_of(arch), form_times_of(arch));
  const auto ready = [&](const std::string& text) { return forms.ready(parse_instruction(text).value()); };
  EXPECT_EQ(ready("FADD.FTZ.RZ R0, |R1|, -RZ"), ready("FADD R0, R1, R2"));
  EXPECT_EQ(ready("HMMA.16816.F32 R4, R8, R12, R4"), 24);
  EXPECT_EQ(ready("UNKNOWN R0, R1"), 15) << "a distance that is always enough";
}

/// The kernel into which copies of an AND are placed.
Listing room_kernel(PtxInstruction& instruction) {
  instruction = testing::instruction_of("and.b32 {d}, {a}, {b}");
  Experiment experiment{.question = Question::Throughput, .ilp = 4, .composed = true, .words = 1, .quads = 2};
  const auto windows = testing::windows_of({{"and.b32 {d}, {a}, {b}", experiment}});
  return windows[0].kernels.front().listing;
}

TEST(RoomOf, FindsTheOperandsAndTheScratchRegisters) {
  PtxInstruction instruction;
  const auto room = must(room_of(room_kernel(instruction), instruction, 0));
  EXPECT_EQ(room.operands.size(), 2U);
  EXPECT_EQ(room.scratch.size(), 8U);
  for (const auto& [element, registers] : room.operands) {
    for (const Register reg : registers) EXPECT_THAT(room.scratch, Not(Contains(reg.index)));
  }
}

TEST(RoomOf, RefusesOperandsThatMoveOrMayComeLate) {
  PtxInstruction instruction;
  const Listing sound = room_kernel(instruction);
  const auto reads = clock_reads(sound);
  Listing moved = sound;
  for (std::size_t i = reads.back(); i-- > reads.front();) {
    if (moved.instructions[i].opcode != "STS") continue;
    moved.instructions[i].operands.back() = "R200";
    break;
  }
  EXPECT_THAT(room_of(moved, instruction, 0).error().text, HasSubstr("change inside it"));
  Listing late = sound;
  for (std::size_t i = 0; i <= reads.front(); ++i) late.instructions[i].control.wait_mask = 0;
  EXPECT_THAT(room_of(late, instruction, 0).error().text, HasSubstr("may come after the opening clock read"));
}

TEST(RoomOf, APredicateThatIsReadBehindTheHoleIsNotSpare) {
  PtxInstruction instruction;
  const Listing sound = room_kernel(instruction);
  const auto room = must(room_of(sound, instruction, 0));
  ASSERT_THAT(room.spare_predicates, Not(IsEmpty()));
  for (const int spare : room.spare_predicates) EXPECT_THAT(room.hole.predicates, Not(Contains(spare)));
  Listing read = sound;
  read.instructions[clock_reads(read).back() + 1].predicate = fmt::format("P{}", room.spare_predicates.front());
  EXPECT_THAT(must(room_of(read, instruction, 0)).spare_predicates, Not(Contains(room.spare_predicates.front())));
}

}  // namespace
}  // namespace warpclock
