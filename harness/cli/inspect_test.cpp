#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "code/word.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

const std::string cubin = testing::inspect_data + "kernels.cubin";

ProcessResult inspected(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "inspect"});
  arguments.insert(arguments.end(), {"--reports", testing::cut_reports});
  return run_process(arguments).value();
}

TEST(InspectCommand, PrintsWritesJsonAndAPage) {
  const auto text = inspected({cubin, "--kernel", "nested", "--block", "96"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith(cubin + ": cubin, sm_90a, latencies of NVIDIA H200\n\nnested\n"));
  EXPECT_THAT(text.out, HasSubstr("\n  blocks per SM   21 of 96 threads (warps)\n"));

  const testing::TemporaryFolder folder;
  const auto json = inspected({cubin, "--json", "--page", folder / "page.html"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_EQ(json_of(json.out)["kernels"].size(), 4U);
  EXPECT_THAT(read_file(folder / "page.html").value(), StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(inspected({cubin, "--page", folder / "page.html"}).exit_code, 0) << "its own page is written again";
  testing::write(folder / "mine.html", "<p>mine</p>");
  EXPECT_EQ(inspected({cubin, "--page", folder / "mine.html"}).exit_code, 2);
}

TEST(InspectCommand, DoesNotLeaveLatenciesOutBecauseTheyCannotBeRead) {
  const testing::TemporaryFolder folder;
  const auto here = [&] {
    return run_process({"/bin/sh", "-c", "cd '" + folder.path() + "' && exec \"$@\"", "sh", WARPCLOCK_PROGRAM,
                        "inspect", cubin, "--kernel", "nested"})
        .value();
  };
  std::filesystem::create_directories(folder / "reports/nvidia-h200");
  testing::write(folder / "reports/nvidia-h200/result.json", "{");
  const auto damaged = here();
  EXPECT_EQ(damaged.exit_code, 2) << damaged.out;
  EXPECT_THAT(damaged.err, HasSubstr("reports/nvidia-h200/result.json"));
  std::filesystem::rename(folder / "reports/nvidia-h200", folder / "reports/nvidia-h100");
  const auto of_another = here();
  EXPECT_EQ(of_another.exit_code, 0) << of_another.err;
  EXPECT_THAT(of_another.out, StartsWith(cubin + ": cubin, sm_90a, latencies as ptxas encodes them\n"));
}

TEST(InspectCommand, DrawsTheControlFlow) {
  const testing::TemporaryFolder folder;
  const std::string svg = folder / "graph.svg", dot = folder / "graph.dot";
  for (const std::string& name : {svg, dot, svg}) {
    const auto drawn = inspected({cubin, "--kernel", "nested", "--graph", name});
    EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
    EXPECT_THAT(drawn.out, HasSubstr("\nnested\n"));
  }
  EXPECT_THAT(read_file(svg).value(), StartsWith("<svg xmlns="));
  const auto printed = inspected({cubin, "--kernel", "nested", "--graph", "-"});
  EXPECT_EQ(printed.out, read_file(dot).value());
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    const auto result = inspected(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({cubin, "--graph", svg}, "a graph is of one kernel, and ");
  refused({cubin, "--kernel", "nested", "--graph", folder / "graph.png"}, "the name of a graph ends in .svg or .dot");
  testing::write(folder / "mine.svg", "<svg/>");
  refused({cubin, "--kernel", "nested", "--graph", folder / "mine.svg"}, "did not write");
}

TEST(InspectCommand, ComparesTwoBuilds) {
  const std::string before = testing::inspect_data + "jit_ptxas.cubin",
                    after = testing::inspect_data + "jit_driver.cubin";
  const auto text = inspected({before, after});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\nspills: other instructions, from 0x0040 on\n"));
  EXPECT_EQ(inspected({before, after, "--exit-code"}).exit_code, 1);
  EXPECT_EQ(inspected({before, before, "--exit-code"}).exit_code, 0);
  const auto json = inspected({before, after, "--kernel", "spills", "--json"});
  EXPECT_EQ(json_of(json.out)["kernels"].size(), 1U);
  EXPECT_EQ(inspected({before, after, "--graph", "-"}).exit_code, 2);
  const auto missing = inspected({before, "nowhere.cubin"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("nowhere.cubin"));
}

/// kernels.cubin with another stall count of an instruction.
std::string with_stall(const std::string& kernel, std::uint64_t address, int stall) {
  std::string bytes = read_file(cubin).value();
  for (const Instruction& each : testing::recorded_kernel(kernel).listing.instructions) {
    if (each.address != address) continue;
    Control control = each.control;
    control.stall = stall;
    std::string before, after;
    append_word(before, {each.low, each.high});
    append_word(after, with_control({each.low, each.high}, control));
    const std::size_t at = bytes.find(before);
    EXPECT_EQ(bytes.find(before, at + 1), std::string::npos) << "it is one of several such words";
    return bytes.replace(at, after.size(), after);
  }
  ADD_FAILURE() << address;
  return bytes;
}

TEST(InspectCommand, ChecksControlFields) {
  const auto checked = [](const std::string& file, std::vector<std::string> more) {
    std::vector<std::string> arguments = {WARPCLOCK_PROGRAM, "inspect", file, "--hazards"};
    if (std::ranges::find(more, "--reports") == more.end())
      arguments.insert(arguments.end(), {"--reports", WARPCLOCK_SOURCE_DIR "/reports"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_process(arguments).value();
  };
  const auto good = checked(cubin, {"--kernel", "nested"});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out,
              StartsWith(cubin + ": cubin, sm_90a, minimum stall counts of NVIDIA H100 80GB HBM3, NVIDIA H200\n"));
  EXPECT_THAT(good.out, HasSubstr("\nnested\n  hazards      none\n"));

  const testing::TemporaryFolder folder;
  testing::write(folder / "bad.cubin", with_stall("nested", 0x360, 3));
  const auto bad = checked(folder / "bad.cubin", {"--kernel", "nested", "--gpu", "h200"});
  EXPECT_EQ(bad.exit_code, 1) << bad.err;
  EXPECT_THAT(bad.out,
              HasSubstr("0x0370 FFMA R0, R12, R10, R11 reads R11 3 cycles after 0x0360 FFMA R11, R15, R11, R16; "
                        "4 are needed (@PT FFMA R#, R#, R#, R#)"));
  const Json json = json_of(checked(folder / "bad.cubin", {"--json"}).out);
  EXPECT_EQ(json["kernels"].size(), 4U);
  ASSERT_EQ(json["hazards"].size(), 1U);
  EXPECT_EQ(json["hazards"][0]["kind"], "early-read");
  EXPECT_EQ(json["hazards"][0]["address"], 0x370);
  EXPECT_EQ(json["hazards"][0]["needed"], 4);

  const auto refused = [&](const std::string& file, std::vector<std::string> more, const std::string& why) {
    const auto result = checked(file, std::move(more));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused(cubin, {"--reports", testing::cut_reports}, "minimum stall counts of sm_90a");
  refused(cubin, {"--graph", "-"}, "--hazards is of one FILE");
  refused(cubin, {"--kernel", "nowhere"}, "there is no kernel 'nowhere'");
}

TEST(InspectCommand, WritesACubinWithoutSlack) {
  const testing::TemporaryFolder folder;
  const auto written = [&](const std::string& from, const std::string& to) {
    return run_process({WARPCLOCK_PROGRAM, "inspect", from, "--hazards", "--rewrite", to, "--reports",
                        WARPCLOCK_SOURCE_DIR "/reports"})
        .value();
  };
  const std::string slow = folder / "slow.cubin", fast = folder / "fast.cubin", early = folder / "early.cubin";
  testing::write(slow, with_stall("tail", 0x160, 12));
  const auto result = written(slow, fast);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(fast + ": 2 stall counts lowered by 5 cycles; read again, no hazards\n"));
  EXPECT_THAT(result.out, HasSubstr("5 of 54 cycles of stall counts, 49 without"));
  EXPECT_EQ(read_file(fast).value().size(), read_file(slow).value().size());
  const auto nothing = written(fast, folder / "same.cubin");
  EXPECT_THAT(nothing.out, HasSubstr(": 0 stall counts lowered by 0 cycles; read again, no hazards\n"));
  EXPECT_TRUE(read_file(folder / "same.cubin").value() == read_file(fast).value());

  const auto again = written(slow, fast);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("warpclock did not write")) << "a cubin has no mark";
  testing::write(early, with_stall("nested", 0x360, 3));
  const auto hazard = written(early, folder / "none.cubin");
  EXPECT_EQ(hazard.exit_code, 1) << hazard.err;
  EXPECT_THAT(hazard.out, HasSubstr("rewritten  not written, because of the hazards"));
  EXPECT_FALSE(read_file(folder / "none.cubin"));
  const auto alone = inspected({cubin, "--rewrite", fast});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--rewrite requires --hazards"));
}

TEST(InspectCommand, ReadsSourcesWithHeadersOfTheToolkitAndOfTheCppLibrary) {
  const testing::TemporaryFolder folder;
  testing::write(folder / "a.cu",
                 "#include <cuda_fp16.h>\n#include <cstdint>\n#include <type_traits>\n"
                 "template <class T> __global__ void twice(T* p, std::uint32_t n) {\n"
                 "  if (threadIdx.x < n) p[threadIdx.x] *= std::conditional_t<true, T, int>(2);\n}\n"
                 "template __global__ void twice<__half>(__half*, std::uint32_t);\n");
  const auto text = inspected({folder / "a.cu"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith(folder / "a.cu: CUDA C++, sm_90a, latencies of NVIDIA H200\n"));
}

TEST(InspectCommand, SaysInALineWhyItCannot) {
  const auto message = [](std::vector<std::string> arguments) {
    const auto result = inspected(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const testing::TemporaryFolder folder;
  testing::write(folder / "text.txt", "text");
  EXPECT_THAT(message({folder / "text.txt"}), EndsWith("or PTX, and its name does not end in .cu\n"));
  EXPECT_THAT(message({cubin, "--arch", "sm_80"}), EndsWith("this is machine code for sm_90a, not for sm_80\n"));
  EXPECT_THAT(message({cubin, "--kernel", "nestd"}), EndsWith("there is no kernel 'nestd' (did you mean 'nested'?)\n"));
  EXPECT_THAT(message({cubin, "--gpu", "b200"}), HasSubstr("there are no reports of 'b200'"));
  EXPECT_THAT(message({cubin, "--block", "2000"}), HasSubstr("--block"));
}

}  // namespace
}  // namespace warpclock
