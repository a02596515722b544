#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/testing/fat.hpp"
#include "inspect/testing/recorded.hpp"
#include "report/page/testing/packed.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAreArray;

const std::string kernels_cubin = testing::inspect_data + "kernels.cubin";

ProcessResult predicted(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "predict"});
  arguments.insert(arguments.end(), {"--reports", WARPCLOCK_SOURCE_DIR "/reports"});
  return run_process(arguments).value();
}

TEST(PredictCommand, PrintsWritesJsonAndAPage) {
  const auto text =
      predicted({kernels_cubin, "--kernel", "pipeline", "--launch", "132,128", "--trips", "0=64", "--hit", "load=L2"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\n  level    L2 answers, by --hit"));
  EXPECT_THAT(text.out,
              StartsWith(kernels_cubin + ": cubin, costs of NVIDIA H200\n\npipeline\n  launch   132 blocks of 128"));
  EXPECT_THAT(text.out, HasSubstr("64 trips by --trips"));

  const testing::TemporaryFolder folder;
  const auto json = predicted({kernels_cubin, "--launch", "132,128", "--json", "--page", folder / "page.html"});
  EXPECT_EQ(json.exit_code, 1) << "trips are missing";
  EXPECT_THAT(json.err, HasSubstr("4 of 4 kernels without a number of cycles"));
  EXPECT_EQ(json_of(json.out)["kernels"].size(), 4U);
  const auto words = [&] { return testing::packed_data_of(read_file(folder / "page.html").value(), "extras").dump(); };
  const std::string silent = words();
  EXPECT_THAT(silent, HasSubstr("unknown: loop 0 (0x0180, kernels.cu:29) has no trip count; add --trips 0=N"));
  EXPECT_THAT(silent, HasSubstr("\"limiter\":[\"\",\"\",\"\",\"\"]"));
  const auto drawn = predicted({kernels_cubin, "--kernel", "pipeline", "--launch", "132,32", "--trips", "0=9", "--hit",
                                "load=L2", "--page", folder / "page.html"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(words(), AllOf(HasSubstr("\"limiter\":[\"one warp alone\"]"), HasSubstr("\"cycle\"")));
}

TEST(PredictCommand, TakesArgumentsAndTheSizesOfBuffers) {
  const std::vector<std::string> launch = {kernels_cubin, "--kernel", "pipeline", "--launch", "132,32"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = launch;
    all.insert(all.end(), more.begin(), more.end());
    return predicted(all);
  };
  const auto known = with({"--arg", "2=65", "--buffer", "0=1MiB,1=4KiB"});
  EXPECT_EQ(known.exit_code, 0) << known.out << known.err;
  EXPECT_THAT(known.out, HasSubstr("64 trips by the values of the launch"));
  EXPECT_THAT(known.out, HasSubstr("\n  level    L2 answers, by 1 MiB of buffers, which fit into L2"));
  EXPECT_THAT(with({"--arg", "2=65", "--buffer", "0=100GiB", "--buffer", "1=4096"}).out,
              HasSubstr("that are accessed of 100 GiB of buffers, which fit into L2"));
  EXPECT_THAT(with({"--arg", "9=1"}).err, HasSubstr("the kernel has no argument 9: it has 0 to 2"));
  EXPECT_THAT(with({"--arg", "2"}).err, HasSubstr("--arg is WHAT=VALUE"));
  EXPECT_THAT(with({"--arg", "2=1,2=2"}).err, HasSubstr("--arg gives an argument twice"));
  EXPECT_THAT(with({"--buffer", "0=much"}).err, HasSubstr("--buffer is N=SIZE"));
}

TEST(PredictCommand, PredictsTheOtherKernelsWhereOneCannotBePredicted) {
  const auto result = predicted({kernels_cubin, "--launch", "1,32", "--stride", "0x0240=4"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("\npipeline\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  failed  there is no access to memory at 0x0240"));
  EXPECT_THAT(result.err, HasSubstr("kernels.cubin: 3 of 4 kernels could not be predicted\n"));

  const auto json = predicted({kernels_cubin, "--launch", "1,32", "--stride", "0x0240=4", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  const auto document = json_of(json.out);
  EXPECT_EQ(document["kernels"].size(), 1U);
  ASSERT_EQ(document["failed"].size(), 3U);
  EXPECT_EQ(document["failed"][0]["readable"], "tail");
  EXPECT_THAT(std::string(document["failed"][0]["why"]), StartsWith("there is no access to memory at 0x0240"));
}

TEST(PredictCommand, PredictsAllCubinsOfALibraryInItsOrder) {
  const std::string cubin = read_file(kernels_cubin).value();
  const testing::TemporaryFolder folder;
  testing::write(folder / "library.so",
                 "\x7f"
                 "ELF" +
                     testing::fat_binary(
                         {{.sm = 90, .payload = cubin}, {.sm = 90, .payload = cubin}, {.sm = 90, .payload = cubin}}));
  const auto names = [](const std::string& json) {
    std::vector<std::string> all;
    const auto document = json_of(json);
    for (const auto& kernel : document["kernels"]) all.push_back(kernel["kernel"]);
    return all;
  };
  const auto one = predicted({kernels_cubin, "--launch", "1,32", "--json"});
  const auto all = predicted({folder / "library.so", "--launch", "1,32", "--json"});
  EXPECT_EQ(all.exit_code, 1) << "trips are missing";
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i) {
    for (const std::string& name : names(one.out)) expected.push_back(name);
  }
  EXPECT_THAT(names(all.out), ElementsAreArray(expected));
  EXPECT_EQ(expected.size(), 12U);
}

TEST(PredictCommand, GivesAKernelUpAtItsLimit) {
  const auto result = predicted({kernels_cubin, "--launch", "132,128", "--limit", "1e-9"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("it takes longer to simulate than it may: give it more time by --limit"));
  EXPECT_EQ(predicted({kernels_cubin, "--limit", "0"}).exit_code, 2);
}

TEST(PredictCommand, SaysInALineWhyItCannot) {
  const auto message = [](std::vector<std::string> arguments) {
    const auto result = predicted(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const testing::TemporaryFolder folder;
  testing::write(folder / "counts.csv", "a,b\n");
  EXPECT_THAT(message({kernels_cubin, "--kernel", "nested"}), HasSubstr("the threads of a block are not known"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "0,32"}), HasSubstr("--launch is GRID,BLOCK"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--trips", "0"}), HasSubstr("--trips is WHAT=VALUE"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--trips", "0=99999999999999999999"}),
              HasSubstr("--trips is LOOP=N with a loop's number and at most 1099511627776 trips"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--trips", "0=1,1=2", "--trips", "1=3"}),
              HasSubstr("--trips says twice how often loop 1 runs"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--kernel", "pipeline", "--trips", "99=3"}),
              HasSubstr("--trips 99=3: there is no loop 99: the kernel has only loop 0"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--hit", "load=L3"}), HasSubstr("--hit is load=LEVEL"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32x64"}), HasSubstr("--launch is GRID,BLOCK"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--stride", "0x0240"}), HasSubstr("--stride is WHAT=VALUE"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--stride", "0x0240=-4"}), HasSubstr("--stride is ADDRESS"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--kernel", "pipeline", "--stride", "0x0000=4"}),
              HasSubstr("there is no access to memory at 0x0000"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--counts", folder / "counts.csv"}), HasSubstr("counts.csv"));
  EXPECT_THAT(message({kernels_cubin, "--launch", "1,32", "--window"}), HasSubstr("does not read the clock twice"));
  testing::write(folder / "half.cubin", read_file(kernels_cubin).value().substr(0, 5000));
  EXPECT_EQ(
      message({folder / "half.cubin", "--json"}),
      "warpclock: " + (folder / "half.cubin") + ": the cubin cannot be read: a section header is outside of it\n");
}

}  // namespace
}  // namespace warpclock
