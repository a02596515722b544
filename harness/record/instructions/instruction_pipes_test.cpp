#include "base/testing/matchers.hpp"
#include "record/instructions/instruction_assemble.hpp"

namespace warpclock {
namespace {

using ::testing::UnorderedElementsAre;

/// A trial whose largest kernel executes `further` in addition.
Trial copies_of(const Code& further) {
  Trial one;
  one.kernels = {{6, "k6", "a"}, {12, "k12", "a"}, {24, "k24", "a"}};
  one.further = further;
  return one;
}

Expansion expansion_of(const std::string& opcode, const std::string& kind) {
  Expansion expansion;
  expansion.opcodes = {opcode};
  expansion.kinds = {{kind, 1}};
  return expansion;
}

TEST(OtherPipes, AreThoseOfAllThatIsNotTheInstruction) {
  const Expansion own = expansion_of("FFMA", "FFMA");
  EXPECT_THAT(other_pipes(copies_of({{{"FFMA", "FFMA"}, 12}}), own, 12), IsEmpty());
  // Moves outside the window that use another opcode.
  EXPECT_THAT(
      other_pipes(copies_of({{{"FFMA", "FFMA"}, 12}, {{"MOV", "move"}, 6}, {{"IMAD.MOV.U32", "move"}, -3}}), own, 12),
      UnorderedElementsAre(::testing::Pair("alu", 0.5), ::testing::Pair("fma", -0.25)));
  // A link is counted by its opcode, not by its kind, which has several pipes.
  EXPECT_THAT(other_pipes(copies_of({{{"LDSM.16.M88", "LDSM.16.M88"}, 12}, {{"IMAD.IADD", "integer add"}, 12}}),
                          expansion_of("LDSM.16.M88", "LDSM.16.M88"), 12),
              ElementsAre(::testing::Pair("fma", 1)));
}

TEST(OtherPipes, OfTheSameKindAreWhatIsMoreThanTheInstruction) {
  const Expansion own = expansion_of("IMAD.IADD", "integer add");
  EXPECT_THAT(other_pipes(copies_of({{{"IADD3", "integer add"}, 12}, {{"IMAD.IADD", "integer add"}, 12}}), own, 12),
              ElementsAre(::testing::Pair("alu", 1)));
  EXPECT_THAT(other_pipes(copies_of({{{"IADD3", "integer add"}, 6}, {{"IMAD.IADD", "integer add"}, 6}}), own, 12),
              IsEmpty())
      << "the compiler chooses between them";
}

CopyCounters counters_of(std::map<std::string, double> larger) {
  CopyCounters counters;
  for (const auto& [name, value] : larger) counters.smaller[name] = 100;
  counters.larger = std::move(larger);
  counters.copies = 10;
  counters.planned = 10;
  return counters;
}

TEST(AddCounters, APipeIsOneThatMoreThanTheLinksRunOn) {
  Row row;
  CopyCounters counters = counters_of({{"smsp__inst_executed_pipe_fma.sum", 110},
                                       {"smsp__inst_executed_pipe_alu.sum", 120},
                                       {"smsp__inst_executed_pipe_xu.sum", 100}});
  counters.others = {{"alu", 2}};
  add_counters(counters, row);
  EXPECT_THAT(row.pipes, ElementsAre("fma"));
  EXPECT_THAT(row.counters, UnorderedElementsAre(::testing::Pair("smsp__inst_executed_pipe_fma.sum", 1),
                                                 ::testing::Pair("smsp__inst_executed_pipe_alu.sum", 2)));
  counters.others = {{"alu", 1}};
  add_counters(counters, row);
  EXPECT_THAT(row.pipes, UnorderedElementsAre("alu", "fma"));
}

TEST(AddCounters, ASecondSetAddsToTheFirst) {
  Row row;
  add_counters(counters_of({{"smsp__inst_executed_pipe_xu.sum", 110}}), row);
  add_counters(counters_of({{"smsp__inst_executed_pipe_alu.sum", 110}, {"smsp__inst_executed_pipe_fma.sum", 101}}),
               row);
  EXPECT_THAT(row.pipes, ElementsAre("alu", "xu")) << "a tenth of an instruction a copy is none of the copies";
  EXPECT_THAT(row.counters, SizeIs(3));
}

TEST(AddCounters, MoreExecutedThanPlannedIsAFinding) {
  Row row;
  add_counters(counters_of({{"smsp__inst_executed.sum", 110}}), row);
  EXPECT_THAT(row.instruction.findings, IsEmpty());
  add_counters(counters_of({{"smsp__inst_executed.sum", 130}}), row);
  ASSERT_EQ(row.instruction.findings.size(), 1U);
  EXPECT_THAT(row.instruction.findings.front(), HasSubstr("each copy executes 3 instructions"));
  add_counters(counters_of({{"smsp__inst_executed.sum", 110}}), row);
  EXPECT_THAT(row.instruction.findings, IsEmpty()) << "a later reading takes its place";
}

TEST(AddCounters, WithoutPermissionSayWhy) {
  Row row;
  CopyCounters counters = counters_of({{"smsp__inst_executed_pipe_fma.sum", 110}});
  counters.missing = "no permission";
  add_counters(counters, row);
  EXPECT_EQ(row.counters_missing, "no permission");
  EXPECT_THAT(row.pipes, IsEmpty());
  EXPECT_THAT(row.counters, IsEmpty());
}

}  // namespace
}  // namespace warpclock
