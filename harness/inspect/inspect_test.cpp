#include "inspect/inspect.hpp"

#include <algorithm>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "inspect/facts.hpp"
#include "inspect/inspection_output.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/schema.hpp"

namespace warpclock {
namespace {

Inspection recorded_inspection(const std::string& kernel = "") {
  static const Machine machine = testing::cut_machine();
  return inspect("kernels.cubin", testing::recorded_kernels(), {.kernel = kernel, .machine = &machine}).value();
}

const Access* find_access(const Mix& mix, std::string_view begin) {
  const auto found =
      std::ranges::find_if(mix.accesses, [&](const Access& each) { return each.instruction.starts_with(begin); });
  return found == mix.accesses.end() ? nullptr : &*found;
}

TEST(Inspect, PrintsTheAcceptedText) {
  testing::expect_golden("kernels.txt", to_text(inspection_sheet(recorded_inspection()), Style(false)), "inspect");
}

TEST(Inspect, WritesTheAcceptedJson) {
  testing::expect_golden("pipeline.json", to_json(recorded_inspection("pipeline")), "inspect");
}

TEST(Inspect, SaysNothingOfLiveRegistersWhereFunctionsAreCalled) {
  LoadedFile file = testing::recorded_kernels();
  const auto live = [&] { return inspect("kernels.cubin", file, {.kernel = "pipeline"}).value().kernels[0].most_live; };
  EXPECT_EQ(live(), 14);
  for (LoadedKernel& kernel : file.kernels) kernel.listing.instructions.back().opcode = "CALL";
  EXPECT_EQ(live(), 0);
}

TEST(Inspect, WritesJsonAsItsSchemaSays) {
  const Json schema = json_of(inspection_schema()), whole = json_of(to_json(recorded_inspection()));
  EXPECT_EQ(testing::violation(schema, whole, "inspect"), "");
  const auto with = [&](const char* pointer, const Json& value) {
    Json changed = whole;
    changed[Json::json_pointer(pointer)] = value;
    return testing::violation(schema, changed, "inspect");
  };
  EXPECT_EQ(with("/kernels/0/loops/0/mix/banks", Json::object()), "inspect.kernels[0].loops[0].mix.banks: without two");
  EXPECT_EQ(with("/kernels/0/listing/0/stall", "1"), "inspect.kernels[0].listing[0].stall: another type");
  EXPECT_EQ(with("/record", "model"), "inspect.record: another constant");
  EXPECT_EQ(with("/kernels/0/regs", 1), "inspect.kernels[0].regs: not described");
}

TEST(Inspect, FindsTheSameFactsOnEveryArchitecture) {
  for (const Arch& arch : verified_archs()) {
    const testing::TemporaryFolder folder;
    testing::write(folder / "kernels.cubin", testing::compiled_kernels(arch).image);
    LoadOptions how;
    how.nvdisasm = find_nvdisasm().value();
    const auto file = must(load_file(folder / "kernels.cubin", how));
    const Inspection found = inspect("kernels.cubin", file, {}).value();
    ASSERT_THAT(found.kernels, SizeIs(4)) << to_string(arch);
    for (const KernelInspection& kernel : found.kernels) {
      SCOPED_TRACE(kernel.name + " " + to_string(arch));
      EXPECT_FALSE(kernel.irreducible);
      EXPECT_THAT(kernel.unresolved, IsEmpty());
      ASSERT_FALSE(kernel.loops.empty());
      const LoopFacts& last = kernel.loops.back();
      EXPECT_GT(last.issue_cycles, last.mix.instructions / 2);
      if (kernel.name == "nested") {
        EXPECT_EQ(kernel.shared_bytes, 1024);
        EXPECT_TRUE(std::ranges::any_of(kernel.loops, [](const LoopFacts& loop) { return loop.depth == 2; }));
      }
      if (kernel.name == "spills") {
        EXPECT_GT(kernel.spills.in_loops, 20);
        EXPECT_EQ(kernel.spills.other, 0);
        EXPECT_EQ(kernel.registers, 24);
      }
      if (kernel.name == "pipeline") {
        ASSERT_NE(find_access(last.mix, "LDGSTS"), nullptr);
        EXPECT_EQ(find_access(last.mix, "LDGSTS")->bytes, 16);
        EXPECT_NE(find_access(last.mix, "LDSM"), nullptr);
        EXPECT_NE(std::ranges::find(last.mix.pipes, "tensor", &PipeCount::pipe), last.mix.pipes.end());
      }
      if (kernel.name == "tail") {
        EXPECT_GT(last.mix.predicated + last.mix.branched, 0);
        ASSERT_NE(find_access(last.mix, "LDG"), nullptr);
        EXPECT_THAT(find_access(last.mix, "LDG")->hints, ElementsAre("read-only path"));
      }
    }
  }
}

TEST(Inspect, TakesKernelsByAPartOfTheirNames) {
  EXPECT_THAT(recorded_inspection("ne").kernels, SizeIs(2)) << "pipeline and nested";
  const auto none = inspect("kernels.cubin", testing::recorded_kernels(), {.kernel = "nestd"});
  EXPECT_EQ(none.error().message(), "kernels.cubin: there is no kernel 'nestd' (did you mean 'nested'?)");
  EXPECT_EQ(readable_name("_Z6nestedPfii"), "nested(float*, int, int)");
  EXPECT_EQ(readable_name("h"), "h") << "not a type";
}

TEST(Inspect, AsksForTheGivenBlock) {
  const auto one =
      inspect("f", testing::recorded_kernels(), {.kernel = "nested", .threads = 96, .dynamic_bytes = 100000});
  ASSERT_THAT(one->kernels.at(0).occupancy, SizeIs(1));
  EXPECT_THAT(to_text(inspection_sheet(*one), Style(false)), HasSubstr("2 of 96 threads (shared memory)\n"));
  const auto stated = recorded_inspection("pipeline").kernels.at(0).occupancy;
  ASSERT_THAT(stated, SizeIs(1)) << "__launch_bounds__ says it";
  EXPECT_EQ(stated[0].threads, 32);
}

TEST(Inspect, TakesALocalAccessThatIsNotListedForAnArrayUnlessTheListIsCut) {
  const auto spills = [](int accesses, std::vector<std::uint64_t> list) {
    std::string assembly;
    for (int i = 0; i < accesses; ++i) assembly += "STL.64 [R1], R2\n";
    LoadedFile file{"cubin", {90, true}, {}};
    LoadedKernel& kernel = file.kernels.emplace_back();
    kernel.listing = testing::make_listing(assembly + "EXIT\n");
    kernel.facts.spills = std::move(list);
    return inspect("f", file, {}).value().kernels.at(0).spills;
  };
  const SpillFacts array = spills(3, {0x10});
  EXPECT_EQ(array.stores, 1);
  EXPECT_EQ(array.store_bytes, 8);
  EXPECT_EQ(array.other, 2);
  EXPECT_THAT(array.addresses, ElementsAre(0x10));
  const SpillFacts cut = spills(8194, {0x00, 0x10});
  EXPECT_FALSE(cut.listed);
  EXPECT_EQ(cut.stores, 8194);
}

TEST(Inspect, TakesNoLatenciesOfAnotherArchitecture) {
  LoadedFile file = testing::recorded_kernels();
  file.arch = {80, false};
  const Machine machine = testing::cut_machine();
  EXPECT_EQ(inspect("f", file, {.machine = &machine})->latencies, "");
  EXPECT_EQ(recorded_inspection().latencies, "NVIDIA H200");
}

Mix mix_of_all(const std::string& assembly) {
  const Listing listing = testing::make_listing(assembly);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) indices.push_back(i);
  return mix_of(listing, indices);
}

TEST(Mix, CountsRegistersOfOneBankAndWhatTheReuseCacheKeeps) {
  EXPECT_EQ(mix_of_all("FFMA R0, R1, R3, R5").banks, (BankCounts{.three = 1}));
  EXPECT_EQ(mix_of_all("FFMA R0, R1, R3, R4").banks, (BankCounts{.two = 1}));
  EXPECT_EQ(mix_of_all("FFMA R0, R1, R2, RZ").banks, BankCounts{});
  EXPECT_EQ(mix_of_all("FFMA R0, R1, R2, R1").banks, BankCounts{}) << "a register is read once";
  EXPECT_EQ(mix_of_all("FFMA R0, R1.reuse, R2, R4\nFFMA R6, R1, R3, R4").banks,
            (BankCounts{.two = 1, .reuse = 1, .kept = 1}))
      << "the first reads R2 and R4, the second only R3 and R4";
  EXPECT_EQ(mix_of_all("FFMA R0, R2, R1.reuse, R3\nFFMA R6, R1, R3, R4").banks, (BankCounts{.two = 2, .reuse = 1}))
      << "another operand";
  EXPECT_EQ(mix_of_all("DFMA R0, R2, R4, R6\nLDS R1, [R3]").banks, BankCounts{}) << "not known what these cost";
}

TEST(Mix, TellsGuardsFromJumps) {
  const Mix mix =
      mix_of_all("@P0 FADD R1, R2, R3\n@!PT LDS RZ, [RZ]\n@PT FADD R1, R2, R3\n@P1 EXIT\nUIADD3 UR4, UR5, UR6, URZ");
  EXPECT_EQ(mix.predicated, 1);
  EXPECT_EQ(mix.never, 1);
  EXPECT_EQ(mix.branches, 1);
  EXPECT_EQ(mix.uniform, 1);
  EXPECT_THAT(mix.accesses, IsEmpty());
}

Access access(const std::string& code) { return access_of(testing::instruction(code)).value_or(Access{}); }

TEST(Access, IsReadFromTheName) {
  EXPECT_EQ(access("LDG.E.EF.128.CONSTANT R4, desc[UR4][R2.64]"),
            (Access{"LDG.E.EF.128.CONSTANT", "load", "global", 16, {"read-only path", "evict first"}, 1}));
  EXPECT_EQ(
      access("LDGSTS.E.BYPASS.LTC128B.128 [R1], desc[UR4][R2.64]"),
      (Access{"LDGSTS.E.BYPASS.LTC128B.128", "copy", "global to shared", 16, {"past L1", "L2 prefetch of 128 B"}, 1}));
  EXPECT_EQ(access("LDSM.16.MT88.2 R4, [R1]").bytes, 8);
  EXPECT_EQ(access("STSM.16.M88.4 [R1], R4").bytes, 16);
  EXPECT_EQ(access("STG.E.U8 desc[UR4][R2.64], R1").bytes, 1);
  EXPECT_EQ(access("ATOMG.E.ADD.F16x4.RN.STRONG.GPU PT, R2, desc[UR4][R2.64], R1").bytes, 8);
  EXPECT_EQ(access("UBLKCP.S.G [UR4], [UR8], UR6").memory, "global to shared");
  EXPECT_EQ(access("UBLKCP.G.S [UR4], [UR8], UR6").memory, "shared to global");
  EXPECT_EQ(access("CCTL.E.PF2 [R2.64]").kind, "prefetch");
  EXPECT_EQ(access("CCTL.IVALL").kind, "cache control");
  EXPECT_EQ(access("FADD R1, R2, R3"), Access{});
}

}  // namespace
}  // namespace warpclock
