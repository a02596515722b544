#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "code/elf.hpp"
#include "inspect/testing/recorded.hpp"

namespace warpclock {
namespace {

/// Captures a program that runs with a driver and CUPTI of no GPU.
class CaptureCommand : public ::testing::Test {
 protected:
  ProcessResult captured(std::vector<std::string> arguments, const std::vector<std::string>& options = {}) {
    std::vector<std::string> all = {WARPCLOCK_PROGRAM, "capture", "--out", folder_ / "out"};
    all.insert(all.end(), options.begin(), options.end());
    all.insert(all.end(), {"--", WARPCLOCK_CAPTURED});
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_process(all).value();
  }
  [[nodiscard]] nlohmann::json record() const {
    return json_of(must(read_packed_file(folder_ / "out/capture.json.gz")));
  }
  static std::vector<int> runs(const nlohmann::json& record) {
    std::vector<int> all;
    for (const auto& launch : record["launches"]) all.push_back(launch["times"]["runs"]);
    return all;
  }

  /// The machine code of a kernel in a cubin, and in one that was kept.
  static std::string code_in(const std::string& cubin, const std::string& kernel) {
    for (const CodeSection& section : must(code_sections(cubin)))
      if (section.kernel == kernel) return std::string(section.code);
    return "no such kernel";
  }
  [[nodiscard]] std::string code_of(const std::string& hash, const std::string& kernel) const {
    return code_in(must(read_packed_file(folder_ / ("out/code/" + hash))), kernel);
  }

  testing::TemporaryFolder folder_;

 private:
  testing::Variable libraries_{"LD_LIBRARY_PATH", WARPCLOCK_FAKE_CUDA};
  testing::Variable cubin_{"FAKE_CUBIN", testing::inspect_data + "kernels.cubin"};
};

TEST_F(CaptureCommand, KeepsEachDistinctLaunchAndItsTimes) {
  const auto result = captured({"launch", "0"}, {"--data", "64"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("6 runs of 3 distinct launches"), HasSubstr("pipeline")));
  const auto made = record();
  EXPECT_THAT(runs(made), ElementsAre(4, 1, 1))
      << "one at another place of the buffer, one that is not aligned as it is";
  EXPECT_EQ(made["launches"][0]["times"]["median_ns"], 2000);
  EXPECT_EQ(made["launches"][1]["after"], 0);
  EXPECT_EQ(made["launches"][2]["after"], 1);
  EXPECT_EQ(made["launches"][2]["pointers"][0]["ago"], 3) << "by the third launch of six, and it is the last";
  EXPECT_EQ(made["launches"][1]["pointers"][0]["ago"], 0) << "nothing was there before";
  EXPECT_EQ(made["launches"][0]["pointers"][0]["data_bytes"], 64);
  EXPECT_EQ(made["kernels"][0]["symbol"], "pipeline");
  EXPECT_EQ(made["processes"][0]["ended"], true);
  EXPECT_FALSE(made.contains("notes"));
  const auto listed = run_process({WARPCLOCK_PROGRAM, "capture", "--show", folder_ / "out", "--csv"}).value();
  EXPECT_THAT(listed.out, StartsWith("ms,share,runs,launches,mean_us,kernel\r\n"));
}

TEST_F(CaptureCommand, KnowsWhatTheNodesOfAGraphLaunch) {
  ASSERT_EQ(captured({"graph", "0"}, {"--data", "64"}).exit_code, 0);
  const auto made = record();
  EXPECT_THAT(runs(made), ElementsAre(1, 1, 1)) << "no kernel ran without its launch, and no clone is another launch";
  const auto& launches = made["launches"];
  EXPECT_EQ(launches[0]["times"]["median_ns"], 4000);
  EXPECT_EQ(launches[1]["times"]["median_ns"], 5000);
  EXPECT_FALSE(launches[1].contains("cluster"));
  EXPECT_EQ(launches[1]["after"], 0);
  EXPECT_EQ(launches[1]["pointers"][1]["ago"], 1) << "both have the buffer";
  EXPECT_EQ(launches[2]["cluster"], nlohmann::json({2, 1, 1})) << "an attribute that was not there at first";
  EXPECT_EQ(launches[2]["times"]["median_ns"], 6000);
  const auto& of_graph = launches[0]["pointers"][0];
  EXPECT_EQ(of_graph["buffer_bytes"], 4096) << "that the graph allocates";
  EXPECT_EQ(of_graph["data_bytes"], 32) << "that it sets";
}

// Libraries that compile while they run have such kernels, and load each when it is first used.
TEST_F(CaptureCommand, KnowsTheModuleOfAKernelWhoseNameAnotherHas) {
  const std::string cubin = testing::inspect_file("kernels.cubin"), path = folder_ / "other.cubin";
  std::string changed = cubin;
  for (const CodeSection& section : must(code_sections(cubin)))
    if (section.kernel == "pipeline") changed[static_cast<std::size_t>(section.code.data() - cubin.data())] ^= 1;
  testing::write(path, changed);
  const testing::Variable other("FAKE_OTHER_CUBIN", path);
  ASSERT_EQ(captured({"libraries", "0"}).exit_code, 0);
  const auto kernel = record()["kernels"][0];
  EXPECT_FALSE(kernel.contains("missing")) << kernel;
  EXPECT_EQ(code_of(kernel["code"], "pipeline"), code_in(changed, "pipeline"));
}

TEST_F(CaptureCommand, KeepsTheCodeOfLaunchedKernelsAlone) {
  ASSERT_EQ(captured({"launch", "0"}).exit_code, 0);
  const std::string all = testing::inspect_file("kernels.cubin"), code = record()["kernels"][0]["code"];
  EXPECT_EQ(code_of(code, "pipeline"), code_in(all, "pipeline"));
  const auto sections = must(code_sections(all));
  ASSERT_GT(sections.size(), 1U);
  for (const CodeSection& section : sections) {
    if (section.kernel == "pipeline") continue;
    EXPECT_EQ(code_of(code, section.kernel), std::string(section.code.size(), '\0')) << section.kernel;
  }
  EXPECT_THAT(must(entries_of(folder_ / "out/code")), ElementsAre(folder_ / ("out/code/" + code + ".gz")));
}

TEST_F(CaptureCommand, PassesOnHowTheProgramEnded) {
  EXPECT_EQ(captured({"launch", "7"}).exit_code, 7);
  EXPECT_EQ(captured({"launch", "abort"}).exit_code, 128 + SIGABRT);
  EXPECT_EQ(captured({"launch", "flush", "kill"}).exit_code, 128 + SIGKILL);
  EXPECT_THAT(runs(record()), ElementsAre(4, 1, 1)) << "what was flushed is kept";
  EXPECT_THAT(record()["notes"][0], HasSubstr("did not come to its end"));
  EXPECT_EQ(captured({"launch", "leave"}).exit_code, 4);
  EXPECT_THAT(runs(record()), ElementsAre(0, 0, 0));
  EXPECT_EQ(record()["exit_status"], 4);
}

TEST_F(CaptureCommand, FollowsProgramsThatTheProgramStarts) {
  EXPECT_EQ(captured({"launch", "fork", "exec", "launch", "0"}).exit_code, 0);
  const auto made = record();
  EXPECT_EQ(made["processes"].size(), 2U) << "a child that goes on with the program of its parent has no CUDA";
  EXPECT_EQ(made["processes"][1]["parent"], made["processes"][0]["pid"]);
  EXPECT_THAT(runs(made), ElementsAre(8, 2, 2, 4, 1, 1));
  EXPECT_EQ(made["kernels"].size(), 1U);
}

TEST_F(CaptureCommand, KeepsAFewOfManyArguments) {
  EXPECT_EQ(captured({"many", "0"}).exit_code, 0);
  const auto made = record();
  ASSERT_EQ(made["launches"].size(), 257U);
  EXPECT_EQ(made["launches"][256]["times"]["runs"], 300 - 256);
  EXPECT_THAT(made["launches"][256]["missing"], HasSubstr("more launches"));
}

TEST_F(CaptureCommand, SaysWhyNothingIsCaptured) {
  {
    const testing::Variable busy("FAKE_BUSY", "1");
    const auto result = captured({"launch", "3"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.err, HasSubstr("captured: CUPTI: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
  }
  const auto message = [&](const std::vector<std::string>& arguments) {
    const auto result = run_process(arguments).value();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string out = folder_ / "new", used = folder_ / "used";
  std::filesystem::create_directories(used);
  testing::write(used + "/notes", "mine");
  const std::vector<std::string> capture = {WARPCLOCK_PROGRAM, "capture", "--out"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), capture.begin(), capture.end());
    return more;
  };
  EXPECT_THAT(message(with({out})), HasSubstr("give the program to run after --"));
  EXPECT_THAT(message(with({out, "--data", "much", "--", "true"})), HasSubstr("--data is a number of bytes"));
  EXPECT_THAT(message(with({out, "--", "/no/such/program"})), HasSubstr("cannot start '/no/such/program'"));
  EXPECT_THAT(message(with({used, "--", "true"})), HasSubstr("it has files and is no capture"));
  EXPECT_THAT(message({WARPCLOCK_PROGRAM, "capture", "--show", used}), HasSubstr("capture.json"));
  const testing::Variable other("CUDA_INJECTION64_PATH", "/other.so");
  EXPECT_THAT(message(with({out, "--", "true"})), HasSubstr("CUDA_INJECTION64_PATH names another library: unset it"));
}

TEST_F(CaptureCommand, KeepsTheEarlierRecordWhereNotAllCanBeKept) {
  ASSERT_EQ(captured({"launch", "0"}).exit_code, 0);
  const auto before = record();
  {
    const testing::FileSizeLimit limit(4000);
    const auto result = captured({"many", "0"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("a process could not keep all that it saw, so there is no new record"));
  }
  EXPECT_EQ(record(), before);
  EXPECT_EQ(captured({"many", "0"}).exit_code, 0);
  EXPECT_EQ(record()["launches"].size(), 257U);
}

TEST_F(CaptureCommand, RemovesWhatAKilledOneWasWriting) {
  std::filesystem::create_directories(folder_ / "out/spool");
  testing::write(folder_ / "out/.warpclock-0123456789abcdef.tmp", "a part of a record");
  ASSERT_EQ(captured({"launch", "0"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/.warpclock-0123456789abcdef.tmp"));
}

TEST_F(CaptureCommand, ThatFailedMayBeRepeated) {
  EXPECT_EQ(run_process({WARPCLOCK_PROGRAM, "capture", "--out", folder_ / "out", "--", "/no/such/program"})->exit_code,
            2);
  EXPECT_THAT(must(entries_of(folder_ / "out/spool")), IsEmpty());
  EXPECT_EQ(captured({"launch", "0"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/spool"));
}

// It would be taken for what the program does now.
TEST_F(CaptureCommand, TakesNothingOfACaptureThatWasKilled) {
  std::filesystem::create_directories(folder_ / "out/spool/1.1/more");
  const auto result = captured({"launch", "0"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot remove what is left of another capture"));
}

TEST_F(CaptureCommand, ACaptureIsPredicted) {
  ASSERT_EQ(captured({"launch", "0"}).exit_code, 0);
  const std::vector<std::string> predict = {WARPCLOCK_PROGRAM, "predict", folder_ / "out", "--reports",
                                            std::string(WARPCLOCK_SOURCE_DIR) + "/reports"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), predict.begin(), predict.end());
    return run_process(more).value();
  };
  const auto json = with({"--gpu", "h100,h200", "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  const auto made = json_of(json.out);
  ASSERT_EQ(made["launches"].size(), 3U);
  const double trips = made["launches"][0]["h200_us"], half = made["launches"][2]["h200_us"];
  EXPECT_GT(trips, 1.5 * half) << "the number that the third launch has decides its trips";
  EXPECT_GT(made["launches"][0]["h100-80gb-hbm3_us"], 0);
  EXPECT_THAT(made["notes"].dump(), HasSubstr("wall-clock nanoseconds"));
  std::filesystem::remove_all(folder_ / "out/code");
  const auto without = with({"--gpu", "h200"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_THAT(without.out, HasSubstr("0 of 3 launches have a number"));
  EXPECT_THAT(with({"--trips", "0=1"}).err, HasSubstr("--trips is not for a capture"));
}

}  // namespace
}  // namespace warpclock
