#include "gate/gate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"
#include "base/text.hpp"
#include "capture/capture.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/xml_check.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

GateSide side(double low, double high) {
  GateSide made;
  made.low = low, made.high = high;
  made.registers = 32, made.blocks_per_sm = 4;
  made.limiter = "issue";
  return made;
}

GateRow judged(const GateSide& before, const GateSide& after, bool same_code = false, double most = 0.03) {
  GateRow row{.name = "k", .gpu = "NVIDIA H200", .before = before, .after = after, .same_code = same_code};
  row.file = "k.yaml", row.line = 2;
  judge(row, most);
  return row;
}

TEST(Judge, ComparesTheEndsOfRanges) {
  EXPECT_EQ(judged(side(100, 100), side(103, 103)).verdict, GateVerdict::Within) << "no more than the limit";
  EXPECT_EQ(judged(side(100, 100), side(104, 104)).verdict, GateVerdict::Slower);
  EXPECT_EQ(judged(side(100, 100), side(96, 96)).verdict, GateVerdict::Faster);
  // What nobody knows is the same in both builds: 100 to 200 cycles and 104 to 208 are 4 % more.
  const GateRow wide = judged(side(100, 200), side(104, 208));
  EXPECT_EQ(wide.verdict, GateVerdict::Slower);
  EXPECT_NEAR(wide.change_low, 0.04, 1e-12);
  EXPECT_EQ(judged(side(100, 200), side(100, 208)).verdict, GateVerdict::Unclear) << "slower at one end";
  EXPECT_EQ(judged(side(100, 200), side(90, 202)).verdict, GateVerdict::Within);
  EXPECT_EQ(change_text(judged(side(100, 200), side(101, 204))), "+1.0 to +2.0 %");
  EXPECT_EQ(change_text(judged(side(1000, 1000), side(999.9, 999.9))), "+0.0 %");
}

TEST(Judge, HasNoVerdictWithoutANumber) {
  GateSide none;
  none.cause = "loop 0 has no trip count; add --trips 0=N";
  const GateRow row = judged(side(1, 1), none);
  EXPECT_EQ(row.verdict, GateVerdict::NoNumber);
  EXPECT_THAT(row.changed, ElementsAre("after: loop 0 has no trip count; add --trips 0=N"));
  EXPECT_EQ(change_text(row), "");
  const GateRow same = judged(none, none, true);
  EXPECT_EQ(same.verdict, GateVerdict::Same) << "the same code takes as long, however long";
  EXPECT_THAT(same.changed, ElementsAre(HasSubstr("without a number: loop 0 has no trip count")));
  GateSide taken;
  take(taken, fail("predict", "calls are not followed"));
  take(taken, Expected<Prediction>(Prediction{.low = 5, .high = 5}));
  EXPECT_FALSE(taken.low) << "of one launch there is none";
  EXPECT_EQ(taken.cause, "calls are not followed");
  GateSide later;
  take(later, Expected<Prediction>(Prediction{.low = 5, .high = 5}));
  take(later, fail("predict", "calls are not followed"));
  EXPECT_FALSE(later.low) << "of the second";
}

TEST(Judge, SaysWhatChanged) {
  GateSide before = side(100, 100), after = side(150, 150);
  before.executed = {{"LDG.E", 10}, {"FFMA", 100}, {"EXIT", 1}};
  after.executed = {{"LDG.E", 20}, {"FFMA", 95}, {"EXIT", 1}, {"STL", 3}};
  after.registers = 40, after.spills = 3, after.blocks_per_sm = 3, after.limiter = "DRAM", after.runs = 2;
  EXPECT_THAT(judged(before, after).changed,
              ElementsAre("launches 1 -> 2", "registers 32 -> 40", "spills 0 -> 3", "blocks per SM 4 -> 3",
                          "limiter issue -> DRAM", "LDG.E executed 10 -> 20 times"));
  EXPECT_THAT(judged(before, before).changed, ElementsAre(HasSubstr("the same instructions as often")));
  EXPECT_THAT(judged(before, before, true).changed, ElementsAre("the same machine code"));
}

TEST(Judge, DecidesTheStatus) {
  GateSide none;
  none.cause = "why";
  const GateRow slower = judged(side(100, 100), side(200, 200)), within = judged(side(100, 100), side(100, 100)),
                unclear = judged(side(100, 200), side(100, 300)), missing = judged(side(1, 1), none);
  const auto status = [](const std::vector<GateRow>& rows, bool passes = false) {
    return status_of({.rows = rows}, passes);
  };
  EXPECT_EQ(status({within}), 0);
  EXPECT_EQ(status({within, missing}), 2);
  EXPECT_EQ(status({within, unclear}), 2);
  EXPECT_EQ(status({within, unclear, missing}, true), 0);
  EXPECT_EQ(status({missing, slower}), 1) << "what is known to be slower counts first";
  EXPECT_EQ(status({missing, slower}, true), 1);
  EXPECT_EQ(counts_text({.rows = {within, within, missing, slower}}), "1 slower, 1 without a number, 2 ok");
}

TEST(GateOutput, IsValidWhateverNamesAreThere) {
  GateSide none;
  none.cause = "a | b < c & \"d\"";
  GateRow odd = judged(side(1, 1), none);
  odd.name = "k<float, 4>[a=\"x|y\"]&", odd.file = "a b/c#d.yaml";
  const Gate gate{.before = "a|b", .after = "c", .launches = "l", .most = 0.03, .rows = {odd}, .notes = {"n | m"}};
  const std::string junit = gate_junit(gate, false);
  EXPECT_EQ(testing::xml_error(junit), "");
  EXPECT_THAT(junit, HasSubstr("errors=\"1\" skipped=\"0\""));
  EXPECT_THAT(junit, HasSubstr("<error message=\"k&lt;float, 4&gt;"));
  EXPECT_THAT(gate_junit(gate, true), HasSubstr("errors=\"0\" skipped=\"1\""));
  EXPECT_EQ(testing::xml_error(gate_junit(gate, true)), "");
  const Json result = json_of(gate_sarif(gate))["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "kernel-without-number");
  EXPECT_EQ(result["level"], "warning");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b/c%23d.yaml");
  const std::string markdown = gate_markdown(gate);
  EXPECT_THAT(markdown, HasSubstr("### Some kernels cannot be judged"));
  EXPECT_THAT(markdown, HasSubstr("| no number | `k<float, 4>[a=\"x\\|y\"]&` | NVIDIA H200 |"));
  const Json json = to_json(gate_sheet(gate));
  EXPECT_EQ(json["kernels"][0]["verdict"], "no number");
  EXPECT_FALSE(json["kernels"][0].contains("change_low"));
  EXPECT_EQ(json["max"], 0.03);
}

const std::string jit_ptxas = testing::inspect_data + "jit_ptxas.cubin";
const std::string jit_driver = testing::inspect_data + "jit_driver.cubin";

GateBuild opened(const std::string& path) {
  return must(GateBuild::open(path, testing::options_for({90, true}, true)));
}

KernelCase spills_case(std::int64_t threads = 32) {
  KernelCase one;
  one.id = one.kernel = "spills";
  one.call.grid = {132, 1, 1}, one.call.block = {threads, 1, 1};
  one.call.arguments = {{3072, CallType::F32}};
  return one;
}

TEST(GateBuild, OfAFolderHasTheKernelsOfItsCubins) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(failure_of(opened(folder / "").file_of(spills_case())), IsError("file", HasSubstr("has no cubin")));
  // As Triton's cache has them: a folder for each variant, and what is no machine code.
  for (const char* variant : {"a", "b"}) fs::create_directory(folder / variant);
  testing::write(folder / "a/k.cubin", must(read_file(jit_ptxas)));
  testing::write(folder / "a/k.json", "{}");
  EXPECT_EQ(must(opened(folder / "").file_of(spills_case())), folder / "a/k.cubin");
  testing::write(folder / "b/k.cubin", must(read_file(jit_ptxas)));
  EXPECT_EQ(must(opened(folder / "").file_of(spills_case())), folder / "a/k.cubin") << "the same code twice";
  testing::write(folder / "b/k.cubin", must(read_file(jit_driver)));
  EXPECT_THAT(failure_of(opened(folder / "").file_of(spills_case())),
              IsError("kernel", AllOf(HasSubstr("2 kernels named 'spills' take this launch and differ, in "),
                                      HasSubstr("a/k.cubin, "), HasSubstr("b/k.cubin: keep one of them"))));
  KernelCase named = spills_case();
  named.source = "b/k.cubin";
  EXPECT_EQ(must(opened(folder / "").file_of(named)), folder / "b/k.cubin");
  testing::write(folder / "b/k.cubin", "damaged");
  GateBuild damaged = opened(folder / "");
  EXPECT_EQ(must(damaged.file_of(spills_case())), folder / "a/k.cubin");
  EXPECT_THAT(damaged.unread(), ElementsAre(HasSubstr("b/k.cubin")));
}

// A build whose kernels cannot all be seen would pass with those that can.
TEST(GateBuild, OfAFolderThatCannotBeReadIsAnError) {
  const testing::TemporaryFolder folder;
  chmod(folder.path().c_str(), 0755);
  testing::write(folder / "k.cubin", must(read_file(jit_ptxas)));
  fs::create_directory(folder / "more");
  chmod((folder / "more").c_str(), 0);
  const testing::AsNobody nobody;
  EXPECT_THAT(failure_of(opened(folder / "").file_of(spills_case())), IsError("io", HasSubstr("Permission denied")));
}

TEST(GateBuild, KnowsTheSameCodeByAllThatItDoes) {
  const auto compiled = [](const std::string& table, const std::string& factor, const std::string& other) {
    CompileRequest request;
    request.unit = "__constant__ float table[2] = {" + table +
                   "};\n__device__ __noinline__ float by(float v) { return v * " + factor +
                   "; }\nextern \"C\" __global__ void k(float* p) { *p = by(*p) + table[threadIdx.x]; }\n" +
                   "extern \"C\" __global__ void other(float* p) { *p = " + other + "; }\n";
    request.target = target_for({90, true}).value();
    const Compilation done = compile(request);
    EXPECT_EQ(done.status, Compilation::Status::Done) << done.log;
    return must(code_hashes(done.image)).at("k");
  };
  const std::string code = compiled("1, 2", "3", "4");
  EXPECT_EQ(compiled("1, 2", "3", "5"), code) << "another kernel";
  EXPECT_NE(compiled("1, 7", "3", "4"), code) << "what is in constant memory";
  EXPECT_NE(compiled("1, 2", "8", "4"), code) << "a function that it calls";
}

TEST(GateBuild, TakesTheKernelThatTakesTheLaunch) {
  const testing::TemporaryFolder folder;
  testing::write(folder / "a.cubin", must(read_file(testing::inspect_data + "kernels.cubin")));
  testing::write(folder / "b.cubin", must(read_file(jit_ptxas)));
  // spills(float*, int) and spills(float*).
  KernelCase one = spills_case();
  EXPECT_EQ(must(opened(folder / "").file_of(one)), folder / "b.cubin");
  one.call.arguments.push_back({.type = CallType::I32, .value = 4});
  EXPECT_EQ(must(opened(folder / "").file_of(one)), folder / "a.cubin");
  one.kernel = "spill";
  EXPECT_THAT(failure_of(opened(folder / "").file_of(one)), IsError("kernel", HasSubstr("there is no kernel 'spill'")));
}

/// A capture of two launches of `spills` of the first build, which ran four times and once.
Capture captured(const std::string& folder, const std::string& cubin) {
  const std::string image = must(read_file(cubin)), name = hash_hex(image);
  fs::create_directories(folder + "/" + capture_code);
  testing::write(folder + "/" + capture_code + "/" + name, image);
  Capture capture;
  capture.devices = {{.name = "NVIDIA H200", .arch = "sm_90", .sms = 132}};
  capture.processes = {{.ended = true}};
  capture.kernels = {{"spills", name, ""}};
  for (const std::int64_t blocks : {132, 264}) {
    CapturedLaunch launch{.grid = {blocks, 1, 1}, .block = {32, 1, 1}};
    launch.parameters = {{0, "0000000100000000"}};
    launch.pointers = {{.at = 0, .offset = 0, .buffer_bytes = 3072, .buffer = 0x1000000}};
    launch.times.runs = blocks == 132 ? 4 : 1;
    capture.launches.push_back(launch);
  }
  testing::write(folder + "/" + capture_record, to_json(capture));
  return capture;
}

Gate gated(const std::string& before, const std::string& after, const std::string& launches, const std::string& cache) {
  GateInput input{.before = before, .after = after, .launches = launches};
  input.how.nvdisasm = must(find_nvdisasm());
  input.cache = cache, input.most = 0.03;
  return must(run_gate(input, {testing::committed_machine("nvidia-h200")}));
}

TEST(GateOfCaptures, AddsUpTheRunsOfAKernel) {
  const testing::TemporaryFolder folder;
  (void)captured(folder / "before", jit_ptxas);
  (void)captured(folder / "after", jit_driver);
  const std::string cache = folder / "cache";
  const Gate both = gated(folder / "before", folder / "after", "", cache);
  ASSERT_EQ(both.rows.size(), 1U);
  const GateRow& row = both.rows[0];
  EXPECT_EQ(row.verdict, GateVerdict::Slower) << ::testing::PrintToString(row.changed);
  EXPECT_EQ(row.before.runs, 5);
  EXPECT_EQ(row.before.registers, 32);
  EXPECT_EQ(row.after.registers, 24);
  EXPECT_EQ(row.before.executed.at("EXIT"), 4 * 132 + 264);
  // The launches of one capture with machine code from elsewhere.
  for (const std::string& after : {folder / "after", jit_driver}) {
    const Gate other = gated(folder / "before", after, "", cache);
    EXPECT_EQ(other.rows.at(0).before.low, row.before.low) << after;
    EXPECT_EQ(other.rows.at(0).after.low, row.after.low) << after;
  }
  const Gate cubins = gated(jit_ptxas, jit_driver, folder / "before", cache);
  EXPECT_EQ(cubins.rows.at(0).before.low, row.before.low);
  EXPECT_EQ(cubins.rows.at(0).after.low, row.after.low);
  EXPECT_THAT(cubins.rows.at(0).changed, Contains(StartsWith("launch ")));
  EXPECT_EQ(gated(folder / "before", folder / "before", "", cache).rows.at(0).change_high, 0);
  EXPECT_EQ(gated(jit_ptxas, jit_ptxas, folder / "before", cache).rows.at(0).verdict, GateVerdict::Same);
}

TEST(GateOfCaptures, NamesKernelsThatOnlyOneHas) {
  const testing::TemporaryFolder folder;
  (void)captured(folder / "before", jit_ptxas);
  Capture other = captured(folder / "after", jit_driver);
  other.kernels[0].symbol = "later";
  testing::write((folder / "after") + "/" + capture_record, to_json(other));
  const Gate gate = gated(folder / "before", folder / "after", "", folder / "cache");
  ASSERT_EQ(gate.rows.size(), 2U);
  EXPECT_EQ(gate.rows[0].name, "spills");
  EXPECT_THAT(gate.rows[0].changed, ElementsAre("after: only the capture before launches it"));
  EXPECT_EQ(gate.rows[1].name, "later");
  EXPECT_THAT(gate.rows[1].changed, ElementsAre("before: only the capture after launches it"));
  EXPECT_EQ(status_of(gate, false), 2);
  // The kernel is launched, and the other build does not have it.
  const Gate lacking = gated(folder / "before", testing::inspect_data + "kernels.cubin", "", folder / "cache");
  EXPECT_EQ(lacking.rows.at(0).verdict, GateVerdict::NoNumber);
  EXPECT_THAT(lacking.rows.at(0).changed,
              ElementsAre("after: the launch has no parameter of 4 bytes at 8, which the kernel has"));
}

/// Two builds of a kernel that were measured with the same launch: cases that differ in one parameter.
struct MeasuredPair {
  const Row &before, &after;
};

std::vector<MeasuredPair> pairs_of(const Record& table) {
  std::vector<MeasuredPair> pairs;
  for (const Row& one : table.rows) {
    for (const Row& other : table.rows) {
      const KernelPart &a = one.kernel, &b = other.kernel;
      const bool launched = a.grid == b.grid && a.block == b.block && a.cold == b.cold;
      if (one.probe != other.probe || !launched || a.hash == b.hash) continue;
      const auto known = [](const Row& row) {
        return estimate_in(row, "cycles") != nullptr && estimate_in(row, "predicted") != nullptr;
      };
      if (!known(one) || !known(other)) continue;
      std::size_t differing = 0;
      for (std::size_t i = 0; i < one.parameters.size(); ++i)
        differing += one.parameters[i] == other.parameters.at(i) ? 0 : 1;
      if (differing == 1) pairs.push_back({one, other});
    }
  }
  return pairs;
}

/// In percent, what this part of the errors is within.
double part_of(std::vector<double> errors, double part) {
  std::ranges::sort(errors);
  return 100 * errors.at(static_cast<std::size_t>(part * static_cast<double>(errors.size())));
}

/// The row of docs/gate.md for a GPU.
std::string row_of(const std::string& gpu, const Record& table) {
  std::vector<double> errors;
  int slower = 0, found = 0, others = 0, wrong = 0, unclear = 0;
  for (const auto& [one, other] : pairs_of(table)) {
    const double measured = estimate_in(other, "cycles")->value / estimate_in(one, "cycles")->value;
    const Estimate &before = *estimate_in(one, "predicted"), &after = *estimate_in(other, "predicted");
    GateRow row = judged(side(before.low, before.high), side(after.low, after.high));
    errors.push_back(std::abs((1 + (row.change_low + row.change_high) / 2) / measured - 1));
    constexpr double clearly = 1.06;
    const bool says = row.verdict == GateVerdict::Slower;
    if (measured > clearly) ++slower, found += says ? 1 : 0;
    if (measured <= 1) ++others, wrong += says ? 1 : 0;
    unclear += row.verdict == GateVerdict::Unclear ? 1 : 0;
  }
  return fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {} of {} | {} of {} | {} |", gpu, errors.size(),
                     part_of(errors, 0.5), part_of(errors, 0.95), found, slower, wrong, others, unclear);
}

TEST(GateDocs, SayHowFarChangesAreOff) {
  const std::string text = must(read_file(WARPCLOCK_SOURCE_DIR "/docs/gate.md"));
  for (const auto& [gpu, folder] : {std::pair("H100", "nvidia-h100-80gb-hbm3"), std::pair("H200", "nvidia-h200")}) {
    const fs::path path = fs::path(WARPCLOCK_SOURCE_DIR) / "reports" / folder / "cases.json.gz";
    EXPECT_THAT(text, HasSubstr(row_of(gpu, must(read_record(path, {{RecordFile::Cases}})))));
  }
}

constexpr double slower_from = 1.05, neutral_within = 0.015;

/// A line of testdata/changes.csv.
struct MeasuredChange {
  std::string name, kind;
  bool same_code = false;
  double measured = 0;  ///< the time after as a multiple of that before
  GateRow row;
};

std::vector<MeasuredChange> measured_changes() {
  std::vector<MeasuredChange> all;
  const std::string text = must(read_file(WARPCLOCK_SOURCE_DIR "/harness/gate/testdata/changes.csv"));
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 11 || cells[0] == "change") continue;
    const auto number = [&](std::size_t i) { return std::stod(cells[i]); };
    const auto side_at = [&](std::size_t i) { return cells[i].empty() ? GateSide() : side(number(i), number(i + 1)); };
    const bool same = cells[10] == "same";
    all.push_back({cells[0], cells[2], same, number(5) / number(4), judged(side_at(6), side_at(8), same)});
    EXPECT_EQ(to_string(all.back().row.verdict), cells[10]) << line;
  }
  return all;
}

/// The row of docs/gate.md for changes to kernels of others.
std::string row_of(const std::vector<MeasuredChange>& all) {
  int slower = 0, neutral = 0, faster = 0;
  std::map<GateVerdict, int> of_slower, of_neutral, of_faster;
  for (const MeasuredChange& one : all) {
    const GateVerdict verdict = one.row.verdict;
    if (one.measured >= slower_from) ++slower, ++of_slower[verdict];
    if (one.same_code) continue;
    if (std::abs(one.measured - 1) <= neutral_within) ++neutral, ++of_neutral[verdict];
    if (one.measured < 1 - neutral_within) ++faster, ++of_faster[verdict];
  }
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", all.size(), slower, of_slower[GateVerdict::Slower],
      of_slower[GateVerdict::Unclear], of_slower[GateVerdict::NoNumber], neutral, of_neutral[GateVerdict::Slower],
      of_neutral[GateVerdict::Unclear] + of_neutral[GateVerdict::NoNumber], faster, of_faster[GateVerdict::Slower]);
}

TEST(GateDocs, SayHowChangesToKernelsOfOthersAreJudged) {
  const std::string text = must(read_file(WARPCLOCK_SOURCE_DIR "/docs/gate.md"));
  const std::vector<MeasuredChange> all = measured_changes();
  ASSERT_GE(all.size(), 60U);
  std::set<std::string> kinds;
  std::vector<double> errors;
  for (const MeasuredChange& one : all) {
    kinds.insert(one.kind);
    const bool slower = one.row.verdict == GateVerdict::Slower, wrong = one.measured < 1 && slower;
    const bool missed = one.measured >= slower_from && !slower;
    EXPECT_TRUE(!(wrong || missed) || text.contains("`" + one.name + "`")) << one.name;
    if (!one.same_code && one.row.verdict != GateVerdict::NoNumber)
      errors.push_back(std::abs((1 + (one.row.change_low + one.row.change_high) / 2) / one.measured - 1));
  }
  EXPECT_THAT(text, HasSubstr(fmt::format("{} changes of {} kinds", all.size(), kinds.size())));
  EXPECT_THAT(text, HasSubstr(row_of(all)));
  EXPECT_THAT(text, HasSubstr(fmt::format("median {:.1f} %, 95 % within {:.1f} %", part_of(errors, 0.5),
                                          part_of(errors, 0.95))));
}

}  // namespace
}  // namespace warpclock
