#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/difference/code_difference.hpp"
#include "inspect/testing/recorded.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

using testing::inspect_data;
using testing::options_for;

/// jit.cu in machine code for sm_90 by ptxas 13.0: jit_ptxas.cubin of its PTX for compute_80, and jit_driver.cubin of
/// its PTX for compute_90 as relocatable code (ptxas -c).
const LoadedFile& recorded_jit(const std::string& name) {
  static std::map<std::string, LoadedFile> files;
  if (!files.contains(name)) files[name] = load_file(inspect_data + name + ".cubin", options_for({90, false})).value();
  return files[name];
}

CodeComparison compared(const LoadedFile& before, const LoadedFile& after, const std::string& kernel = {}) {
  return compare_code({"a.cubin", before}, {"b.cubin", after}, {.kernel = kernel}).value();
}

CodeComparison recorded_difference() { return compared(recorded_jit("jit_ptxas"), recorded_jit("jit_driver")); }

/// A build in which the first kernel has another name.
LoadedFile renamed(LoadedFile file, const std::string& name) {
  file.kernels.front().listing.kernel = name;
  return file;
}

const KernelInspection& side(const CodeComparison& all, const KernelDifference& each) {
  return each.before ? all.before.kernels[*each.before] : all.after.kernels[*each.after];
}

const KernelDifference& kernel(const CodeComparison& all, std::string_view name) {
  return *std::ranges::find(all.kernels, name, [&](const auto& each) { return side(all, each).name; });
}

TEST(CodeDifferences, NameHowFarMachineCodeDiffers) {
  const CodeComparison all = recorded_difference();
  EXPECT_THAT(all.kernels, SizeIs(6));
  EXPECT_EQ(kernel(all, "same").difference, CodeDifference::Same);
  EXPECT_FALSE(kernel(all, "same").first);
  EXPECT_EQ(kernel(all, "control").difference, CodeDifference::Control);
  EXPECT_EQ(kernel(all, "operands").difference, CodeDifference::Operands);
  EXPECT_EQ(kernel(all, "operands").differing, 1);
  EXPECT_EQ(kernel(all, "earlier").difference, CodeDifference::OnlyBefore);
  EXPECT_EQ(kernel(all, "later").difference, CodeDifference::OnlyAfter);
  EXPECT_EQ(kernel(all, "spills").difference, CodeDifference::Instructions);
}

TEST(CodeDifferences, AreTextAndJson) {
  const Sheet sheet = difference_sheet(recorded_difference());
  testing::expect_golden("difference.txt", to_text(sheet, Style(false)), "inspect");
  const Json json = to_json(sheet);
  EXPECT_EQ(json["before"], "a.cubin");
  EXPECT_EQ(json["kernels"].size(), 6U);
  EXPECT_EQ(json["changes"][0],
            Json({{"kernel", "spills"}, {"subject", "kernel"}, {"fact", "registers"}, {"before", 32}, {"after", 24}}));
}

TEST(CodeDifferences, PairKernelsByNearNamesIfThereIsOneOfEach) {
  const LoadedFile& file = recorded_jit("jit_ptxas");
  const auto pairs = [&](const LoadedFile& before, const LoadedFile& after, const std::string& word = {}) {
    return std::ranges::count_if(compared(before, after, word).kernels,
                                 [](const KernelDifference& each) { return each.before && each.after; });
  };
  const auto whole = static_cast<std::ptrdiff_t>(file.kernels.size());
  const LoadedFile one = renamed(file, "_Z7softmaxIfEvPT_"), other = renamed(file, "_Z7softmaxIdEvPT_");
  EXPECT_EQ(pairs(one, other), whole);
  LoadedFile two = other;
  two.kernels.at(1).listing.kernel = "_Z7softmaxIiEvPT_";
  EXPECT_EQ(pairs(one, two), whole - 2);
  EXPECT_EQ(pairs(one, renamed(file, "soft")), whole - 1);
  EXPECT_EQ(pairs(one, renamed(file, "soft"), "soft"), 1);
}

TEST(CodeDifferences, AreNoneOfTheSameFile) {
  const CodeComparison all = compared(recorded_jit("jit_ptxas"), recorded_jit("jit_ptxas"));
  EXPECT_TRUE(all_same(all));
  EXPECT_FALSE(all_same(recorded_difference()));
  const Json json = to_json(difference_sheet(all));
  EXPECT_EQ(json["kernels"].size(), 5U);
  EXPECT_FALSE(json.contains("changes"));
}

KernelInspection with_loops(std::vector<LoopFacts> loops) {
  KernelInspection kernel;
  for (std::size_t i = 0; i < loops.size(); ++i) loops[i].id = static_cast<int>(i);
  kernel.loops = std::move(loops);
  return kernel;
}

TEST(CodeDifferences, PairLoopsByTheirOrderOrTheirLines) {
  const LoopFacts first{.issue_cycles = 8, .lines = {{"a.cu", 3, 4}}}, second{.lines = {{"a.cu", 7, 9}}};
  LoopFacts slower = first;
  slower.issue_cycles = 12;
  const auto subjects = [](const std::vector<Change>& changes) {
    std::vector<std::string> out;
    for (const Change& each : changes)
      if (each.fact == "issue cycles of a trip")
        out.push_back(each.subject + " " + compact(each.before) + " " + compact(each.after));
    return out;
  };
  EXPECT_THAT(subjects(changes_of(with_loops({first, second}), with_loops({slower, second}))),
              ElementsAre("loop 0 (a.cu:3-4) 8 12"));
  EXPECT_THAT(subjects(changes_of(with_loops({first}), with_loops({second, slower}))),
              ElementsAre("loop 0 and 1 (a.cu:3-4) 8 12", "loop 0 (a.cu:7-9) null 0"));
}

TEST(Jit, IsTheSameOnlyIfAllKernelsAreAndNoneWasRefused) {
  JitTarget target{.target = "sm_80", .ptxas_arch = "sm_90", .driver_arch = "sm_90"};
  target.ptxas_ms = {40, 41.5, 60};
  target.jit_ms = {12, 12.5, 11};
  target.load_ms = {0.25, 0.5, 0.125};
  target.code = recorded_difference();
  const JitTarget refused{
      .target = "sm_90", .ptxas_arch = "sm_90", .ptxas_ms = {39}, .refused = "Unsupported .version 9.9"};
  JitComparison all{"jit.cu", "NVIDIA H200", "580.159.04", "13.0.88", {target, refused}};
  testing::expect_golden("jit.txt", to_text(jit_sheet(all), Style(false)), "inspect");
  const Json json = to_json(jit_sheet(all));
  EXPECT_EQ(json["targets"][0]["jit_ms"], Json({12, 12.5, 11}));
  EXPECT_EQ(json["targets"][1]["refused"], "Unsupported .version 9.9");
  EXPECT_EQ(json["kernels"][0]["target"], "sm_80");
  EXPECT_FALSE(all_same(all));
  all.targets.pop_back();
  all.targets.front().code = compared(recorded_jit("jit_ptxas"), recorded_jit("jit_ptxas"));
  EXPECT_TRUE(all_same(all));
  all.targets.front().refused = "no";
  EXPECT_FALSE(all_same(all));
}

TEST(PtxOf, ReadsPtxOrCompilesCudaForItsTarget) {
  const auto source = ptx_of(inspect_data + "jit.cu", options_for({80, false})).value();
  EXPECT_EQ(source.target, (Arch{80, false}));
  EXPECT_THAT(source.text, HasSubstr(".target sm_80\n"));
  const testing::TemporaryFolder folder;
  const auto said = [&](const std::string& text) {
    testing::write(folder / "a.ptx", text);
    const auto read = ptx_of(folder / "a.ptx", {});
    return read ? to_string(read->target) : read.error().message();
  };
  EXPECT_EQ(said(source.text), "sm_80");
  EXPECT_EQ(said("// .target sm_70\n.version 8.0\n .target sm_90a, debug // later\n"), "sm_90a");
  EXPECT_THAT(said(".version 8.0\n.target soon\n"), HasSubstr("a.ptx: unknown architecture 'soon'"));
  EXPECT_THAT(said("text"), EndsWith("a.ptx: this is not PTX, and its name does not end in .cu"));
}

}  // namespace
}  // namespace warpclock
