#include <fstream>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "cli/answers/answers.hpp"
#include "measure/inputs.hpp"
#include "plan/plan.hpp"

namespace warpclock {
namespace {

Subject asked(const std::string& line) { return subject_of(line, opcode_table().value(), {}).value(); }

TEST(Subjects, ARegisterThatStandsTwiceIsOneOperand) {
  EXPECT_EQ(asked("and.b32 %r1, %r2, %r2;").ptx, "and.b32 {d}, {a}, {a}");
  EXPECT_EQ(asked("add.s32 %r1, %r1, %r1;").ptx, "add.s32 {d}, {a}, {a}");
}

TEST(Subjects, AFileOfOneLineIsThatLine) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.path() + "/one.ptx";
  std::ofstream(file) << "mul.f32 %f1, %f2, %f2;\n";
  const Subject subject = subject_in(file, opcode_table().value(), {}).value();
  EXPECT_EQ(subject.ptx, "mul.f32 {d}, {a}, {a}");
}

TEST(Subjects, ATitleIsOneShortLine) {
  EXPECT_EQ(title_of({"  add.s32 %r1,\t%r2, %r3 ; "}), "add.s32 %r1, %r2, %r3");
  EXPECT_EQ(title_of({"\x1b[31mred"}), "\\x1b[31mred");
  EXPECT_LT(title_of({std::string(1000000, 'a')}).size(), 130U);
}

TEST(Subjects, ErrorsHaveTheNumberOfTheLine) {
  const Error error{"ptx", "no", "1:5"};
  EXPECT_EQ(error_in({"a", 7}, error).place, "7:5");
  EXPECT_EQ(error_in({"a"}, error).place, "1:5") << "an argument";
  EXPECT_EQ(with_line({"a b"}, error).message(), "1:5: no\n  a b");
}

TEST(Subjects, ProbesThatMeasureAnUnsupportedOpcodeExist) {
  const Suite suite = load_inputs({}).value().suite;
  std::size_t named = 0;
  const OpcodeTable table = opcode_table().value();
  for (const auto& [opcode, rows] : table.rows) {
    for (const OpcodeRow& row : rows) {
      if (row.probes.empty()) continue;
      ++named;
      const auto cases = plan(suite, {90, true}, {.suite = row.suite, .patterns = {row.probes}});
      EXPECT_TRUE(cases) << row.place << ": " << cases.error().text;
    }
  }
  EXPECT_GT(named, 15U);
}

TEST(Subjects, WhatBecameAConstantIsKnown) {
  const MadeConstant mask{"%r4", "0xffffffff"};
  EXPECT_THAT(asked("shfl.sync.bfly.b32 %r1, %r2, 1, 31, %r4;").constants, ElementsAre(mask));
  EXPECT_THAT(asked("shfl.sync.bfly.b32 %r1, %r2, 1, 31, 0x0f;").constants, IsEmpty());
  EXPECT_THAT(asked("mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;").constants,
              ElementsAre(MadeConstant{"%r2", "0"}));
  const testing::TemporaryFolder folder;
  const std::string file = folder.path() + "/two.ptx";
  std::ofstream(file) << "neg.s32 %r2, %r3; shfl.sync.bfly.b32 %r1, %r2, 1, 31, %r4;";
  EXPECT_THAT(subject_in(file, opcode_table().value(), {}).value().constants, ElementsAre(mask));
}

}  // namespace
}  // namespace warpclock
