#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/testing/recorded.hpp"

namespace warpclock {
namespace {

const std::string cubin_to_execute = testing::inspect_data + "kernels.cubin";

ProcessResult run_execute(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "execute", cubin_to_execute});
  return run_process(arguments).value();
}

TEST(ExecuteCommand, PrintsWhatWarpsDo) {
  const std::vector<std::string> pipeline = {"--kernel", "pipeline", "--launch", "132,32",
                                             "--arg",    "2=65",     "--buffer", "0=1MiB,1=4KiB"};
  const auto text = run_execute(pipeline);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("132 blocks of 32 threads: 64 executed, and the others take the same ways"));
  EXPECT_THAT(text.out, HasSubstr("loop 0    0x0180 to 0x0280: 64 trips, entered by 64 warps"));
  EXPECT_THAT(text.out, HasSubstr("  0x0100         64     32       16           4  LDGSTS.E.BYPASS.128"));
  auto json = pipeline;
  json.insert(json.end(), {"--json", "--blocks", "all"});
  const auto parsed = json_of(run_execute(json).out);
  const auto& kernel = parsed["kernels"][0];
  EXPECT_EQ(kernel["executed_blocks"], 132);
  EXPECT_EQ(kernel["loops"][0]["trips"], 64.0);
  EXPECT_EQ(kernel["instructions"][16]["sectors"], 16.0);
}

TEST(ExecuteCommand, SaysWhatToGive) {
  const auto error = [](const std::vector<std::string>& arguments) {
    const auto result = run_execute(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  const std::vector<std::string> pipeline = {"--kernel", "pipeline", "--launch", "1,32"};
  const auto with = [&](const std::vector<std::string>& more) {
    auto all = pipeline;
    all.insert(all.end(), more.begin(), more.end());
    return error(all);
  };
  EXPECT_THAT(with({"--buffer", "0=1MiB"}),
              HasSubstr("argument 2 decides whether it jumps: 0x0120 BRA (kernels.cu:28): give --arg 2=…\n"));
  EXPECT_THAT(with({"--arg", "2=3"}), HasSubstr("argument 0 decides the address of 0x0100 LDGSTS.E.BYPASS.128"));
  EXPECT_THAT(with({"--arg", "2=3", "--buffer", "0=1KiB"}),
              HasSubstr("lane 0 accesses byte 1024 of the buffer of argument 0, which has 1024: give --buffer 0=SIZE"));
  EXPECT_THAT(with({"--buffer", "0=1KiB:"}), HasSubstr("--buffer is N=SIZE or N=SIZE:HOLDS"));
  EXPECT_THAT(with({"--buffer", "0=1KiB:/nowhere"}), HasSubstr("/nowhere"));
  EXPECT_THAT(with({"--blocks", "0"}), HasSubstr("--blocks is all or a number"));
  EXPECT_THAT(error({"--launch", "1,32"}), HasSubstr("several kernels are meant"));
  EXPECT_THAT(error({"--launch", "1,32", "--kernel", "none"}), HasSubstr("none"));
}

/// The recorded results of a GPU are compared without one.
TEST(ExecuteCommand, VerifiesForms) {
  const auto run = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "execute", "--verify", "--gpu", "h200", "--reports",
                                         std::string(WARPCLOCK_SOURCE_DIR) + "/reports"});
    return run_process(arguments).value();
  };
  const auto text = run({"@PT DADD R#, R#, -R#"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("verified     @PT DADD R#, R#, -R#\n1 form: 1 verified; 4096 sets of operands"));
  const auto parsed = json_of(run({"*MUFU.EX2 R#*", "--json"}).out);
  EXPECT_EQ(parsed["rows"][0]["proof"], "not followed");
  EXPECT_EQ(parsed["rows"][0]["digest"].get<std::string>().size(), 32U);
  EXPECT_EQ(run({"nothing"}).exit_code, 2);
  EXPECT_EQ(run({"--out", "somewhere"}).exit_code, 2);
}

}  // namespace
}  // namespace warpclock
