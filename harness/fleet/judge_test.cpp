#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/files/packed_file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "fleet/fleet.hpp"
#include "fleet/observations.hpp"
#include "fleet/testing/records.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

using testing::gpu_record;

/// So many GPUs whose latency scatters by 0.1 %, with `change` applied to each record.
template <class Change>
Observations fleet_of(int gpus, const Change& change) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  FleetCollector collector("fleet");
  for (int gpu = 0; gpu < gpus; ++gpu) {
    Record record = gpu_record(gpu, 500 * (1 + 0.001 * normal(random)));
    change(gpu, record);
    collector.add(record, record.device.uuid);
  }
  return collector.finish();
}

void scale(Row& row, double factor) {
  for (Estimate& estimate : row.estimates) {
    estimate.value *= factor;
    estimate.low *= factor;
    estimate.high *= factor;
  }
}

const FleetRow& row_of(const Fleet& fleet, const std::string& id) {
  return *std::ranges::find(fleet.models.front().rows, id, &FleetRow::id);
}

TEST(JudgeFleet, FindsNothingWhereNothingIs) {
  const Fleet fleet = judge_fleet(fleet_of(40, [](int, Record&) {}));
  EXPECT_TRUE(fleet.even());
  EXPECT_EQ(fleet.models.front().tests, 120U);  // two rows and the clock
  EXPECT_NEAR(row_of(fleet, "memory/chase[path=cg]").sigma, 0.5, 0.2);
  EXPECT_THAT(to_text(fleet_sheet(fleet), Style(false)),
              HasSubstr("3 of 3 rows find a deviation of 2 % in 99 of 100 cases.\n"));
}

TEST(JudgeFleet, NamesWhatBoardsDifferInAndWithWhatItGoes) {
  const auto boards = [](int gpu, Record& record) {
    record.device.vbios = gpu % 2 == 0 ? "96.00" : "97.00";
    record.device.serial = std::to_string(gpu);
    record.device.power_limit_w = gpu == 0 ? 650 : 700;
    scale(record.rows[0], (500 + gpu % 2 * 25 + gpu) / record.rows[0].estimates[0].value);
  };
  const Fleet fleet = judge_fleet(fleet_of(4, boards));
  ASSERT_THAT(fleet.topics, SizeIs(1)) << "the encoded latency is the same on all";
  const BoardTopic& topic = fleet.topics.front();
  EXPECT_EQ(topic.probe, "memory/chase");
  EXPECT_EQ(topic.rows, 1U);
  EXPECT_EQ(topic.differing, 1U);
  EXPECT_NEAR(topic.low, 500, 1e-9);
  EXPECT_NEAR(topic.high, 528, 1e-9);
  EXPECT_EQ(fleet.gpus[topic.lowest].device.serial, "0");
  EXPECT_EQ(fleet.gpus[topic.highest].device.serial, "3");
  EXPECT_THAT(topic.goes_with, ElementsAre("VBIOS")) << "of the power limits one is of one board alone";
  const std::string text = to_text(fleet_sheet(fleet), Style(false));
  EXPECT_THAT(text, ::testing::ContainsRegex("Simulated +serial +4 different\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("Simulated +VBIOS +96.00 \\(2\\), 97.00 \\(2\\)\n"));
  EXPECT_THAT(text,
              ::testing::ContainsRegex("memory/chase +1 +1 +memory/chase\\[path=cg\\] latency +500 cycles .* VBIOS\n"));
}

TEST(JudgeFleet, WhatMostBoardsHaveAloneGoesWithNothing) {
  const auto goes_with = [](std::string_view versions) {
    const Fleet fleet = judge_fleet(fleet_of(static_cast<int>(versions.size()), [&](int gpu, Record& record) {
      record.device.vbios = versions[static_cast<std::size_t>(gpu)];
      scale(record.rows[0], (500 + 10 * gpu) / record.rows[0].estimates[0].value);
    }));
    return fleet.topics.empty() ? std::vector<std::string>() : fleet.topics.front().goes_with;
  };
  EXPECT_THAT(goes_with("aaabbc"), Contains("VBIOS"));
  EXPECT_THAT(goes_with("aabbcd"), Not(Contains("VBIOS")));
  EXPECT_THAT(goes_with("aababb"), Not(Contains("VBIOS"))) << "one lies between others";
}

/// harness/fleet/testdata/boards.csv, from the records of git's history: the latency of DRAM by part number.
TEST(FleetDocs, SayWhatTheLatencyOfDramGoesWith) {
  std::map<bool, std::vector<double>> cycles;
  std::set<std::string> others;
  for (const std::string& line : lines(must(read_file(WARPCLOCK_SOURCE_DIR "/harness/fleet/testdata/boards.csv")))) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 6 || cells[0] == "commit") continue;
    cycles[cells[2] == "692-2G520-0282-000"].push_back(std::stod(cells[5]));
    others.insert(cells[3] + cells[4]);
  }
  EXPECT_THAT(others, SizeIs(1)) << "VBIOS and driver";
  const std::string text = must(read_file(WARPCLOCK_SOURCE_DIR "/docs/fleet.md"));
  EXPECT_THAT(text, HasSubstr(fmt::format("on {} boards of the H200", cycles[true].size() + cycles[false].size())));
  for (const auto& [first, name] :
       {std::pair(true, "692-2G520-0282-000"), std::pair(false, "692-2G520-0282-001, one -0R1")}) {
    const auto [low, high] = std::ranges::minmax(cycles[first]);
    EXPECT_THAT(text,
                HasSubstr(fmt::format("| {} | {} | {:.0f} to {:.0f} |\n", name, cycles[first].size(), low, high)));
  }
  EXPECT_LT(std::ranges::max(cycles[false]), std::ranges::min(cycles[true]));
}

TEST(JudgeFleet, APartOfAGpuIsNoRecordOfTheWhole) {
  FleetCollector collector("fleet");
  Record whole = gpu_record(0, 500), part = gpu_record(0, 510);
  part.device.name += ", 32 of 132 SMs";
  part.device.partition = "green context";
  collector.add(whole, "whole");
  collector.add(part, "part");
  const Fleet fleet = judge_fleet(collector.finish());
  EXPECT_THAT(fleet.gpus, SizeIs(2));
  EXPECT_THAT(mapped(fleet.models, &FleetModel::name), ElementsAre("Simulated", "Simulated, 32 of 132 SMs"));
}

TEST(FleetDocs, SayWhatGreenContextsReach) {
  const std::string text = must(read_file(WARPCLOCK_SOURCE_DIR "/docs/fleet.md"));
  int parts = 0;
  for (const std::string& line : lines(must(read_file(WARPCLOCK_SOURCE_DIR "/harness/fleet/testdata/green.csv")))) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 8 || cells[0] == "sms") continue;
    const auto number = [&](std::size_t i) { return std::stod(cells[i]); };
    const double giga = number(0) * number(2) / 1e3;
    ++parts;
    EXPECT_THAT(text, HasSubstr(fmt::format("| {}{} | {:.0f} | {:.0f} | {:.0f} B/clk | {:.0f} GB/s | {:.0f} GB/s |\n",
                                            cells[0], cells[1].empty() ? ", no partition" : "", number(3), number(4),
                                            number(5) * number(0), number(6) * giga, number(7) * giga)));
  }
  EXPECT_EQ(parts, 5);
}

TEST(JudgeFleet, BoardsAreAlikeWithinTheirIntervalsAndWhatTwoRunsMayDifferBy) {
  const auto apart = [](double by, double reach) {
    const Fleet fleet = judge_fleet(fleet_of(2, [&](int gpu, Record& record) {
      Estimate& estimate = record.rows[0].estimates[0];
      estimate.value = gpu == 0 ? 500 : 500 + by;
      estimate.low = estimate.value - reach, estimate.high = estimate.value + reach;
    }));
    return !fleet.topics.empty();
  };
  EXPECT_FALSE(apart(2, 0)) << "two runs on one GPU";
  EXPECT_TRUE(apart(3, 0));
  EXPECT_TRUE(apart(3, 1.4));
  EXPECT_FALSE(apart(3, 1.6)) << "their intervals overlap";
}

TEST(JudgeFleet, SaysInHowManyRowsItFindsTwoPercent) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const Fleet wide =
      judge_fleet(fleet_of(40, [&](int, Record& record) { scale(record.rows[0], 1 + 0.01 * normal(random)); }));
  EXPECT_THAT(
      to_text(fleet_sheet(wide), Style(false)),
      HasSubstr(
          "2 of 3 rows find a deviation of 2 % in 99 of 100 cases; the values of the others scatter too much.\n"));
}

TEST(JudgeFleet, FindsTheGpuThatIsAwayFromTheOthers) {
  const Fleet fleet = judge_fleet(fleet_of(40, [](int gpu, Record& record) {
    if (gpu == 17) scale(record.rows[0], 1.02);
  }));
  ASSERT_THAT(fleet.outliers, SizeIs(1));
  EXPECT_EQ(fleet.gpus[fleet.outliers[0].gpu].label, "node4 GPU-00000017");
  EXPECT_NEAR(fleet.outliers[0].share, 0.02, 0.003);
  EXPECT_FALSE(fleet.even());
  EXPECT_LT(row_of(fleet, "memory/chase[path=cg]").detects, 0.02);
  EXPECT_TRUE(judge_fleet(fleet_of(40,
                                   [](int gpu, Record& record) {
                                     if (gpu == 17) scale(record.rows[0], 1.02);
                                   }),
                          0.03)
                  .even());
}

// An encoded latency is the same everywhere: sigma is 0, and a tenth of a cycle is chance.
TEST(JudgeFleet, AllowsARowThatIsEqualEverywhereItsRepeatability) {
  const auto at = [](double latency) {
    return judge_fleet(fleet_of(20, [&](int gpu, Record& record) {
      if (gpu == 3) record.rows[1] = gpu_record(gpu, 500, latency).rows[1];
    }));
  };
  EXPECT_THAT(at(4.06).outliers, IsEmpty());
  EXPECT_THAT(at(4.08).outliers, SizeIs(1));
}

TEST(JudgeFleet, DoesNotJudgeFewGpusNorRowsThatVary) {
  const auto far = [](int gpu, Record& record) {
    if (gpu == 1) scale(record.rows[0], 2);
  };
  EXPECT_THAT(judge_fleet(fleet_of(4, far)).outliers, IsEmpty());
  EXPECT_THAT(judge_fleet(fleet_of(12, far)).outliers, SizeIs(1));
  const Fleet varies = judge_fleet(fleet_of(12, [&](int gpu, Record& record) {
    far(gpu, record);
    record.probes = {{"memory/chase", "memory", "", {}, "", {}, "it is drawn by lot"}};
  }));
  EXPECT_THAT(varies.outliers, IsEmpty());
  EXPECT_THAT(row_of(varies, "memory/chase[path=cg]").not_judged, HasSubstr("drawn by lot"));
  const Fleet one = judge_fleet(fleet_of(1, far));
  EXPECT_THAT(to_text(fleet_sheet(one), Style(false)), HasSubstr("one GPU: there is nothing to compare it with"));
}

TEST(JudgeFleet, KeepsModelsApart) {
  const Fleet fleet = judge_fleet(fleet_of(20, [](int gpu, Record& record) {
    if (gpu >= 10) record = gpu_record(gpu, 800, 6, "Another");
  }));
  EXPECT_THAT(fleet.models, SizeIs(2));
  EXPECT_THAT(fleet.outliers, IsEmpty());
}

TEST(JudgeFleet, FindsTheNodeWhoseGpusAreAllAway) {
  const Fleet fleet = judge_fleet(fleet_of(80, [](int gpu, Record& record) {
    if (gpu / 4 == 7) scale(record.rows[0], 1.006);
  }));
  ASSERT_THAT(fleet.nodes, SizeIs(1));
  EXPECT_EQ(fleet.nodes[0].host, "node7");
  EXPECT_EQ(fleet.nodes[0].gpus, 4U);
}

TEST(JudgeFleet, SaysWhichGpuLacksARowThatOthersHave) {
  const Fleet fleet = judge_fleet(fleet_of(12, [](int gpu, Record& record) {
    record.rows.push_back(record.rows[0]);
    record.rows.back().id = "memory/absent";
    record.rows.back().estimates.clear();
    record.rows.back().outcome = Outcome::Rejected;
    if (gpu != 5) return;
    record.rows[0].estimates.clear();
    record.rows[0].outcome = Outcome::Failed;
  }));
  for (const FleetGpu& gpu : fleet.gpus) {
    const bool fifth = gpu.device.uuid == "GPU-00000005";
    EXPECT_EQ(gpu.not_measured, fifth ? std::vector<std::string>{"memory/chase[path=cg]"} : std::vector<std::string>());
  }
  EXPECT_FALSE(fleet.even());
}

TEST(Collector, TakesTheNewestOfSeveralRecordsOfAGpu) {
  for (const bool newest_first : {true, false}) {
    FleetCollector collector("fleet");
    Record old = gpu_record(1, 600), fresh = gpu_record(1, 500);
    fresh.provenance.date = "2026-02-01T00:00:00Z";
    collector.add(newest_first ? fresh : old, "a");
    collector.add(newest_first ? old : fresh, "b");
    const Fleet fleet = judge_fleet(collector.finish());
    ASSERT_THAT(fleet.gpus, SizeIs(1));
    EXPECT_EQ(fleet.gpus[0].records, 2U);
    EXPECT_EQ(row_of(fleet, "memory/chase[path=cg]").median, 500);
    EXPECT_EQ(row_of(fleet, "memory/chase[path=cg]").gpus, 1U);
  }
}

// The SMs, lines of L2 and GPCs of a real GPU, and the same with one of each 2 % or more slower.
/// A record of that day, whose rows had clocks of their own.
Record dated(int gpu, const std::string& date, double seed = 0) {
  Record record = gpu_record(gpu, 500);
  record.provenance.date = date + "T00:00:00Z";
  record.rows.push_back(record.rows.front());
  record.rows.back().id = "memory/chase[path=ca]";
  for (std::size_t i = 0; i < record.rows.size(); ++i)
    record.rows[i].clock.sm_mhz = 1980 + 0.001 * (gpu + 1) + 0.1 * static_cast<double>(i) + seed;
  return record;
}

std::size_t values_of(const Observations& all, const std::string& id) {
  const auto found = std::ranges::find(all.series, id, &FleetSeries::id);
  return found == all.series.end() ? 0 : found->values.size();
}

// A GPU whose row failed must not pass by the number that it had before.
TEST(Collector, TakesNoOlderNumberOfARowThatHasNoneNow) {
  for (const bool newer_first : {true, false}) {
    Record before = dated(0, "2026-01-01"), now = dated(0, "2026-02-01", 0.01);
    now.rows[0].estimates.clear();
    now.rows[0].outcome = Outcome::Failed;
    now.rows.erase(now.rows.begin() + 1);
    FleetCollector collector("fleet");
    collector.add(newer_first ? now : before, "a");
    collector.add(newer_first ? before : now, "b");
    const Observations all = collector.finish();
    EXPECT_EQ(values_of(all, before.rows[0].id), 0U);
    EXPECT_EQ(values_of(all, before.rows[1].id), 1U) << "which the newer record does not have";
  }
}

TEST(Collector, CountsNoRecordFromBefore) {
  FleetCollector collector("fleet", "2026-02-01");
  collector.add(dated(0, "2026-01-31"), "a");
  collector.add(dated(1, "2026-01-31"), "b");
  collector.add(dated(1, "2026-02-01", 0.01), "c");
  const Observations all = collector.finish();
  ASSERT_THAT(all.gpus, SizeIs(1));
  EXPECT_EQ(all.gpus[0].folder, "c");
  ASSERT_THAT(all.failures, SizeIs(1));
  EXPECT_EQ(all.failures[0].text, "its record is of 2026-01-31, before --since");
}

TEST(Collector, KnowsACopyByItsClocks) {
  Record copy = dated(0, "2026-01-02");
  copy.device.uuid = gpu_record(1, 500).device.uuid;
  FleetCollector collector("fleet");
  collector.add(dated(0, "2026-01-01"), "a");
  collector.add(dated(0, "2026-01-01"), "a, kept elsewhere as well");
  collector.add(dated(2, "2026-01-01"), "c");
  collector.add(copy, "b");
  const Observations all = collector.finish();
  ASSERT_THAT(all.failures, SizeIs(1));
  EXPECT_EQ(all.failures[0].path, "b");
  EXPECT_THAT(all.failures[0].text, HasSubstr("the very same clocks as those of node0 GPU-00000000"));
}

TEST(Parts, FindTheSlowSmLineAndGpc) {
  const std::string path = WARPCLOCK_SOURCE_DIR "/reports/nvidia-h200/memory/result.json.gz";
  const Record real = must(parse_record(must(read_packed_file(path))));
  const auto found = [](const Record& record) {
    FleetCollector collector("fleet");
    collector.add(record, "here");
    return judge_fleet(collector.finish()).parts;
  };
  EXPECT_THAT(found(real), IsEmpty());
  const auto slow = [&](const std::string& probe, std::size_t sm, double factor) {
    Record record = real;
    for (Row& row : record.rows)
      if (row.probe == probe) row.places[sm] *= factor;
    return found(record);
  };
  for (const auto& [probe, factor] : {std::pair("memory/dram_map", 1.08), std::pair("memory/shared_map", 1.02)}) {
    const auto away = slow(probe, 77, factor);
    ASSERT_THAT(away, SizeIs(1)) << probe;
    EXPECT_EQ(away[0].part, "SM");
    EXPECT_EQ(away[0].index, 77U);
  }
  Record line = real, gpc = real;
  std::size_t seen = 0;
  for (Row& row : line.rows)
    if (row.probe == "memory/sm_map" && seen++ == 11)
      for (double& place : row.places) place *= 1.12;
  ASSERT_THAT(found(line), SizeIs(1));
  EXPECT_EQ(found(line)[0].part, "L2 line");
  EXPECT_EQ(found(line)[0].index, 11U);
  std::vector<double> groups;
  for (const Row& row : gpc.rows)
    if (row.id == "memory/gpc_map[cluster=16]") groups = row.places;
  for (Row& row : gpc.rows) {
    for (std::size_t sm = 0; row.probe == "memory/dram_map" && sm < groups.size(); ++sm)
      if (groups[sm] == 112) row.places[sm] *= 1.1;
  }
  const auto slow_gpc = found(gpc);
  EXPECT_TRUE(std::ranges::any_of(slow_gpc, [](const PartOutlier& one) { return one.part == "GPC"; }));
  EXPECT_GT(compare_parts(real).tested, 132U * 3);
}

TEST(Baseline, PassesItsOwnFleetAndFindsWhatDiffers) {
  const Observations good = fleet_of(40, [](int, Record&) {});
  const std::string text = to_json(baseline_of(judge_fleet(good)));
  const Baseline baseline = parse_baseline(text, "b.json").value();
  EXPECT_EQ(to_json(baseline), text);
  const auto gate = [&](const Observations& observations, double within = 0) {
    return gate_fleet(observations, judge_fleet(observations), baseline, within);
  };
  EXPECT_THAT(gate(good).failures, IsEmpty());
  EXPECT_EQ(gate(good).compared, 120U);
  // One GPU alone can be compared.
  const Observations slow = fleet_of(1, [](int, Record& record) { scale(record.rows[0], 1.02); });
  ASSERT_THAT(gate(slow).failures, SizeIs(1));
  EXPECT_EQ(gate(slow).failures[0].id, "memory/chase[path=cg]");
  EXPECT_THAT(gate(slow, 0.03).failures, IsEmpty());
  const Observations lacking = fleet_of(1, [](int, Record& record) { record.rows.pop_back(); });
  ASSERT_THAT(gate(lacking).failures, SizeIs(1));
  EXPECT_THAT(gate(lacking).failures[0].text, HasSubstr("no number"));
  const Observations other = fleet_of(1, [](int gpu, Record& record) { record = gpu_record(gpu, 1, 1, "Other"); });
  ASSERT_THAT(gate(other).failures, SizeIs(1));
  EXPECT_THAT(gate(other).failures[0].text, HasSubstr("no GPU of this model"));
}

TEST(Baseline, IsOfTheProgramsThatMeasuredIt) {
  const auto by = [](const char* commit, bool dirty) {
    return fleet_of(6, [&](int, Record& record) {
      record.provenance.commit = commit;
      record.provenance.dirty = dirty;
    });
  };
  const Baseline baseline = must(parse_baseline(to_json(baseline_of(judge_fleet(by("aa", false)))), "here"));
  const auto passed = [&](const Observations& observations) {
    const Fleet fleet = judge_fleet(observations);
    return passes(fleet, gate_fleet(observations, fleet, baseline));
  };
  EXPECT_TRUE(passed(by("aa", false)));
  EXPECT_FALSE(passed(by("aa", true)));
  EXPECT_FALSE(passed(by("bb", false)));
  const Observations other = by("bb", false);
  EXPECT_THAT(gate_fleet(other, judge_fleet(other), baseline).failures.at(0).text,
              HasSubstr("another program measured it (commit bb) than the baseline (commit aa)"));
}

TEST(Baseline, HasNoNumberInAnotherUnit) {
  const Baseline baseline = baseline_of(judge_fleet(fleet_of(6, [](int, Record&) {})));
  const Observations other = fleet_of(6, [](int gpu, Record& record) {
    if (gpu == 3) record.rows[0].estimates[0].unit = "ns";
  });
  const GateResult gate = gate_fleet(other, judge_fleet(other), baseline);
  ASSERT_THAT(gate.failures, SizeIs(1));
  EXPECT_EQ(gate.failures[0].gpu, 3U);
  EXPECT_EQ(gate.failures[0].text, "the GPU has no number for it");
}

TEST(Baseline, ThatIsDamagedIsAnError) {
  for (const char* text :
       {"", "{", "[]", "{\"record\":\"result\"}", "{\"schema\":{\"major\":1},\"record\":\"fleet-baseline\"}",
        "{\"schema\":{\"major\":7},\"record\":\"fleet-baseline\",\"models\":[]}",
        "{\"schema\":{\"major\":1},\"record\":\"fleet-baseline\",\"models\":[{\"model\":\"m\",\"rows\":"
        "[{\"id\":\"a\",\"estimate\":\"b\",\"gpus\":1,\"median\":1,\"sigma\":-1,\"repeatability\":0}]}]}"})
    EXPECT_EQ(failure_of(parse_baseline(text, "b.json")).place, "b.json") << text;
}

std::string baseline_with(const std::string& numbers) {
  return R"({"schema":{"major":1},"record":"fleet-baseline","models":[{"model":"Simulated","rows":)"
         R"([{"id":"memory/chase[path=cg]","estimate":"latency","unit":"cycles","gpus":40,)" +
         numbers + "}]}]}";
}

// A spread above the median lets everything pass, wherever the baseline comes from.
TEST(Baseline, BoundsTheSpreadByTheMedian) {
  EXPECT_THAT(failure_of(parse_baseline(baseline_with(R"("median":500,"sigma":1e300,"repeatability":1)"), "b.json")),
              IsError("baseline", HasSubstr("sigma of row 'memory/chase[path=cg]' is above its median")));
  EXPECT_THAT(failure_of(parse_baseline(baseline_with(R"("median":500,"sigma":1,"repeatability":501)"), "b.json")),
              IsError("baseline", HasSubstr("repeatability of row 'memory/chase[path=cg]' is above its median")));
  const auto widest = must(parse_baseline(baseline_with(R"("median":500,"sigma":500,"repeatability":1)"), "b.json"));
  const Observations slow = fleet_of(1, [](int, Record& record) { scale(record.rows[0], 2.1); });
  EXPECT_THAT(gate_fleet(slow, judge_fleet(slow), widest).failures, SizeIs(1));
}

TEST(Baseline, WritesNoSpreadAboveTheMedian) {
  const Observations wild = fleet_of(40, [](int gpu, Record& record) {
    scale(record.rows[0], gpu % 2 == 0 ? 0.001 : gpu);
    scale(record.rows[1], 0);
  });
  EXPECT_TRUE(parse_baseline(to_json(baseline_of(judge_fleet(wild))), "b.json"));
}

TEST(ReadFleet, GoesOnPastWhatCannotBeRead) {
  const testing::TemporaryFolder folder;
  namespace fs = std::filesystem;
  EXPECT_EQ(read_fleet(folder.path() + "/none", {}).error().code, "io");
  EXPECT_EQ(read_fleet(folder.path(), {}).error().code, "no-records");
  fs::create_directories(folder.path() + "/a/b");
  fs::copy(WARPCLOCK_SOURCE_DIR "/reports/nvidia-h200/peer/result.json.gz", folder.path() + "/a/b");
  ASSERT_TRUE(write_failure(folder.path() + "/failed-n1-2", "n1", "2", {"no-device", "there is no GPU", ""}));
  testing::write(folder.path() + "/a/result.json", "{\"schema\":");
  const Observations all = read_fleet(folder.path(), {}).value();
  EXPECT_EQ(all.records, 1U);
  ASSERT_THAT(all.failures, SizeIs(2));
  EXPECT_EQ(all.failures[0].path, "a/result.json");
  EXPECT_EQ(all.failures[1].text, "n1, GPU 2: there is no GPU");
  EXPECT_FALSE(judge_fleet(all).even());
}

}  // namespace
}  // namespace warpclock
