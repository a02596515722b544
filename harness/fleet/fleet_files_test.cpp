#include "fleet/fleet_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files/packed_file.hpp"
#include "base/lookup.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"
#include "fleet/fleet.hpp"
#include "fleet/observations.hpp"
#include "fleet/testing/records.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

const std::string h200 = WARPCLOCK_SOURCE_DIR "/reports/nvidia-h200/";

TEST(FleetConditions, PowerIsTheHighestOfTheRun) {
  Record record = testing::gpu_record(0, 500);
  record.provenance.most_power_w = 651;
  FleetCollector now("fleet"), before("fleet");
  now.add(record, "now");
  EXPECT_EQ(now.finish().gpus.front().power_w, 651);
  record.provenance.most_power_w = 0;
  record.rows.front().clock.power_w = 442;
  before.add(record, "before");
  EXPECT_EQ(before.finish().gpus.front().power_w, 442) << "records of earlier versions have it in their rows";
}

TEST(FleetConditions, EventsAreThoseOfAllRecords) {
  Record record = testing::gpu_record(0, 500);
  record.provenance.gpu_events = {{{"31", 2}}, {{"corrected", 1}}};
  FleetCollector fleet("fleet");
  fleet.add(record, "first");
  record.provenance.date = "2026-09-09T00:00:00Z";
  record.provenance.gpu_events = {{{"31", 1}, {"94", 1}}, {}};
  fleet.add(record, "second");
  EXPECT_EQ(fleet.finish().gpus.front().events, (GpuEvents{{{"31", 3}, {"94", 1}}, {{"corrected", 1}}}));
}

/// As a fleet reads it.
Expected<Record> row_numbers(const std::string& text, const std::string& place = "") {
  return parse_record(text, place, {.files = {RecordFile::Result, RecordFile::Instructions}, .numbers = true});
}

TEST(RowNumbers, AreThoseOfAnInstructionTable) {
  const std::string text = read_packed_file(h200 + "instructions.json.gz").value();
  const Record table = must(parse_record(text, "", {{RecordFile::Instructions}}));
  const Record numbers = must(row_numbers(text));
  EXPECT_EQ(numbers.provenance, table.provenance);
  EXPECT_EQ(numbers.device, table.device);
  ASSERT_EQ(numbers.rows.size(), table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = numbers.rows[i];
    EXPECT_EQ(row.id, table.rows[i].id);
    EXPECT_EQ(row.outcome, table.rows[i].outcome);
    EXPECT_EQ(row.reason, table.rows[i].reason);
    EXPECT_EQ(row.estimates, table.rows[i].estimates);
    EXPECT_EQ(row.clock, table.rows[i].clock);
    EXPECT_EQ(code_of(row), join(row.forms, "")) << "no experiments";
  }
}

TEST(RowNumbers, OfADamagedFileAreAnError) {
  const std::string text = read_packed_file(h200 + "peer/result.json.gz").value();
  for (const std::string& damaged :
       {std::string(), std::string("{}"), std::string("[1]"), std::string("\xff\xfe"), text.substr(0, text.size() / 2),
        text.substr(0, 3000), std::string(R"({"schema":{"major":9},"record":"result","rows":[]})"),
        std::string(R"({"schema":{"major":4},"record":"result","rows":[{"id":1}]})"),
        std::string(R"({"schema":{"major":4},"record":"result","rows":[{"id":"a","outcome":"such"}]})"),
        std::string(100000, '[')}) {
    EXPECT_THAT(failure_of(row_numbers(damaged, "here")).message(), HasSubstr("here")) << damaged.substr(0, 80);
  }
  const std::string machine = read_packed_file(h200 + "machine.json.gz").value();
  EXPECT_THAT(failure_of(row_numbers(machine, "here")),
              IsError("record-kind", HasSubstr("a result (result.json) or an instruction table (instructions.json)")));
}

namespace fs = std::filesystem;

/// Two GPUs, each with a record, and a third whose folder is for the test to hide.
class RecordFilesTest : public ::testing::Test {
 protected:
  RecordFilesTest() {
    chmod(folder_.path().c_str(), 0755);
    for (const char* gpu : {"a", "b", "c"}) add(fleet_ / gpu);
  }
  ~RecordFilesTest() override { chmod((fleet_ / "c").c_str(), 0755); }

  static void add(const fs::path& gpu) {
    fs::create_directories(gpu);
    testing::write(gpu / "result.json", "{}");
  }

  [[nodiscard]] std::vector<std::string> records() const {
    return mapped(must(find_record_files(fleet_)).records,
                  [&](const fs::path& path) { return path.lexically_relative(fleet_).generic_string(); });
  }
  [[nodiscard]] std::vector<FleetFailure> unread() const { return must(find_record_files(fleet_)).unread; }

  testing::TemporaryFolder folder_;
  fs::path fleet_ = folder_ / "fleet";
};

TEST_F(RecordFilesTest, NameTheFolderThatCannotBeRead) {
  chmod((fleet_ / "c").c_str(), 0);
  const testing::AsNobody nobody;
  EXPECT_THAT(records(), ElementsAre("a/result.json", "b/result.json"));
  ASSERT_THAT(unread(), SizeIs(1));
  EXPECT_EQ(unread()[0].path, "c");
  EXPECT_THAT(unread()[0].text, HasSubstr("this folder cannot be read: Permission denied"));
}

TEST_F(RecordFilesTest, AreFoundBehindLinksOnce) {
  const testing::Alarm alarm;
  fs::rename(fleet_ / "c", folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", fleet_ / "0-link");
  fs::create_directory_symlink("0-link", fleet_ / "1-again");
  fs::create_directory_symlink("b", fleet_ / "2-of-b");
  fs::create_directory_symlink("..", fleet_ / "b/loop");
  EXPECT_THAT(records(), ElementsAre("0-link/result.json", "a/result.json", "b/result.json"));
  EXPECT_THAT(unread(), IsEmpty());
}

TEST_F(RecordFilesTest, NameTheLinkThatLeadsNowhere) {
  fs::remove_all(fleet_ / "c");
  fs::create_directory_symlink("gone", fleet_ / "c");
  fs::create_directory_symlink("itself", fleet_ / "itself");
  ASSERT_THAT(unread(), SizeIs(2));
  EXPECT_EQ(unread()[0].path, "c");
  EXPECT_THAT(unread()[0].text, HasSubstr("this link leads nowhere: No such file or directory"));
  EXPECT_EQ(unread()[1].path, "itself");
}

TEST_F(RecordFilesTest, AreNotThereIfTheFleetCannotBeRead) {
  chmod(fleet_.c_str(), 0);
  {
    const testing::AsNobody nobody;
    EXPECT_THAT(failure_of(find_record_files(fleet_)), IsError("io", HasSubstr("cannot list the folder")));
  }
  chmod(fleet_.c_str(), 0755);
}

// A GPU that is five times too slow passes no gate, whoever may not read its folder.
TEST_F(RecordFilesTest, ThatCannotBeReadFailTheGate) {
  int number = 0;
  for (const char* gpu : {"a", "b", "c"})
    testing::write(fleet_ / gpu / "result.json", to_json(testing::gpu_record(number++, 500)));
  const auto fleet = [&] { return judge_fleet(must(read_fleet(fleet_, {}))); };
  const Baseline baseline = baseline_of(fleet());
  const auto verdict = [&] {
    const Observations observations = must(read_fleet(fleet_, {}));
    const Fleet judged = judge_fleet(observations);
    const GateResult gate = gate_fleet(observations, judged, baseline);
    EXPECT_EQ(fleet_json(judged, &gate)["gate"]["passed"], passes(judged, gate));
    return passes(judged, gate);
  };
  EXPECT_TRUE(verdict());
  testing::write(fleet_ / "c/result.json", to_json(testing::gpu_record(2, 2500)));
  EXPECT_FALSE(verdict());
  chmod((fleet_ / "c").c_str(), 0);
  const testing::AsNobody nobody;
  EXPECT_FALSE(verdict());
}

constexpr const char* first = "GPU-00000001-0000-0000-0000-000000000000";
constexpr const char* second = "GPU-00000002-0000-0000-0000-000000000000";

Observations two_gpus() {
  FleetCollector collector("fleet");
  for (const char* uuid : {first, second}) {
    Record record = testing::gpu_record(1, 500);
    record.device.uuid = uuid;
    collector.add(record, "here");
  }
  return collector.finish();
}

TEST_F(RecordFilesTest, OfTheFutureAreFailures) {
  Record record = testing::gpu_record(0, 500);
  testing::write(fleet_ / "a/result.json", to_json(record));
  record.provenance.date = "2999-01-01T00:00:00Z";
  testing::write(fleet_ / "b/result.json", to_json(record));
  fs::remove_all(fleet_ / "c");
  const Observations all = must(read_fleet(fleet_, {}));
  EXPECT_EQ(all.records, 1U);
  ASSERT_THAT(all.failures, SizeIs(1));
  EXPECT_EQ(all.failures[0].text, "its record is of 2999-01-01T00:00:00Z, in the future");
}

TEST(ExpectedGpus, AreANumber) {
  const auto of = [](const char* given) { return missed(must(expected_gpus(given)), two_gpus()); };
  EXPECT_THAT(of("2"), IsEmpty());
  ASSERT_THAT(of("3"), SizeIs(1));
  EXPECT_EQ(of("3")[0].text, "3 GPUs expected, and there are records of 2");
  EXPECT_THAT(of("1"), SizeIs(1));
  EXPECT_EQ(failure_of(expected_gpus("0")).code, "usage");
}

TEST(ExpectedGpus, AreThoseOfAList) {
  const testing::TemporaryFolder folder;
  const std::string list = folder / "gpus";
  const auto of = [&](const std::string& text) {
    testing::write(list, text);
    return missed(must(expected_gpus(list)), two_gpus());
  };
  const std::string both = fmt::format("# node1\nGPU 0: NVIDIA H200 (UUID: {})\n\n{}\n{}\n", first, second, second);
  EXPECT_THAT(of(both), IsEmpty());
  const std::string third = "GPU-00000003-0000-0000-0000-000000000000";
  ASSERT_THAT(of(both + third), SizeIs(1));
  EXPECT_EQ(of(both + third)[0].path, third);
  EXPECT_THAT(of(both + third)[0].text, HasSubstr("no record"));
  ASSERT_THAT(of(first), SizeIs(1));
  EXPECT_THAT(of(first)[0].text, HasSubstr("is not in the list of --expect"));
}

TEST(ExpectedGpus, OfAListThatNamesNoneAreAnError) {
  const testing::TemporaryFolder folder;
  const std::string list = folder / "gpus";
  EXPECT_EQ(failure_of(expected_gpus(list)).code, "io");
  testing::write(list, "# none\n");
  EXPECT_EQ(failure_of(expected_gpus(list)).code, "config");
  testing::write(list, fmt::format("{}\nGPU-0000000g-0000-0000-0000-000000000000\n", first));
  EXPECT_EQ(failure_of(expected_gpus(list)).place, list + ":2");
}

}  // namespace
}  // namespace warpclock
