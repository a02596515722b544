#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "compile/testing/probes.hpp"
#include "measure/compile_cases.hpp"
#include "measure/inputs.hpp"

// What a person gets wrong who writes a probe: each mistake is one change of the example in probes/README.md.

namespace warpclock {
namespace {

const std::string good_kernel = R"(#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("popc.b32 %0, %0;" : "+r"(v));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
)";

const std::string good_config = R"(family: bits
probes:
  - name: popc
    asks: How long from popc's issue to the use of its result?
    suites: [smoke, full]
    sweep: {width: [32]}
    repeat: [16, 64, 128]
    launch: {warps: 1}
    data: {fill: unit}
    window: {target: POPC, count: [n], chain: true}
    measures:
      - {name: latency, method: slope, unit: cycles}
)";

/// The first thing that the program says of a probe.
std::string said_of(const std::string& kernel_text, const std::string& config_text) {
  const testing::TemporaryFolder folder;
  const Selection selection{.probes_dir = folder.path() + "/probes", .configs_dir = folder.path() + "/configs"};
  EXPECT_TRUE(write_file_atomically(selection.probes_dir + "/bits/popc.cu", kernel_text, Synced::No));
  EXPECT_TRUE(write_file_atomically(selection.configs_dir + "/bits.yaml", config_text, Synced::No));
  const auto without_folder = [&](const std::string& text) { return replace_all(text, folder.path() + "/", ""); };
  const auto inputs = load_inputs(selection);
  if (!inputs) return without_folder(inputs.error().message());
  const auto cases = planned(*inputs, selection, {{90, true}});
  if (!cases) return without_folder(cases.error().message());
  CompileCasesOptions how;
  how.cache_dir = folder.path() + "/cache";
  how.quiet = true;
  const auto compiled = compile_cases(*cases, inputs->sources, how);
  if (!compiled) return without_folder(compiled.error().message());
  for (const CompiledCase& one : *compiled) {
    if (!one.build) return without_folder(one.build.error().code + ": " + one.build.error().message());
    if (const Verdict* rejection = one.rejection()) return rejection->code + ": " + rejection->text;
  }
  const std::vector<std::string> unused = unused_parameters(*cases, inputs->sources);
  return unused.empty() ? "verified" : unused.front();
}

struct Mistake {
  std::string from, to;  ///< replaced in the kernel or in the config, whichever has it
  std::string message;   ///< a part of what is said
};

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"    window.open();\n", "",
       "clock-mismatch: the clock is read once; a window needs an opening and a closing read; bits/popc.cu never calls "
       "open()"},
      {"    window.close();\n", "",
       "clock-mismatch: the clock is read once; a window needs an opening and a closing read; bits/popc.cu never calls "
       "close()"},
      {"  window.report(args);\n", "",
       "clock-mismatch: the clock is read once; a window needs an opening and a closing read; bits/popc.cu never calls "
       "report()"},
      {"    window.ready(v);\n", "", "was issued before it and is outstanding when the clock is first read"},
      {"    window.wait(v);\n", "", "no instruction before it reads the result"},
      {"\"popc.b32 %0, %0;\"", "\"popcc.b32 %0, %0;\"",
       "compile-error: bits/popc.cu:10: Not a name of any known instruction: 'popcc'"},
      {"\"+r\"(v)", "\"+r\"(w)", "compile-error: bits/popc.cu:10: identifier \"w\" is undefined"},
      {"i < N;", "i < N + 1;", "count: POPC occurs 17 times in the window instead of 16 times"},
      {"#include \"probe.cuh\"\n", "#include \"prob.cuh\"\n",
       "compile-error: bits/popc.cu:1: no file 'prob.cuh' among the probes (an include names the path below probes/)"},
      {"asm volatile(\"popc.b32 %0, %0;\" : \"+r\"(v));",
       "{ asm volatile(\"popc.b32 %0, %0;\" : \"+r\"(v)); asm volatile(\"xor.b32 %0, %0, 5;\" : \"+r\"(v)); }",
       " is in the window and the probe does not declare LOP3.LUT"},
      {"asm volatile(\"popc.b32 %0, %0;\" : \"+r\"(v));",
       "{ u32 w; asm volatile(\"popc.b32 %0, %1;\" : \"=r\"(w) : \"r\"(v)); window.wait(w); }",
       "ptxas folded the repetition (is an operand"},
      {"i < N;", "i < WIDHT;", "compile-error: bits/popc.cu:9: identifier \"WIDHT\" is undefined"},
      {"u32 v = input(args, 0);", "u32 v = input(args);",
       "compile-error: bits/popc.cu:5: too few arguments in function call"},
      {"PROBE {", "PROB {", "compile-error: bits/popc.cu:3: this declaration has no storage class or type specifier"},
      {"target: POPC", "target: FFMA",
       "FFMA occurs 0 times in the window instead of 16 times; POPC occurs 16 times: is that the target?"},
      {"target: POPC", "target: popc",
       "configs/bits.yaml:10:22: window.target: 'popc' is not an opcode (write HMMA.16816.F32)"},
      {"target: POPC", "target: POPC.X", "; POPC occurs 16 times: is that the target?"},
      {"count: [n]", "count: [n, 2]",
       "broken-chain: POPC occurs 16 times in the window instead of 32 times: the compiler re-associated or merged the "
       "links of the chain, or `count` claims too many"},
      {"count: [n]", "count: [m]", "configs/bits.yaml:10:36: window.count[0]: unknown parameter 'm' (one of width, n)"},
      {"count: [n]", "count: [n, width]",
       "broken-chain: POPC occurs 16 times in the window instead of 512 times: the compiler re-associated or merged "
       "the links of the chain, or `count` claims too many"},
      {"sweep: {width: [32]}", "sweep: {width: [32, 64]}",
       "bits/popc on sm_90a: 'width' changes nothing: its kernel does not use WIDTH"},
      {"sweep: {width: [32]}", "sweep: {width: [32, 32]}",
       "configs/bits.yaml:6:25: sweep.width[1]: the value 32 is given twice"},
      {"sweep: {width: [32]}", "sweep: {width: [32, wide]}",
       "configs/bits.yaml:6:25: sweep.width[1]: 32 and wide: the values of a parameter are all numbers or all words"},
      {"sweep: {width: [32]}", "sweep: {n: [32]}",
       "configs/bits.yaml:6:16: sweep.n: 'n' has a meaning of its own and cannot name a parameter"},
      {"sweep: {width: [32]}", "sweep: {Width: [32]}",
       "configs/bits.yaml:6:20: sweep.Width: a parameter's name has at most 64 lower-case letters, digits and "
       "underscores, and starts with a letter"},
      {"sweep: {width: [32]}", "sweep: {width: []}", "configs/bits.yaml:6:20: sweep.width: the list is empty"},
      {"    window: {", "    windw: {", "configs/bits.yaml:10:5: unknown key 'windw' (did you mean 'window'?)"},
      {"    asks: How long from popc's issue to the use of its result?\n", "",
       "configs/bits.yaml:3:5: missing key 'asks'"},
      {"method: slope", "method: slop",
       "configs/bits.yaml:12:33: measures[0].method: unknown value 'slop' (did you mean 'slope'?)"},
      {"unit: cycles", "unit: cycle",
       "configs/bits.yaml:12:46: measures[0].unit: unknown value 'cycle' (did you mean 'cycles'?)"},
      {"repeat: [16, 64, 128]", "repeat: [16, 64]",
       "configs/bits.yaml:12:33: measures[0].method: 'slope' needs at least three values of repeat, not 2"},
      {"repeat: [16, 64, 128]", "repeat: [64, 16, 128]",
       "configs/bits.yaml:7:18: repeat[1]: 16 does not ascend from 64"},
      {"suites: [smoke, full]", "suites: [smok]",
       "configs/bits.yaml:5:14: suites[0]: unknown value 'smok' (did you mean 'smoke'?)"},
      {"launch: {warps: 1}", "launch: {warps: 64}",
       "configs/bits.yaml:8:21: launch.warps: 64 is out of range (1 to 32) at [width=32]"},
      {"launch: {warps: 1}", "launch: {warp: 1}",
       "configs/bits.yaml:8:14: launch: unknown key 'warp' (did you mean 'warps'?)"},
      {"data: {fill: unit}", "data: {fill: units}",
       "configs/bits.yaml:9:18: data.fill: unknown value 'units' (did you mean 'unit'?)"},
      {"data: {fill: unit}", "needs: {min: sm_90}", "configs/bits.yaml:9:12: needs: missing key 'why'"},
      {"data: {fill: unit}", "counters: [l1_hit_rate]",
       "configs/bits.yaml:9:16: counters[0]: unknown metric 'l1_hit_rate' (no counters.yaml defines any)"},
      {"family: bits", "family: Bits",
       "configs/bits.yaml:1:9: family: a name has at most 64 lower-case letters, digits and underscores, and starts "
       "with a letter"},
      {"name: popc\n", "name: pop\n",
       "configs/bits.yaml:3:5: kernel: no probes/bits/pop.cu (did you mean 'bits/popc.cu'?)"},
      {"chain: true", "chain: yes", "configs/bits.yaml:10:47: window.chain: expected true or false, not 'yes'"},
      {"chain: true", "chain: true, exactly: [{opcode: FADD}]",
       "configs/bits.yaml:10:63: window.exactly[0]: missing key 'count'"},
      {"chain: true", "chain: true, required: [FADD]", "count: FADD must be in the window and is not"},
      {"chain: true", "chain: true, depth: [n, 2]", " is in a chain of 16 dependent targets instead of 32"},
      {"chain: true", "chain: true, operand: 3", " depends through its source operand 0 on "},
      {"  - name", "\t- name", "configs/bits.yaml:3:2: not YAML: illegal block entry"},
  };
  return all;
}

TEST(Mistakes, TheExampleIsVerified) { EXPECT_EQ(said_of(good_kernel, good_config), "verified"); }

TEST(Mistakes, AreNamedWithPlaceAndReason) {
  for (const Mistake& mistake : mistakes()) {
    ASSERT_NE(good_kernel.contains(mistake.from), good_config.contains(mistake.from)) << mistake.from;
    const std::string said =
        said_of(replace_all(good_kernel, mistake.from, mistake.to), replace_all(good_config, mistake.from, mistake.to));
    EXPECT_THAT(said, HasSubstr(mistake.message)) << mistake.from << " -> " << mistake.to;
  }
}

TEST(Mistakes, AParameterOfTheLaunchAloneIsUsed) {
  const std::string swept = replace_all(good_config, "width: [32]", "width: [1, 2]");
  EXPECT_EQ(said_of(good_kernel, replace_all(swept, "warps: 1", "warps: width")), "verified");
}

TEST(Mistakes, ProbesWithoutConfigsAreFoundInThoseOfTheProgram) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(write_file_atomically(folder.path() + "/mine/popc.cu", good_kernel, Synced::No));
  const Selection selection{.probes_dir = folder.path(), .patterns = {"mine/popc"}};
  const auto inputs = must(load_inputs(selection));
  const auto cases = planned(inputs, selection, {{90, true}});
  ASSERT_FALSE(cases);
  const std::string said = cases.error().message();
  EXPECT_THAT(said, HasSubstr("'mine/popc' matches no case"));
  EXPECT_THAT(said, HasSubstr("; the configs are those that the program carries: name yours by --configs DIR"));
}

}  // namespace
}  // namespace warpclock
