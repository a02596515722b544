#include "inspect/jit.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/testing/recorded.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

using testing::inspect_data;
using testing::options_for;

/// jit.cu in machine code for sm_90 by ptxas 13.0: jit_ptxas.cubin of its PTX for compute_80, and jit_driver.cubin of
/// its PTX for compute_90 as relocatable code (ptxas -c).
LoadedFile recorded_jit(const std::string& name) {
  return load_file(inspect_data + name + ".cubin", options_for({90, false})).value();
}

JitComparison recorded_comparison() {
  JitTarget target{.target = "sm_80", .ptxas_arch = "sm_90", .driver_arch = "sm_90"};
  target.ptxas_ms = {40, 41.5, 60};
  target.jit_ms = {12, 12.5, 11};
  target.load_ms = {0.25, 0.5, 0.125};
  target.kernels = compare_code(recorded_jit("jit_ptxas"), recorded_jit("jit_driver")).value();
  const JitTarget refused{
      .target = "sm_90", .ptxas_arch = "sm_90", .ptxas_ms = {39}, .refused = "Unsupported .version 9.9"};
  return {"jit.cu", "NVIDIA H200", "580.159.04", "13.0.88", {target, refused}};
}

const KernelComparison& kernel(const JitComparison& comparison, std::string_view name) {
  for (const KernelComparison& each : comparison.targets.front().kernels)
    if (each.kernel == name) return each;
  ADD_FAILURE() << name;
  return comparison.targets.front().kernels.front();
}

TEST(JitCompare, NamesHowFarMachineCodeDiffers) {
  const JitComparison all = recorded_comparison();
  EXPECT_THAT(all.targets.front().kernels, SizeIs(6));
  EXPECT_EQ(kernel(all, "same").difference, CodeDifference::Same);
  EXPECT_FALSE(kernel(all, "same").first);
  EXPECT_EQ(kernel(all, "control").difference, CodeDifference::Control);
  EXPECT_THAT(kernel(all, "control").opcodes, IsEmpty());
  EXPECT_EQ(kernel(all, "operands").difference, CodeDifference::Operands);
  EXPECT_EQ(kernel(all, "operands").differing, 1);
  EXPECT_EQ(kernel(all, "earlier").difference, CodeDifference::OnlyPtxas);
  EXPECT_EQ(kernel(all, "later").difference, CodeDifference::OnlyDriver);
  const KernelComparison& spills = kernel(all, "spills");
  EXPECT_EQ(spills.difference, CodeDifference::Instructions);
  EXPECT_EQ(spills.driver.registers, 24);
  EXPECT_EQ(spills.ptxas.spill_bytes, 0);
  EXPECT_GT(spills.driver.spill_bytes, 0);
  EXPECT_GT(spills.driver.instructions, spills.ptxas.instructions);
}

TEST(JitCompare, IsTheSameOnlyIfAllKernelsAreAndNoneWasRefused) {
  JitComparison all = recorded_comparison();
  EXPECT_FALSE(all_same(all));
  all.targets.pop_back();
  all.targets.front().kernels = compare_code(recorded_jit("jit_ptxas"), recorded_jit("jit_ptxas")).value();
  EXPECT_TRUE(all_same(all));
  all.targets.front().refused = "no";
  EXPECT_FALSE(all_same(all));
}

TEST(JitCompare, TextAndJsonHaveWhatDiffers) {
  const JitComparison all = recorded_comparison();
  testing::expect_golden("jit.txt", jit_text(all, Style(false)), "inspect");
  const auto json = nlohmann::json::parse(to_json(all));
  EXPECT_EQ(json["targets"][0]["jit_ms"], nlohmann::json({12, 12.5, 11}));
  EXPECT_EQ(json["targets"][1]["refused"], "Unsupported .version 9.9");
  const auto& first = json["targets"][0]["kernels"][0];
  EXPECT_EQ(first["kernel"], "control");
  EXPECT_EQ(first["difference"], "control");
  EXPECT_EQ(first["ptxas"]["instructions"], kernel(all, "control").ptxas.instructions);
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
