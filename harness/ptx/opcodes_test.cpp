#include "ptx/opcodes.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

std::string opcode_row(const std::string& row) {
  return "opcodes:\n  - section: Tests\n    kind: arithmetic\n    rows:\n      - {" + row + "}\n";
}

/// Place and text of the error, or "loads".
std::string opcode_complaint(const std::string& text) {
  const auto loaded = load_opcodes("opcodes.yaml", text);
  if (!loaded) return loaded.error().code == "config" ? loaded.error().message() : "wrong code";
  return "loads";
}

TEST(Opcodes, TheCommittedTableHasWhatPtxHas) {
  const std::vector<std::string> opcodes = testing_table().opcodes();
  EXPECT_GT(opcodes.size(), 130u);
  EXPECT_TRUE(std::ranges::is_sorted(opcodes));
  for (const auto* opcode : {"add", "fma", "lop3", "cvt", "ld", "atom", "mma", "mbarrier", "wgmma", "tcgen05", "bra"}) {
    EXPECT_THAT(opcodes, Contains(opcode));
  }
}

TEST(Opcodes, RowsKnowTheirSectionAndKind) {
  const auto loaded = must(load_opcodes(
      "o.yaml",
      opcode_row("opcode: [sin, cos], operands: [=d:T, a:T], sass: {f32|f16: [A, B], f64 rn: C}, when: [x]")));
  const OpcodeRow& row = loaded.rows.at("cos").at(0);
  EXPECT_EQ(row.section, "Tests: cos");
  EXPECT_EQ(row.kind, "arithmetic");
  EXPECT_EQ(row.place, "o.yaml:5:9");
  EXPECT_THAT(row.sass, ElementsAre("f32|f16:A", "f32|f16:B", "f64 rn:C"));
  EXPECT_THAT(row.when, ElementsAre("x"));
}

TEST(Opcodes, TheFirstRowThatFitsIsTaken) {
  const std::string text = opcode_row("opcode: op, when: [wide|half, x], operands: [=first:b32]") +
                           "      - {opcode: op, without: [y|z], operands: [=second:b32]}\n"
                           "      - {opcode: op, operands: [=third:b32]}\n";
  const auto loaded = must(load_opcodes("o.yaml", text));
  const auto name = [&](std::string_view line) {
    const auto instruction = describe(*parse_ptx(line), loaded);
    return instruction ? instruction->operands.at(0).name : instruction.error().message();
  };
  EXPECT_EQ(name("op.wide.x %r1"), "first");
  EXPECT_EQ(name("op.half.x.y %r1"), "first");
  EXPECT_EQ(name("op.wide %r1"), "second");
  EXPECT_EQ(name("op.x.z %r1"), "third");
}

TEST(Opcodes, APlaceholderThatStandsTwiceIsReadAndWrittenWhateverComesFirst) {
  const auto loaded = must(load_opcodes("o.yaml", opcode_row("opcode: op, operands: [a:b32, =d:b32]")));
  EXPECT_EQ(summary(*describe(*parse_ptx("op {x}, {x}"), loaded)), "x+b32:b32");
}

TEST(Opcodes, AMalformedTableIsRefusedAtItsPlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"opcode: a, operands: [d]", "opcodes.yaml:5:32: operands[0]: 'd' has no type"},
      {"opcode: a, operands: [D:T]", "opcodes.yaml:5:32: operands[0]: 'D' is not the name of an operand"},
      {"opcode: a, operands: [d:f23]", "opcodes.yaml:5:32: operands[0]: 'f23' is not the type of an operand"},
      {"opcode: a, operands: [d:T9]", "opcodes.yaml:5:32: operands[0]: 'T9' is not the type of an operand"},
      {"opcode: a, operands: [d:T*z]", "opcodes.yaml:5:32: operands[0]: 'z' is not a number of elements"},
      {"opcode: a, operands: [d:fragment.e]", "opcodes.yaml:5:32: operands[0]: 'e' is not a matrix (a, b, c, d)"},
      {"opcode: a, operands: [d:addr.moon]", "opcodes.yaml:5:32: operands[0]: '.moon' is not a space of an address"},
      {"opcode: a, operands: [d:addr/x]",
       "opcodes.yaml:5:32: operands[0]: 'x' is not a number of bytes from 0 to 1024"},
      {"opcode: a, operands: [d:T~zeros]",
       "opcodes.yaml:5:32: operands[0]: unknown value 'zeros' (did you mean 'zero'?)"},
      {"opcode: a, operands: [d:imm=]", "opcodes.yaml:5:32: operands[0]: a constant needs a value"},
      {"opcode: a, operands: [=d:imm=3]", "opcodes.yaml:5:32: operands[0]: 'd' cannot be written: only registers can"},
      {"opcode: a, operands: [=d:addr]", "opcodes.yaml:5:32: operands[0]: 'd' cannot be written: only registers can"},
      {"opcode: a, operands: [\"a:T|b:T|c:T\"]", "opcodes.yaml:5:32: operands[0]: more than two operands in a pair"},
      {"opcode: a, unsupported: x, probes: [kernels]",
       "opcodes.yaml:5:45: probes: [suite, pattern] of the probes that measure an unsupported opcode is expected"},
      {"opcode: a, probes: [kernels, a/*]",
       "opcodes.yaml:5:29: probes: [suite, pattern] of the probes that measure an unsupported opcode is expected"},
      {"opcode: a, kind: odd", ""},
      {"opcode: a, colour: red", ""},
      {"operands: [d:T]", ""},
      {"opcode: [a, a]",
       "opcodes.yaml:5:22: opcode[1]: 'a' is never reached after the row without conditions at "
       "opcodes.yaml:5:9"},
  };
  for (const auto& [row, expected] : cases) {
    const std::string message = opcode_complaint(opcode_row(row));
    if (!expected.empty()) {
      EXPECT_EQ(message, expected) << row;
    }
    EXPECT_THAT(message, StartsWith("opcodes.yaml:5:")) << row;
  }
  EXPECT_EQ(opcode_complaint(opcode_row("opcode: a")), "loads");
}

TEST(Slots, SayWhatTheLanguageSays) {
  const auto slots = parse_slots("=d:T*v|(+p:pred@and/or)").value();
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_TRUE(slots[0].written && !slots[0].read && !slots[0].optional && !slots[0].pair);
  EXPECT_EQ(slots[0].type, "T");
  EXPECT_EQ(slots[0].count, "v");
  EXPECT_TRUE(slots[1].written && slots[1].read && slots[1].optional && slots[1].pair);
  EXPECT_THAT(slots[1].only_with, ElementsAre("and", "or"));
  EXPECT_EQ(parse_slots("a:addr.shared::cluster/8").value()[0].space, "shared::cluster");
  EXPECT_EQ(parse_slots("a:addr/8").value()[0].bytes, 8);
  EXPECT_EQ(parse_slots("m:fixed={0, 0}").value()[0].value, "{0, 0}");
}

}  // namespace
}  // namespace warpclock
