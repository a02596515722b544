#include "answer/sections/tensor_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "plan/config/stanza.hpp"
#include "plan/sweep.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

Row product(const std::string& probe, Parameters more, Estimate estimate, double sm_mhz = 2000) {
  Parameters parameters = {
      {"m", std::int64_t{16}}, {"k", std::int64_t{16}}, {"ab", std::string("f16")}, {"acc", std::string("f32")}};
  parameters.insert(parameters.end(), more.begin(), more.end());
  Row row = testing::example_case(probe, std::move(parameters), "HMMA.16816.F32");
  row.clock.sm_mhz = sm_mhz;
  row.estimates = {std::move(estimate)};
  return row;
}

Estimate throughput(double value) { return {"throughput", value, value, value, "FMA/clk/SM", "rate"}; }
Estimate latency(double value) { return {"latency", value, value, value, "cycles", "slope"}; }

Record tensor_record() {
  Record record;
  record.device.arch = "sm_90a";
  record.device.sms = 100;
  const std::string warps = "warps", operand = "operand";
  record.rows.push_back(product("matrix/mma_table", {{warps, std::int64_t{4}}}, throughput(1000)));
  record.rows.push_back(product("matrix/mma_table", {{warps, std::int64_t{8}}}, throughput(1024)));
  record.rows.push_back(product("matrix/mma_latency", {{operand, std::string("a")}}, latency(24)));
  record.rows.push_back(product("matrix/mma_latency", {{operand, std::string("b")}}, latency(24)));
  record.rows.push_back(product("matrix/mma_latency", {{operand, std::string("c")}}, latency(33.25)));
  record.rows.push_back(product("matrix/mma_sustained", {}, throughput(1000), 1500));
  record.rows.back().clock.in_window = true;
  record.rows.push_back(product("matrix/mma_table", {{warps, std::int64_t{16}}}, throughput(5000)));
  testing::refuse(record.rows.back(), Outcome::Rejected, {"analyze", "nonlinear", "no line <goes> through it"});
  return record;
}

TEST(TensorTable, GathersWhatIsKnownOfAShape) {
  const Record record = tensor_record();
  const auto groups = tensor_groups(*known_tensor(), record);
  ASSERT_THAT(groups, SizeIs(1));
  const TensorGroup& group = groups.front();
  EXPECT_EQ(group.instruction, "mma.sync");
  EXPECT_EQ(group.inputs + group.accumulator, "f16f32");
  EXPECT_EQ(group.peak, 2048);
  ASSERT_THAT(group.lines, SizeIs(1));
  const TensorLine& line = group.lines.front();
  EXPECT_EQ(line.shape, "m16n8k16");
  EXPECT_THAT(line.latency, SizeIs(3));
  EXPECT_EQ(line.latency[2].first, "c");
  EXPECT_EQ(line.latency[2].second.value, 33.25);
  EXPECT_EQ(line.at(TensorColumn::Random)->row->id, record.rows[1].id);
  EXPECT_FALSE(line.at(TensorColumn::Zeros));
  EXPECT_EQ(line.becomes, "HMMA.16816.F32");
  EXPECT_THAT(line.missing, ElementsAre(&record.rows.back()));
  EXPECT_EQ(peak_text(group, line), "50.0 %");
  EXPECT_FALSE(line.at(TensorColumn::Random)->teraops(100)) << "its clock was read between launches";
  EXPECT_DOUBLE_EQ(line.at(TensorColumn::Sustained)->teraops(100)->value, 300);
  EXPECT_FALSE(line.at(TensorColumn::Sustained)->teraops(0));
}

TEST(TensorTable, ItsBestRateIsNotTheLuckiest) {
  Record record = tensor_record();
  Estimate lucky = throughput(1030);  // f64 on an H200: 128.4, between 126.9 and 130.2; long windows give 127.9
  lucky.low = 1010;
  lucky.high = 1050;
  record.rows.push_back(product("matrix/mma_table", {{"warps", std::int64_t{32}}}, lucky));
  const auto groups = tensor_groups(*known_tensor(), record);
  EXPECT_EQ(groups.front().lines.front().at(TensorColumn::Random)->value, 1024);
}

TEST(TensorTable, MeasuresAgainstItsBestWhereNobodyStatesAPeak) {
  Record record = tensor_record();
  record.device.arch = "sm_120a";
  const auto groups = tensor_groups(*known_tensor(), record);
  EXPECT_EQ(groups.front().peak, 1024);
  EXPECT_EQ(groups.front().peak_source, "the best dense rate that was measured");
  EXPECT_EQ(peak_text(groups.front(), groups.front().lines.front()), "100.0 %");
}

TEST(TensorTable, OfCasesThatWereNotMeasuredHasTheirReasonsAlone) {
  Record record = tensor_record();
  for (Row& row : record.rows) {
    testing::refuse(row, Outcome::Skipped, {"plan", "unsupported-arch", "sm_100a and later"});
  }
  const auto groups = tensor_groups(*known_tensor(), record);
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_EQ(groups.front().peak, 2048);
  const TensorLine& line = groups.front().lines.front();
  EXPECT_FALSE(line.rate());
  EXPECT_THAT(line.missing, SizeIs(7));
  EXPECT_THAT(line.latency, IsEmpty());
  EXPECT_EQ(peak_text(groups.front(), line) + line.becomes, "");
}

TEST(TensorTable, TakesNoEstimateOfAnotherUnitAndNoCaseWithoutItsParameters) {
  Record record;
  record.rows.push_back(product("matrix/mma_table", {}, {"throughput", 9, 9, 9, "B/clk/SM", "rate"}));
  record.rows.push_back(testing::example_case("matrix/mma_table", {{"m", std::int64_t{16}}}, "HMMA"));
  const auto groups = tensor_groups(*known_tensor(), record);
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_FALSE(groups.front().lines.front().rate());
  EXPECT_EQ(groups.front().peak, 0);
  EXPECT_EQ(groups.front().peak_source, "");
}

TEST(TensorTable, ComparesZerosWithTheSameCaseOfRandomData) {
  Record record;
  const auto wide = [](const char* probe, std::int64_t warps, double rate) {
    return product(probe, {{"cols", std::int64_t{64}}, {"a", std::string("shared")}, {"warps", warps}},
                   throughput(rate));
  };
  record.rows = {wide("wgmma/interval", 4, 2048), wide("wgmma/throughput", 8, 1250),
                 wide("wgmma/throughput_zeros", 8, 1359)};
  const auto groups = tensor_groups(*known_tensor(), record);
  const TensorLine& line = groups.front().lines.front();
  EXPECT_EQ(line.shape + ", " + line.source, "m64n64k16, A in shared");
  EXPECT_EQ(line.at(TensorColumn::Random)->value, 2048);
  ASSERT_NE(line.random_of_zeros(), nullptr);
  EXPECT_EQ(line.random_of_zeros()->value, 1250);
  record.rows.erase(record.rows.begin());
  const auto without = tensor_groups(*known_tensor(), record);
  EXPECT_EQ(without.front().lines.front().random_of_zeros(), nullptr);
}

TEST(TensorTable, SaysWhatIsEmulated) {
  Record record = tensor_record();
  for (Row& row : record.rows) row.window.label = "emulated: two of them";
  EXPECT_EQ(tensor_groups(*known_tensor(), record).front().lines.front().becomes, "emulated: two of them");
}

TEST(TensorTable, OfTheProgramNamesProbesAndParametersThatItHas) {
  ASSERT_TRUE(known_tensor()) << known_tensor().error().message();
  const auto suite = must(load_suite(embedded_configs()));
  for (const TensorKind& kind : known_tensor()->kinds) {
    for (const auto& selectors : kind.from) {
      for (const auto& name : mapped(selectors, &Selector::probe)) {
        const auto probe = std::ranges::find_if(
            suite.probes, [&](const Probe& each) { return each.family + "/" + each.name == name; });
        ASSERT_NE(probe, suite.probes.end()) << name;
        const auto points = expand(probe->sweep);
        ASSERT_TRUE(points) << name;
        for (const Parameters& point : *points) {
          EXPECT_TRUE(substitute(kind.shape, point) && substitute(kind.source, point)) << name;
          EXPECT_TRUE(find(point, kind.inputs) != nullptr && find(point, kind.accumulator) != nullptr) << name;
        }
      }
    }
  }
}

TEST(TensorTable, IsStrictAboutItsText) {
  const auto wrong = [](const std::string& text) {
    const auto parsed = parse_tensor("t.yaml", text);
    return parsed ? "" : parsed.error().message();
  };
  const std::string rows =
      "rows:\n  - {instruction: i, shape: s, inputs: a, accumulator: c, random: {probe: x, cases: y}}\n";
  EXPECT_EQ(wrong(rows + "peaks:\n  - {arch: sm_90, source: s, rates: {f16: 1}}\n"), "");
  EXPECT_THAT(wrong(rows + "peaks:\n  - {arch: sm_90, source: s, rates: {f16: 0}}\n"), HasSubstr("above 0"));
  EXPECT_THAT(wrong(rows + "peaks:\n  - {arch: hopper, source: s, rates: {f16: 1}}\n"), HasSubstr("t.yaml:4:"));
  EXPECT_THAT(wrong("rows:\n  - {instruction: i}\npeaks: []\n"), HasSubstr("missing key 'shape'"));
  EXPECT_THAT(wrong("rows:\n  - {instruction: i, shapes: s}\n"), HasSubstr("shapes"));
}

}  // namespace
}  // namespace warpclock
