#include "cli/report_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <random>

#include "answer/numbers/answer.hpp"
#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"
#include "model/testing/measured.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/kernels.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"
#include "report/page/testing/packed.hpp"

namespace warpclock {
namespace {

class ReportFolder : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(gpu()); }

  [[nodiscard]] std::filesystem::path gpu() const { return root / "reports" / "nvidia-h200"; }
  [[nodiscard]] std::string text(const char* name) const { return read_file(gpu() / name).value_or(""); }

  const testing::TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
};

TEST_F(ReportFolder, PagesLeadToEachOtherWhicheverCameFirst) {
  ASSERT_TRUE(write_record(gpu(), testing::example_instructions()));
  EXPECT_THAT(text("instructions.html"), Not(HasSubstr("href=\"report.html\"")));
  ASSERT_TRUE(write_record(gpu(), testing::example_record()));
  EXPECT_THAT(text("instructions.html"), HasSubstr("href=\"report.html\""));
  EXPECT_THAT(text("report.html"), HasSubstr("href=\"instructions.html\""));

  std::filesystem::remove(gpu() / "instructions.json.gz");
  ASSERT_TRUE(write_record(gpu(), testing::example_record()));
  EXPECT_THAT(text("report.html"), Not(HasSubstr("href=\"instructions.html\"")));
  ASSERT_TRUE(write_record(gpu(), testing::example_instructions()));
  EXPECT_THAT(text("report.html"), HasSubstr("href=\"instructions.html\""));
}

TEST_F(ReportFolder, TheMachineTableAndTheOtherPagesLeadToEachOther) {
  ASSERT_TRUE(write_record(gpu(), testing::example_record()));
  ASSERT_TRUE(write_record(gpu() / "memory", testing::example_record()));
  ASSERT_TRUE(write_record(gpu(), testing::example_instructions()));
  EXPECT_THAT(text("instructions.html"), Not(HasSubstr("machine.html")));
  const std::string before = text("report.html");
  EXPECT_THAT(before, Not(HasSubstr("machine.html")));
  ASSERT_TRUE(publish(gpu(), testing::example_machine(), true));
  for (const char* page : {"report.html", "instructions.html"})
    EXPECT_THAT(text(page), HasSubstr("href=\"machine.html\"")) << page;
  EXPECT_THAT(read_file(gpu() / "memory" / "report.html").value_or(""), HasSubstr("href=\"../machine.html\""));
  for (const char* link : {"report.html", "memory/report.html", "instructions.html"})
    EXPECT_THAT(text("machine.html"), HasSubstr("href=\"" + std::string(link) + "\""));
  EXPECT_THAT(text("machine.html"), HasSubstr("<title>Machine instructions of NVIDIA H200"));
  EXPECT_THAT(text("README.md"), AllOf(HasSubstr("# NVIDIA H200\n"), HasSubstr("(memory/report.html)")));
  EXPECT_EQ(to_json(must(read_record(gpu() / "machine.json", {{RecordFile::Machine}}))),
            to_json(finished(testing::example_machine())));
  EXPECT_THAT(read_file(root / "reports" / "README.md").value_or(""), HasSubstr("(nvidia-h200/machine.html)"));

  std::filesystem::remove(gpu() / "machine.json.gz");
  ASSERT_TRUE(write_record(gpu(), testing::example_instructions()));
  EXPECT_EQ(text("report.html"), before);
}

TEST_F(ReportFolder, AMachineTableOfItsOwnIsReadAndRendered) {
  ASSERT_TRUE(write_record(gpu(), testing::example_machine()));
  const auto reports = must(read_reports(root / "reports"));
  ReportFiles files = files_of(reports);
  ASSERT_EQ(files.size(), 4u) << "the record, its page, and index.html and README.md of the GPU";
  for (const auto& [name, text] : files) EXPECT_EQ(read_packed_file(root / "reports" / name), text) << name;

  ASSERT_TRUE(write_file_atomically(gpu() / "machine.json.gz", "{}"));
  EXPECT_EQ(failure_of(read_reports(root / "reports")).place, (gpu() / "machine.json.gz").string());
  std::filesystem::rename(gpu() / "machine.json.gz", gpu() / "machine.json");
  EXPECT_EQ(failure_of(read_reports(root / "reports")).place, (gpu() / "machine.json").string());
}

TEST_F(ReportFolder, AMachineTableElsewhereIsWrittenWithNoGallery) {
  ASSERT_TRUE(write_record(root / "somewhere", testing::example_machine()));
  for (const char* name : {"machine.json.gz", "machine.html"})
    EXPECT_TRUE(std::filesystem::exists(root / "somewhere" / name)) << name;
  for (const char* name : {"README.md", "somewhere/README.md"})
    EXPECT_FALSE(std::filesystem::exists(root / name)) << name;
}

TEST_F(ReportFolder, TheGalleryHasInstructionsWithNoReport) {
  ASSERT_TRUE(publish(gpu(), testing::example_instructions(), true));
  EXPECT_THAT(read_file(root / "reports" / "README.md").value_or(""), HasSubstr("(nvidia-h200/instructions.html)"));
  EXPECT_FALSE(std::filesystem::exists(root / "reports" / "instructions.html"));

  ASSERT_TRUE(publish(root / "reports" / "other", testing::example_instructions(), true));
  EXPECT_TRUE(std::filesystem::exists(root / "reports" / "instructions.html"));
}

TEST_F(ReportFolder, AFileOfSomebodyElseStopsAllOfThem) {
  ASSERT_TRUE(write_file_atomically(gpu() / "report.html", "precious"));
  const auto asked = may_fill(gpu()), written = write_record(gpu(), testing::example_record());
  ASSERT_FALSE(asked);
  ASSERT_FALSE(written);
  EXPECT_EQ(asked.error().place, (gpu() / "report.html").string());
  EXPECT_EQ(written.error().code, "not-generated");
  EXPECT_EQ(text("report.html"), "precious");
  EXPECT_FALSE(std::filesystem::exists(gpu() / "result.json.gz"));
}

TEST_F(ReportFolder, TheIndexLeadsToTheGpuAndEachPageBack) {
  ASSERT_TRUE(write_record(gpu(), testing::example_record()));
  ASSERT_TRUE(write_record(gpu() / "memory", testing::example_record()));
  ASSERT_TRUE(write_record(gpu(), testing::example_instructions()));
  ASSERT_TRUE(write_record(gpu(), testing::example_machine()));
  ASSERT_TRUE(publish(gpu(), testing::example_kernels(), true));
  const auto words = [](const std::string& page) { return testing::packed_data_of(page, "extras").dump(); };
  const std::string index = words(read_file(root / "reports" / "index.html").value_or(""));
  const std::string overview = words(text("index.html"));
  for (const std::string page :
       {"index.html", "report.html", "memory/report.html", "instructions.html", "machine.html", "cases.html"}) {
    EXPECT_THAT(index, HasSubstr("\"href\":\"nvidia-h200/" + page + "\""));
    if (page == "index.html") continue;
    EXPECT_THAT(overview, HasSubstr("\"href\":\"" + page + "\""));
  }
  EXPECT_THAT(text("index.html"), HasSubstr("href=\"../index.html\">all GPUs</a>"));
  EXPECT_THAT(text("memory/report.html"), HasSubstr("href=\"../../index.html\">all GPUs</a>"));
  EXPECT_THAT(text("memory/report.html"), HasSubstr("href=\"../index.html\">NVIDIA H200</a>"));
  EXPECT_THAT(text("instructions.html"), HasSubstr("href=\"memory/report.html\">memory</a>"));

  ASSERT_TRUE(write_file_atomically(gpu() / "index.html", "precious"));
  EXPECT_FALSE(may_fill(gpu()));
  EXPECT_FALSE(write_record(gpu(), testing::example_record()));
  EXPECT_EQ(text("index.html"), "precious");
}

/// Calls `act` in a process that can write no file of more than `bytes`, as on a disk that is full. 0 if `act` holds.
int with_little_room(rlim_t bytes, const std::function<bool()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(act() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(ReportFolder, IsAsBeforeIfThereIsNoRoomForAllOfIt) {
  ASSERT_TRUE(write_record(gpu(), testing::example_record()));
  const std::string page = text("report.html"), data = text("result.json.gz");
  std::string noise = "{\"schema\":{\"major\":3},\"provenance\":";
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) noise += static_cast<char>(random());
  const std::string head = fmt::format("<!DOCTYPE html>\n<html lang=\"en\">{}", html_mark);
  for (const ReportFiles& next :
       {ReportFiles{{"report.html", head}, {"result.json.gz", noise}},
        ReportFiles{{"report.html", head + noise}, {"result.json.gz", noise.substr(0, 100)}}}) {
    EXPECT_NE(with_little_room(50'000, [&] { return write_all(gpu(), next).has_value(); }), 0);
    EXPECT_EQ(text("report.html"), page);
    EXPECT_EQ(text("result.json.gz"), data);
  }
  EXPECT_FALSE(std::filesystem::exists(gpu() / "write.lock"));
  EXPECT_TRUE(write_all(gpu(), {{"report.html", head}, {"result.json.gz", noise}}));
}

// Pages of those that can be read would be written as if there were no others.
TEST_F(ReportFolder, ThatCannotBeReadIsAnError) {
  ASSERT_TRUE(write_record(gpu(), testing::example_record()));
  for (const auto& at : {root, root / "reports", gpu()}) chmod(at.c_str(), 0755);
  chmod(gpu().c_str(), 0311);
  const testing::AsNobody nobody;
  EXPECT_THAT(failure_of(read_reports(root / "reports")), IsError("io", HasSubstr("Permission denied")));
}

TEST_F(ReportFolder, HasTheRecordBeforeItsPages) {
  for (int i = 0; i < 2; ++i) {
    const testing::Watch watch(gpu());
    ASSERT_TRUE(write_record(gpu(), testing::example_record()));
    auto seen = watch.seen();
    std::erase_if(seen, [](const std::string& event) { return event.starts_with("+.") || event.starts_with("-"); });
    EXPECT_THAT(seen, ElementsAre("+result.json.gz", "+README.md", "+index.html", "+report.html"));
  }
}

TEST_F(ReportFolder, HasNothingOfAKilledProcess) {
  testing::write(gpu() / ".warpclock-0123456789abcdef.tmp", "half a page");
  ASSERT_TRUE(write_record(gpu(), testing::example_record()));
  EXPECT_FALSE(std::filesystem::exists(gpu() / ".warpclock-0123456789abcdef.tmp"));
}

TEST_F(ReportFolder, IsWrittenByOneCommandAtATime) {
  ASSERT_TRUE(write_record(gpu(), testing::example_record()));
  const std::string reports = root / "reports";
  const testing::Watch watch(reports);
  EXPECT_EQ(run_process({WARPCLOCK_PROGRAM, "report", reports})->exit_code, 0);
  const auto seen = watch.seen();
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front(), "+write.lock");
  EXPECT_EQ(seen.back(), "-write.lock");

  const auto run = must(FolderLock::take(gpu()));
  const std::vector<std::vector<std::string>> commands = {
      {"replay", gpu() / "result.json.gz", "--out", gpu()},
      {"check", WARPCLOCK_SOURCE_DIR "/configs/cases.yaml", "copy", "--gpu", "h200", "--reports", testing::cut_reports,
       "--out", gpu()}};
  for (auto command : commands) {
    command.insert(command.begin(), WARPCLOCK_PROGRAM);
    const auto ran = run_process(command).value();
    EXPECT_EQ(ran.exit_code, 2) << command[1];
    EXPECT_THAT(ran.err, HasSubstr("another run writes into this folder now")) << command[1];
  }
}

TEST_F(ReportFolder, ItsOwnFilesAreReplaced) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(may_fill(gpu()));
    ASSERT_TRUE(write_record(gpu(), testing::example_record()));
    ASSERT_TRUE(publish(gpu(), testing::example_instructions(), true));
  }
}

TEST_F(ReportFolder, ARecordThatWasNotPackedIsReadAndReplaced) {
  std::filesystem::create_directories(gpu() / "memory");
  const std::string before = to_json(testing::example_record());
  ASSERT_TRUE(write_file_atomically(gpu() / "result.json", before));
  const auto reports = must(read_reports(root / "reports"));
  ASSERT_TRUE(write_all(root / "reports", files_of(reports)));
  EXPECT_FALSE(std::filesystem::exists(gpu() / "result.json"));
  EXPECT_EQ(read_packed_file(gpu() / "result.json.gz"), before);
  EXPECT_EQ(text("result.json.gz"), gzip_compress(before));
  EXPECT_EQ(read_record(gpu() / "result.json"), read_record(gpu() / "result.json.gz"));
}

TEST_F(ReportFolder, SomebodyElsesReadmeBesideTheReportsStays) {
  ASSERT_TRUE(write_file_atomically(root / "reports" / "README.md", "precious"));
  ASSERT_FALSE(may_fill(gpu()));
  EXPECT_FALSE(publish(gpu(), testing::example_record(), true));
  EXPECT_EQ(read_file(root / "reports" / "README.md"), "precious");
}

TEST_F(ReportFolder, SomebodyElsesReadmeOfAGpuStays) {
  ASSERT_TRUE(write_file_atomically(gpu() / "README.md", "precious"));
  for (const auto& folder : {gpu(), gpu() / "memory"}) {
    EXPECT_EQ(failure_of(may_fill(folder)).place, (gpu() / "README.md").string());
    EXPECT_FALSE(write_record(folder, testing::example_record()));
  }
  EXPECT_EQ(text("README.md"), "precious");
}

TEST_F(ReportFolder, AFolderElsewhereHasNoGallery) {
  ASSERT_TRUE(publish(root / "somewhere" / "nvidia-h200", testing::example_record(), true));
  EXPECT_FALSE(std::filesystem::exists(root / "somewhere" / "README.md"));
}

}  // namespace
}  // namespace warpclock
