#include "compile/ptxas.hpp"

#include "base/testing/matchers.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/sources.hpp"
#include "compile/testing/probes.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

using testing::arch;
using testing::TemporaryFolder;
using testing::Variable;

/// One kernel with an addition, named c0_n3.
CompileRequest addition(const std::string& arch_name) {
  const PtxInstruction add = described("add.s32 {d}, {a}, {b}").value();
  Sources sources;
  const Case made = testing::make_case(generate(add, latency_experiments(add).front(), {3}, sources), arch_name, {3});
  CompileRequest request;
  request.target = target_for(arch(arch_name)).value();
  request.unit = ptx_module({&made}, sources, request.target).value();
  return request;
}

TEST(Ptxas, MakesMachineCodeOfAGeneratedKernelForEveryVerifiedArchitecture) {
  const std::string ptxas = find_ptxas().value();
  EXPECT_GE(std::stoi(ptxas_version(ptxas).value()), 13);
  for (const Arch& target : verified_archs()) {
    const Compilation done = assemble(ptxas, addition(to_string(target)));
    ASSERT_EQ(done.status, Compilation::Status::Done) << to_string(target) << done.log;
    EXPECT_TRUE(
        done.image.starts_with("\x7f"
                               "ELF"));
    EXPECT_NE(done.image.find(".text.c0_n3"), std::string::npos);
  }
}

TEST(Ptxas, LeavesAModuleForALaterGpuToTheDriver) {
  CompileRequest request = addition("sm_90a");
  request.target.is_ptx = true;
  const Compilation done = assemble("/nowhere/ptxas", request);
  EXPECT_EQ(done.status, Compilation::Status::Done);
  EXPECT_EQ(done.image, request.unit);
}

TEST(Ptxas, KeepsWhatWasSaidOfAFailure) {
  CompileRequest request = addition("sm_90a");
  request.unit.insert(request.unit.find("add.s32 wd0_0") + 7, ".bogus");
  const Compilation failed = assemble(find_ptxas().value(), request);
  EXPECT_EQ(failed.status, Compilation::Status::Failed);
  EXPECT_THAT(compile_error(failed).text, HasSubstr("'.bogus' in `add.s32.bogus wd0_0, wd0_0, wb0_0;`"));
}

TEST(Ptxas, IsKilledAtItsLimit) {
  const TemporaryFolder folder;
  const std::string slow = testing::write_script(folder / "ptxas", "exec sleep 100\n");
  CompileRequest request = addition("sm_90a");
  request.limit = std::chrono::milliseconds(50);
  const Compilation stopped = assemble(slow, request);
  EXPECT_EQ(stopped.status, Compilation::Status::Cancelled);
  EXPECT_THAT(compile_error(stopped).text, HasSubstr("took too long"));
}

TEST(Ptxas, SaysWhenItIsMissingOrSaysNothing) {
  const TemporaryFolder folder;
  const Variable environment("WARPCLOCK_PTXAS", folder / "none");
  EXPECT_EQ(find_ptxas().error().code, "ptxas");
  EXPECT_THAT(find_ptxas().error().text, HasSubstr("WARPCLOCK_PTXAS"));
  const Compilation failed = assemble(testing::write_script(folder / "mute", "exit 3\n"), addition("sm_90a"));
  EXPECT_EQ(failed.status, Compilation::Status::Failed);
  EXPECT_THAT(failed.log, HasSubstr("ended with status 3"));
}

// A row that fails so says nothing about its instruction, and replaces none that was measured.
TEST(Ptxas, ThatCannotBeStartedOrIsKilledIsNoFaultOfTheSource) {
  const TemporaryFolder folder;
  EXPECT_EQ(compile_error(assemble("/nowhere/ptxas", addition("sm_90a"))).code, "compiler-died");
  for (const char* body : {"kill -KILL $$\n", "echo 'ptxas fatal   : Memory allocation failure' >&2; exit 1\n",
                           "echo 'error while loading shared libraries' >&2; exit 127\n"}) {
    const Compilation died = assemble(testing::write_script(folder / "ptxas", body), addition("sm_90a"));
    EXPECT_EQ(died.status, Compilation::Status::Died);
    EXPECT_EQ(compile_error(died).code, "compiler-died") << body;
  }
}

TEST(Generated, EqualKernelsHaveOneNameAndOthersAnother) {
  const PtxInstruction add = described("add.s32 {d}, {a}, {b}").value();
  const Experiment latency = latency_experiments(add).front();
  Sources sources;
  const std::string kernel = generate(add, latency, {3, 6}, sources);
  EXPECT_EQ(sources.size(), 2U);
  EXPECT_TRUE(sources.contains(generated_source(kernel, 6)));
  EXPECT_EQ(generate(add, latency, {3, 6}, sources), kernel);
  EXPECT_NE(generate(add, latency, {3, 9}, sources), kernel);
  EXPECT_TRUE(is_generated(kernel));
  EXPECT_FALSE(is_generated("shuffle/latency.cu"));
}

TEST(Generated, AModuleNamesEveryKernelAfterItsCase) {
  const PtxInstruction cvta = described("ld.const.u32 {d}, [{a}]").value();
  Sources sources;
  const std::string kernel = generate(cvta, latency_experiments(cvta).front(), {3, 6}, sources);
  const Case one = testing::make_case(kernel, "sm_90a", {3, 6});
  const std::string module = ptx_module({&one, &one}, sources, target_for(arch("sm_90a")).value()).value();
  EXPECT_THAT(module, HasSubstr(".target sm_90a\n"));
  EXPECT_THAT(module, HasSubstr(".entry c1_n6(.param .align 64 .b8 c1_n6_param_0[256])"));
  EXPECT_THAT(module, HasSubstr(".const .align 8 .b8 c0_n3_wconst_a[")) << "constants of one kernel are its own";
  EXPECT_EQ(module.find("<kernel>"), std::string::npos);
  const Case other = testing::make_case(kernel, "sm_90a", {9});
  EXPECT_EQ(ptx_module({&other}, sources, target_for(arch("sm_90a")).value()).error().code, "compile-error");
}

}  // namespace
}  // namespace warpclock
