#include "ptx/snippet.hpp"

#include <gtest/gtest.h>

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

std::vector<std::string> statements(std::string_view text) {
  return mapped(must(parse_snippet(text)).lines, [](const PtxLine& line) { return to_string(line); });
}

std::string snippet_complaint(std::string_view text) {
  const auto snippet = parse_snippet(text);
  return snippet ? "accepted" : snippet.error().code + ": " + snippet.error().message();
}

TEST(Snippet, HoldsStatementsAsAListingDoes) {
  EXPECT_THAT(statements("\t.loc 1 12 3\n\tadd.s32 \t%r1, %r2, %r3; mul.lo.s32 %r4, %r1, 3; // twice\n"
                         "/* and */ @%p1 st.shared.u32 [%r4+8], %r1;\n\t.pragma \"nounroll\";\n"),
              ElementsAre("add.s32 %r1, %r2, %r3", "mul.lo.s32 %r4, %r1, 3", "@%p1 st.shared.u32 [%r4+8], %r1"));
}

TEST(Snippet, KnowsThePlaceOfEveryStatement) {
  const auto snippet = parse_snippet("add.s32 %r1, %r2, %r3;\n  // here\n  neg.s32 %r4, %r1;").value();
  EXPECT_EQ(snippet.lines[1].line, 3);
  EXPECT_EQ(snippet.lines[1].column, 3);
  EXPECT_EQ(snippet.lines[1].operands[1].column, 16);
}

TEST(Snippet, KeepsTheTypesOfRegisters) {
  const auto snippet = parse_snippet(".reg .pred p, %q<3>;\n.reg .b16 h;\nmov.b16 h, 3;").value();
  EXPECT_EQ(snippet.type_of("p"), "pred");
  EXPECT_EQ(snippet.type_of("%q2"), "pred");
  EXPECT_EQ(snippet.type_of("%q"), "");
  EXPECT_EQ(snippet.type_of("h"), "b16");
  EXPECT_EQ(snippet.type_of("h1"), "");
}

TEST(Snippet, RegistersOfBracesAreNotThoseOutside) {
  EXPECT_THAT(statements(".reg .b32 t; neg.s32 t, %r1; { .reg .b32 t; neg.s32 t, %r2; add.s32 %r3, t, t; } neg.s32 "
                         "%r4, t;"),
              ElementsAre("neg.s32 t, %r1", "neg.s32 t_2, %r2", "add.s32 %r3, t_2, t_2", "neg.s32 %r4, t"));
}

TEST(Snippet, SaysWhatIsNoBlockAndWhere) {
  EXPECT_EQ(snippet_complaint(""), "ptx: 1:1: there is no instruction");
  EXPECT_EQ(snippet_complaint("// nothing"), "ptx: 1:1: there is no instruction");
  EXPECT_THAT(snippet_complaint("neg.s32 %r1, %r2;\n$L__BB0_2: neg.s32 %r1, %r1;"),
              HasSubstr("ptx-unsupported: 2:1: a label"));
  EXPECT_THAT(snippet_complaint("neg.s32 %r1, %r2;\n .shared .b8 x[4];"),
              HasSubstr("ptx-unsupported: 2:2: the directive '.shared'"));
  EXPECT_EQ(snippet_complaint("neg.s32 %r1, %r2"), "ptx: 1:17: expected ',' or ';', found the end of the line");
  EXPECT_EQ(snippet_complaint("membar.gl"), "ptx: 1:10: expected ';', found the end of the line");
  EXPECT_EQ(snippet_complaint("{ neg.s32 %r1, %r2;"), "ptx: 1:1: this '{' has no '}'");
  EXPECT_EQ(snippet_complaint("neg.s32 %r1, %r2; }"), "ptx: 1:19: there is no '{' for this '}'");
  EXPECT_EQ(snippet_complaint(".reg .f33 %f1;"), "ptx: 1:6: '.f33' is not the type of a register");
  EXPECT_EQ(snippet_complaint(".reg .f32 %f1 neg.s32 %r1, %r2;"), "ptx: 1:15: expected ',' or ';', found 'n'");
  EXPECT_EQ(snippet_complaint(".reg .f32 %f<2;"), "ptx: 1:15: expected '>', found ';'");
  EXPECT_EQ(snippet_complaint("/* neg"), "ptx: 1:1: this comment has no end");
}

TEST(Snippet, IsOnlySoLong) {
  std::string text;
  for (std::size_t i = 0; i < max_snippet_statements; ++i) text += "membar.gl;\n";
  EXPECT_EQ(snippet_complaint(text), "accepted");
  EXPECT_EQ(snippet_complaint(text + "membar.gl;"), "ptx: 257:1: a block has at most 256 instructions");
  EXPECT_EQ(snippet_complaint(std::string(max_snippet_bytes + 1, ' ')),
            "ptx: 1:1: 65537 bytes are too long for a block (at most 65536)");
}

TEST(Snippet, NeverCrashesOnWhatIsCutOff) {
  const std::string whole =
      ".reg .pred p<3>;\n{ .reg .b32 t; @!p1 mma.sync {%f1, _}, [%rd1+-4], !p2, 0x1f; } .loc 1 2\n.pragma \"x\"; ret;";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    for (const char* extra : {"", "{", "}", ".", ";", ":", "<", "@", "/*", "%"}) {
      const auto snippet = parse_snippet(whole.substr(0, size) + extra);
      if (!snippet) {
        EXPECT_TRUE(snippet.error().place.contains(':'));
      }
    }
  }
}

}  // namespace
}  // namespace warpclock
