#include <gtest/gtest.h>

#include "base/files/packed_file.hpp"
#include "base/testing/matchers.hpp"
#include "fleet/fleet_files.hpp"
#include "fleet/observations.hpp"
#include "fleet/testing/records.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

const std::string h200 = WARPCLOCK_SOURCE_DIR "/reports/nvidia-h200/";

/// What a light record keeps.
CaseRecord lightened(const CaseRecord& row) {
  CaseRecord light;
  light.id = row.id;
  light.probe = row.probe;
  light.outcome = row.outcome;
  light.reason.code = row.reason.code;
  light.places = row.places;
  light.window.encoded_cycles = row.window.encoded_cycles;
  light.clock = {.sm_mhz = row.clock.sm_mhz,
                 .memory_mhz = row.clock.memory_mhz,
                 .throttle = row.clock.throttle,
                 .power_w = row.clock.power_w,
                 .temperature_c = row.clock.temperature_c};
  for (const Estimate& estimate : row.estimates)
    light.estimates.push_back(
        {estimate.name, estimate.value, estimate.low, estimate.high, estimate.unit, estimate.method, 0, ""});
  return light;
}

TEST(FleetConditions, PowerIsTheHighestOfTheRun) {
  Record record = testing::gpu_record(0, 500);
  record.provenance.most_power_w = 651;
  FleetCollector now("fleet"), before("fleet");
  now.add(record, "now");
  EXPECT_EQ(now.finish().gpus.front().power_w, 651);
  record.provenance.most_power_w = 0;
  record.cases.front().clock.power_w = 442;
  before.add(record, "before");
  EXPECT_EQ(before.finish().gpus.front().power_w, 442) << "records of earlier versions have it in their rows";
}

TEST(LightRecord, HasWhatTheWholeRecordHas) {
  for (const char* name : {"result.json.gz", "memory/result.json.gz", "peer/result.json.gz"}) {
    const std::string text = read_packed_file(h200 + name).value();
    const Record whole = parse_record(text).value(), light = parse_light_record(text, name).value();
    EXPECT_EQ(light.device, whole.device);
    EXPECT_EQ(light.provenance, whole.provenance);
    ASSERT_EQ(light.cases.size(), whole.cases.size());
    for (std::size_t i = 0; i < whole.cases.size(); ++i) EXPECT_EQ(light.cases[i], lightened(whole.cases[i])) << i;
    ASSERT_EQ(light.probes.size(), whole.probes.size());
    for (std::size_t i = 0; i < whole.probes.size(); ++i) {
      EXPECT_EQ(light.probes[i].name, whole.probes[i].name);
      EXPECT_EQ(light.probes[i].varies, whole.probes[i].varies);
    }
  }
}

TEST(LightRecord, OfAnInstructionTableHasItsEstimates) {
  const InstructionTable table =
      read_instruction_table(read_packed_file(h200 + "instructions.json.gz").value()).value();
  // As it would be written now: the whole reader states fixed latencies of earlier records anew.
  const Record light = parse_light_record(to_json(table), "instructions.json").value();
  ASSERT_EQ(light.cases.size(), table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(light.cases[i].id, table.rows[i].id);
    ASSERT_EQ(light.cases[i].estimates.size(), table.rows[i].estimates.size());
    for (std::size_t k = 0; k < table.rows[i].estimates.size(); ++k)
      EXPECT_EQ(light.cases[i].estimates[k].value, table.rows[i].estimates[k].value);
  }
}

TEST(LightRecord, OfAnEarlierSchemaIsReadToo) {
  const std::string path = WARPCLOCK_SOURCE_DIR "/harness/report/testdata/record_2_0_0.json";
  const Record light = read_light_record(path).value();
  EXPECT_EQ(light.cases.size(), parse_record(read_packed_file(path).value()).value().cases.size());
  EXPECT_FALSE(light.cases.empty());
}

TEST(LightRecord, OfADamagedFileIsAnError) {
  const std::string text = read_packed_file(h200 + "peer/result.json.gz").value();
  for (const std::string& damaged :
       {std::string(), std::string("{}"), std::string("[1]"), std::string("\xff\xfe"), text.substr(0, text.size() / 2),
        text.substr(0, 3000), std::string(R"({"schema":{"major":9},"record":"result","rows":[]})"),
        std::string(R"({"schema":{"major":3},"record":"result","rows":[{"id":1}]})"),
        std::string(R"({"schema":{"major":3},"record":"result","rows":[{"id":"a","outcome":"such"}]})"),
        std::string(100000, '[')}) {
    EXPECT_THAT(failure_of(parse_light_record(damaged, "here")).message(), HasSubstr("here")) << damaged.substr(0, 80);
  }
  EXPECT_FALSE(read_light_record(h200 + "machine.json.gz"));
}

}  // namespace
}  // namespace warpclock
