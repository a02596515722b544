#include <gtest/gtest.h>

#include <array>
#include <new>
#include <string>

#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "cli/command.hpp"

namespace warpclock {
namespace {

TEST(Guarded, SaysWhichCommandAnExceptionEnded) {
  std::string program = "warpclock", inspect = "inspect", file = "big\x1b.cubin";
  const std::array<char*, 3> command = {program.data(), inspect.data(), file.data()};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(guarded(command, []() -> int { throw std::bad_alloc(); }), 2);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warpclock: out of memory: free some, or give it less at once; this was the command: warpclock inspect "
            "big?.cubin\n");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(guarded(command, [] { return 1; }), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string message;  ///< a part of it
};

TEST(CommandLine, AMistakeIsNamedWithWhatWasMeant) {
  const std::vector<Mistake> mistakes = {
      {{}, "name a command: run, ask, show, cycles, "},
      {{"cyclse"}, "there is no command 'cyclse' (did you mean 'cycles'?)"},
      {{"verfiy", "--quick"}, "there is no command 'verfiy' (did you mean 'verify'?)"},
      {{"frobnicate"}, "there is no command 'frobnicate' (one of run, ask, show, cycles, "},
      {{"cycles", "--jsno", "add.s32 {d}, {a}, {b}"}, "cycles has no option '--jsno' (did you mean '--json'?)"},
      {{"run", "--exlusive"}, "run has no option '--exlusive' (did you mean '--exclusive'?)"},
      {{"verify", "--archs=sm_80"}, "verify has no option '--archs=sm_80' (did you mean '--arch'?)"},
      {{"replay", "a.json", "b.json"}, "replay: 'b.json' is one argument too many"},
      {{"compare", "a.json"}, "compare: after is required"},
      {{"export", "jsno"},
       "export: format: jsno not in {json,csv,c++,python,accel-sim,triton,triton-def,peaks,roofline,roofline-svg,xml} "
       "(did you mean "
       "'json'?)"},
      {{"schema", "x not in {"}, "schema: record: x not in { not in {record,"},
      {{"schema", "}: not in {"}, "schema: record: }: not in { not in {record,"},
      {{"cycles", "--arch", "", "add.s32 {d}, {a}, {b}"}, "no architecture is named"},
      {{"check", "--blocks", "1", "--seed", "99999999999999999999"}, "--seed: '99999999999999999999' is too large"},
      {{"check", "--blocks", "-99999999999999999999"}, "--blocks: '-99999999999999999999' is too large"},
      {{"predict", "a.cubin", "--limit", "NaN"}, "--limit: 'NaN' is not a finite number"},
      {{"predict", "a.cubin", "--limit", "-nan"}, "--limit: '-nan' is not a finite number"},
      {{"predict", "a.cubin", "--limit", "inf"}, "--limit: 'inf' is not a finite number"},
      {{"predict", "a.cubin", "--limit", "1e999"}, "--limit: '1e999' is not a finite number"},
      {{"fleet", "DIR", "--within", "nan"}, "--within: 'nan' is not a finite number"},
      {{"list", "--arch", "sm_99"}, "does not know sm_99: say sm_"},
      {{"list", "--arch", "sm_90a,"}, "unknown architecture ''"},
      {{"list", "\x1b[31mred"}, "'\\x1b[31mred' matches no case"},
      {{"list", std::string(100000, 'a')}, "aaa..."},
      {{"\x1b[31mred"}, "there is no command '\\x1b[31mred'"},
  };
  for (const Mistake& mistake : mistakes) {
    std::vector<std::string> arguments = mistake.arguments;
    arguments.insert(arguments.begin(), WARPCLOCK_PROGRAM);
    const auto ran = run_process(arguments).value();
    EXPECT_EQ(ran.exit_code, 2) << mistake.message;
    EXPECT_THAT(ran.out, IsEmpty()) << mistake.message;
    EXPECT_THAT(ran.err, HasSubstr(mistake.message));
    EXPECT_THAT(ran.err, Not(HasSubstr("\x1b"))) << mistake.message;
    EXPECT_LT(ran.err.size(), 2100U) << mistake.message;
  }
}

}  // namespace
}  // namespace warpclock
