#include <gtest/gtest.h>

#include "compile/compiler/nvrtc.hpp"

namespace warpclock {
namespace {

Error error_of(std::string log, std::string ptx = {}) {
  Compilation failed;
  failed.log = std::move(log);
  failed.ptx = std::move(ptx);
  failed.headers = {"probe.cuh", "shuffle/latency.cu"};
  return compile_error(failed);
}

TEST(CompileError, TakesTheFirstErrorOfTheFrontEnd) {
  const Error error = error_of(
      "probe.cuh(3): warning #177-D: variable \"x\" was declared but never referenced\n"
      "shuffle/latency.cu(12): error: identifier \"MODE\" is undefined\n"
      "    asm(MODE);\n        ^\n\n"
      "shuffle/latency.cu(13): error: expected a \";\"\n\n2 errors detected in the compilation of \"generated.cu\".\n");
  EXPECT_EQ(error.code, "compile-error");
  EXPECT_EQ(error.text, "identifier \"MODE\" is undefined");
  EXPECT_EQ(error.place, "shuffle/latency.cu:12");
}

TEST(CompileError, KnowsTheOtherKindsOfError) {
  EXPECT_EQ(error_of("a.cu(1): catastrophic error: #error directive: no\n").place, "a.cu:1");
  EXPECT_EQ(error_of("a (b).cu(7): error #20-D: identifier: undefined\n").place, "a (b).cu:7");
  EXPECT_EQ(error_of("a.cu(7): error #20-D: identifier: undefined\n").text, "identifier: undefined");
}

TEST(CompileError, FindsTheSourceOfAStatementThatPtxasRefused) {
  const Error error = error_of(
      "ptxas application ptx input, line 4; error   : Unknown modifier '.bogus'\n"
      "ptxas application ptx input, line 6; error   : something later\nptxas fatal   : Ptx assembly aborted due to "
      "errors\n",
      "entry\n\t.loc\t2 15 9\n\t// begin inline asm\n\tshfl.sync.bogus.b32 %r1;\n\t.loc\t1 99 1\nnext\n"
      "\t.file\t1 \"/somewhere/probe.cuh\"\n\t.file\t2 \"/somewhere/shuffle/latency.cu\"\n");
  EXPECT_EQ(error.place, "shuffle/latency.cu:15");
  EXPECT_EQ(error.text, "Unknown modifier '.bogus' in `shfl.sync.bogus.b32 %r1;`");
}

TEST(CompileError, SaysWhatPtxasSaidOfAWholeKernel) {
  const Error error =
      error_of("ptxas warning : slow\nptxas error   : Entry function 'c0_n1' uses too much shared data\n");
  EXPECT_EQ(error.text, "Entry function 'c0_n1' uses too much shared data");
  EXPECT_EQ(error.place, "");
}

TEST(CompileError, NeverComesWithoutAText) {
  EXPECT_FALSE(error_of("").text.empty());
  EXPECT_EQ(error_of("\n\nnvrtc: error: invalid value for --gpu-architecture (-arch)\n").text,
            "nvrtc: error: invalid value for --gpu-architecture (-arch)");
  for (const char* odd : {"(): ", "): error", "x(9): ", "x(9): error", "ptxas", "ptxas error : ",
                          "ptxas , line ; error : x", "ptxas , line 99999999999999999999; error : x", "(1): error: "}) {
    EXPECT_EQ(error_of(odd, ".loc\n.loc 1\n.file\n.file \"\n").code, "compile-error") << odd;
  }
}

}  // namespace
}  // namespace warpclock
