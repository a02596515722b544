#include "gpu/bench/bench.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using nlohmann::json;

class BenchTest : public testing::Test {
 protected:
  BenchTest() {
    for (const char* id :
         {"shuffle/latency[mode=idx]", "shuffle/latency[mode=bfly]", "cache/bad \"quoted\"", "mma/rate"}) {
      jobs_.emplace_back();
      jobs_.back().id = id;
      jobs_.back().counters = {"c"};
    }
    options_.out = &out_;
    options_.on_result = [this](std::size_t i, const Expected<Observation>&) -> Expected<void> {
      reported_.push_back(i);
      return {};
    };
  }
  ~BenchTest() override { std::filesystem::remove(file_); }

  // 2000 cycles at 1000 MHz, and 100 more in each later repetition.
  RunJob good() {
    return [this](const Job& job) -> Expected<Observation> {
      const int before = runs_[job.id]++;
      counted_ += job.counters.empty() ? 0 : 1;
      if (job.id.starts_with("cache/bad")) return fail("watchdog", "no answer in 10 s");
      Observation seen;
      seen.samples = {{16, {100, 101, 102}}, {64, {2000.0 + 100 * before, 1, 9999}}};
      seen.clock.sm_mhz = 1000;
      return seen;
    };
  }

  json read_json() { return json::parse(std::ifstream(file_)); }

  std::vector<Job> jobs_;
  BenchOptions options_;
  std::ostringstream out_;
  std::map<std::string, int> runs_;
  int counted_ = 0;
  std::vector<std::size_t> reported_;
  std::string file_ = testing::TempDir() + "bench_test." + std::to_string(getpid()) + ".out";
};

TEST_F(BenchTest, RunsEveryJobOnceAndReportsAtOnce) {
  const auto results = must(run_benchmarks(jobs_, good(), options_));
  ASSERT_THAT(results, SizeIs(4));
  EXPECT_TRUE(results[0]->has_value());
  EXPECT_EQ(results[2]->error().code, "watchdog");
  EXPECT_THAT(reported_, ElementsAre(0, 1, 2, 3));
  for (const auto& [id, count] : runs_) EXPECT_EQ(count, 1) << id;
  EXPECT_EQ(out_.str(),
            "[1/4] shuffle/latency[mode=idx]  2000 cycles\n"
            "[2/4] shuffle/latency[mode=bfly]  2000 cycles\n"
            "[3/4] cache/bad \"quoted\"  failed: watchdog: no answer in 10 s\n"
            "[4/4] mma/rate  2000 cycles\n");
}

TEST_F(BenchTest, RunsNoMoreJobsAfterAResultThatCannotBeKept) {
  options_.on_result = [](std::size_t, const Expected<Observation>&) -> Expected<void> {
    return fail("io", "no space left");
  };
  const auto results = run_benchmarks(jobs_, good(), options_);
  EXPECT_THAT(failure_of(results), IsError("io", "no space left"));
  EXPECT_EQ(runs_.size(), 1U);
  EXPECT_THAT(out_.str(), HasSubstr("[2/4] shuffle/latency[mode=bfly]  not run"));
}

TEST_F(BenchTest, WritesNoRowsIfQuietUnlessAFormatIsNamed) {
  options_.quiet = true;
  ASSERT_TRUE(run_benchmarks(jobs_, good(), options_));
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(reported_, SizeIs(4));
  options_.flags = {"--benchmark_format=console"};
  ASSERT_TRUE(run_benchmarks(jobs_, good(), options_));
  EXPECT_THAT(out_.str(), HasSubstr("mma/rate"));
}

TEST_F(BenchTest, WritesWhatComparePyReads) {
  options_.flags = {"--benchmark_out=" + file_};
  options_.context = {{"device", "Fake"}};
  options_.figures = [](std::size_t, const Observation&) -> Expected<std::vector<Figure>> {
    return std::vector<Figure>{{"latency", 24.5, "cycles"}, {"odd", std::numeric_limits<double>::quiet_NaN(), "%"}};
  };
  ASSERT_TRUE(run_benchmarks(jobs_, good(), options_));
  const json file = read_json();
  EXPECT_EQ(file.at("context").at("device"), "Fake");
  ASSERT_THAT(file.at("benchmarks"), SizeIs(4));
  const json& row = file["benchmarks"][0];
  EXPECT_EQ(row.at("name"), "shuffle/latency[mode=idx]");
  EXPECT_EQ(row.at("run_name"), "shuffle/latency[mode=idx]");
  EXPECT_EQ(row.at("run_type"), "iteration");
  EXPECT_EQ(row.at("iterations"), 1);
  EXPECT_EQ(row.at("time_unit"), "ns");
  EXPECT_DOUBLE_EQ(row.at("real_time").get<double>(), 2000);
  EXPECT_TRUE(row.at("cpu_time").is_number());
  EXPECT_EQ(row.at("cycles"), 2000);
  EXPECT_EQ(row.at("n"), 64);
  EXPECT_EQ(row.at("sm_mhz"), 1000);
  EXPECT_EQ(row.at("latency"), 24.5);
  EXPECT_FALSE(row.contains("odd"));
  const json& bad = file["benchmarks"][2];
  EXPECT_EQ(bad.at("error_occurred"), true);
  EXPECT_EQ(bad.at("error_message"), "watchdog: no answer in 10 s");
  EXPECT_THAT(out_.str(), HasSubstr("[1/4] shuffle/latency[mode=idx]  24.5 cycles\n"));
}

TEST_F(BenchTest, RepetitionsAppendSamplesAndCountOnce) {
  options_.flags = {"--benchmark_repetitions=3", "--benchmark_out=" + file_};
  const auto results = run_benchmarks(jobs_, good(), options_);
  ASSERT_TRUE(results);
  const Observation& seen = **(*results)[0];
  EXPECT_THAT(seen.samples.at(0).cycles, SizeIs(9));
  EXPECT_THAT(seen.samples.at(1).cycles, ElementsAre(2000, 1, 9999, 2100, 1, 9999, 2200, 1, 9999));
  EXPECT_EQ(runs_.at("mma/rate"), 3);
  EXPECT_EQ(runs_.at("cache/bad \"quoted\""), 1) << "a failed case is not tried again";
  EXPECT_EQ(counted_, 4);
  EXPECT_THAT(reported_, ElementsAre(0, 1, 2, 3));
  int means = 0;
  const json file = read_json();
  for (const json& row : file.at("benchmarks")) {
    if (row.value("aggregate_name", "") == "mean" && row.at("run_name") == "mma/rate") {
      ++means;
      EXPECT_DOUBLE_EQ(row.at("real_time").get<double>(), 2100);
    }
  }
  EXPECT_EQ(means, 1);
  EXPECT_THAT(out_.str(), HasSubstr("[4/4]"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("[5/")));
}

TEST_F(BenchTest, FilterIsOverCaseIds) {
  options_.flags = {"--benchmark_filter=mode=(idx|bfly)\\]$"};
  const auto results = must(run_benchmarks(jobs_, good(), options_));
  EXPECT_TRUE(results[0].has_value());
  EXPECT_FALSE(results[2].has_value());
  EXPECT_THAT(reported_, ElementsAre(0, 1));
}

TEST_F(BenchTest, ListsWithoutRunning) {
  options_.flags = {"--benchmark_list_tests", "--benchmark_filter=-shuffle"};
  ASSERT_TRUE(run_benchmarks(jobs_, good(), options_));
  EXPECT_EQ(out_.str(), "cache/bad \"quoted\"\nmma/rate\n");
  EXPECT_THAT(runs_, IsEmpty());
}

TEST_F(BenchTest, OtherFormatsAreGoogleBenchmarks) {
  options_.flags = {"--benchmark_format=console"};
  ASSERT_TRUE(run_benchmarks(jobs_, good(), options_));
  EXPECT_THAT(out_.str(), HasSubstr("2000 ns"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("manual_time")));
  runs_.clear();
  options_.flags = {"--benchmark_out=" + file_, "--benchmark_out_format=csv"};
  options_.figures = [](std::size_t i, const Observation&) -> Expected<std::vector<Figure>> {
    return std::vector<Figure>{{i == 0 ? "latency" : "throughput", 1, "cycles"}};
  };
  ASSERT_TRUE(run_benchmarks(jobs_, good(), options_));
  std::ifstream csv(file_);
  const std::string text{std::istreambuf_iterator<char>(csv), {}};
  EXPECT_THAT(text, HasSubstr("\"mma/rate\",1,2000,"));
}

TEST_F(BenchTest, ReplacesAnOutputFileOfItsOwnAndNoOther) {
  for (const char* format : {"json", "csv", "console"}) {
    std::filesystem::remove(file_);
    options_.flags = {"--benchmark_out=" + file_, "--benchmark_out_format=" + std::string(format)};
    ASSERT_TRUE(run_benchmarks(jobs_, good(), options_)) << format;
    EXPECT_TRUE(run_benchmarks(jobs_, good(), options_)) << format;
  }
  std::ofstream(file_) << "precious";
  EXPECT_EQ(failure_of(run_benchmarks(jobs_, good(), options_)).code, "not-generated");
  EXPECT_EQ(read_file(file_), "precious");
}

TEST_F(BenchTest, WritesTheFileWholeAtTheEnd) {
  options_.flags = {"--benchmark_out=" + file_};
  const auto run = good();
  ASSERT_TRUE(run_benchmarks(
      jobs_,
      [&](const Job& job) {
        EXPECT_FALSE(std::filesystem::exists(file_)) << job.id;
        return run(job);
      },
      options_));
  EXPECT_THAT(read_json().at("benchmarks"), SizeIs(4));
}

TEST_F(BenchTest, WritesIntoAPipe) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  options_.flags = {"--benchmark_out=" + file_};
  std::string got;
  std::thread reader([&] { got = read_file(file_).value_or(""); });
  EXPECT_TRUE(run_benchmarks(jobs_, good(), options_));
  reader.join();
  EXPECT_THAT(json::parse(got).at("benchmarks"), SizeIs(4));
}

TEST_F(BenchTest, ARejectedObservationIsAnErrorRowAndStays) {
  options_.flags = {"--benchmark_out=" + file_};
  options_.figures = [](std::size_t i, const Observation&) -> Expected<std::vector<Figure>> {
    if (i == 1) return fail("premise", "hit rate 3 %");
    return std::vector<Figure>{};
  };
  EXPECT_TRUE(must(run_benchmarks(jobs_, good(), options_))[1]->has_value());
  EXPECT_EQ(read_json()["benchmarks"][1].at("error_message"), "premise: hit rate 3 %");
  EXPECT_THAT(out_.str(), HasSubstr("rejected: premise: hit rate 3 %"));
}

TEST_F(BenchTest, ALostDeviceEndsTheRun) {
  const auto results = run_benchmarks(
      jobs_,
      [&](const Job& job) -> Expected<Observation> {
        if (runs_[job.id]++, runs_.size() == 2) return fail("device-lost", "gone");
        return Observation{};
      },
      options_);
  ASSERT_TRUE(results);
  EXPECT_TRUE((*results)[0]->has_value());
  EXPECT_EQ((*results)[1]->error().code, "device-lost");
  EXPECT_FALSE((*results)[2].has_value());
  EXPECT_THAT(runs_, SizeIs(2));
  EXPECT_THAT(reported_, ElementsAre(0, 1));
}

TEST_F(BenchTest, AnUnknownClockGivesCyclesAsNanoseconds) {
  options_.flags = {"--benchmark_out=" + file_};
  ASSERT_TRUE(run_benchmarks(
      {jobs_[0]},
      [](const Job&) -> Expected<Observation> {
        Observation seen;
        seen.samples = {{8, {77}}};
        return seen;
      },
      options_));
  EXPECT_DOUBLE_EQ(read_json()["benchmarks"][0].at("real_time").get<double>(), 77);
}

TEST_F(BenchTest, BadFlagsAreErrorsAndNotExits) {
  for (const char* flag : {"--help", "--benchmark_format=xml", "--benchmark_out_format=yaml",
                           "--benchmark_repetitions=-1", "--benchmark_repetitions=many",
                           "--benchmark_color=", "--benchmark_no_such_flag=1", "--benchmark_filter=[", "positional"}) {
    options_.flags = {flag};
    EXPECT_EQ(failure_of(run_benchmarks(jobs_, good(), options_)).code, "usage") << flag;
  }
  options_.flags = {"--benchmark_out=/dev/null/file"};
  EXPECT_EQ(run_benchmarks(jobs_, good(), options_).error().code, "io");
  EXPECT_THAT(runs_, IsEmpty());
}

TEST_F(BenchTest, NothingSelectedIsNothingDone) {
  options_.flags = {"--benchmark_filter=nothing"};
  EXPECT_THAT(run_benchmarks(jobs_, good(), options_).value(), SizeIs(4));
  EXPECT_THAT(run_benchmarks({}, good(), {}).value(), IsEmpty());
  EXPECT_THAT(runs_, IsEmpty());
}

TEST(ProgressReporter, DrawsOneLineOnATerminal) {
  std::ostringstream out;
  ProgressReporter reporter(2, 40, [](const std::string& id) { return ProgressRow{"why", id == "b"}; });
  reporter.SetOutputStream(&out);
  reporter.ReportContext(benchmark::BenchmarkReporter::Context());
  for (const char* id : {"a", "b"}) {
    benchmark::BenchmarkReporter::Run run;
    run.run_name.function_name = id;
    reporter.ReportRuns({run});
  }
  reporter.Finalize();
  EXPECT_EQ(out.str(),
            "\r\x1b[K[........................] 0/2 "
            "\r\x1b[K[############............] 1/2 a  why"
            "\r\x1b[Kb  why\n"
            "\r\x1b[K[########################] 2/2 b  why"
            "\r\x1b[K");
}

}  // namespace
}  // namespace warpclock
