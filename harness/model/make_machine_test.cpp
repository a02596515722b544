#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>
#include <set>

#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "model/measured.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

using testing::committed_gpus;
using testing::cut_gpu;

Expected<Machine> made(const MeasuredGpu& gpu) { return make_machine(gpu); }

const Leaf& leaf(const Machine& machine, std::string_view path) {
  static const Leaf none;
  const Leaf* found = find_leaf(machine, path);
  EXPECT_NE(found, nullptr) << path;
  return found == nullptr ? none : *found;
}

void each_leaf(const Machine& machine, const std::function<void(const std::string&, const Leaf&)>& check) {
  for (const auto& [section, entries] : machine_sections) {
    for (const Entry& entry : machine.*entries) {
      for (const Leaf& one : entry.leaves) check(std::string(section) + "/" + entry.name + "/" + one.name, one);
    }
  }
}

/// The ids of rows of a GPU's records, by file, that were measured in a verified window.
std::map<std::string, std::set<std::string>> verified_rows(const MeasuredGpu& gpu) {
  std::map<std::string, std::set<std::string>> rows;
  for (const auto& [file, record] : gpu.results) {
    for (const Row& row : record.rows)
      if (row.outcome == Outcome::Measured && row.window.verdict == "verified") rows[file].insert(row.id);
  }
  for (const Row& row : gpu.instructions->rows) {
    // The row of a form is of machine.json, whose rows are below.
    const bool verified = !row.forms.empty() || std::ranges::any_of(row.instruction.runs, &InstructionRun::verified);
    if (row.outcome == Outcome::Measured && verified) rows["instructions.json"].insert(row.id);
  }
  for (const Row& row : gpu.machine->rows)
    if (row.outcome == Outcome::Measured) rows["machine.json"].insert(row.id);
  return rows;
}

TEST(CommittedMachine, EveryLeafHasVerifiedMeasuredRows) {
  ASSERT_GE(committed_gpus().size(), 2U);
  for (const testing::CommittedGpu& one_gpu : committed_gpus()) {
    const Machine& machine = one_gpu.machine;
    const auto rows = verified_rows(one_gpu.gpu);
    std::size_t leaves = 0;
    each_leaf(machine, [&](const std::string& path, const Leaf& one) {
      ++leaves;
      ASSERT_FALSE(one.rows.empty()) << path;
      ASSERT_TRUE(rows.contains(one.record)) << path << ": " << one.record;
      for (const std::string& row : one.rows) EXPECT_TRUE(rows.at(one.record).contains(row)) << path << ": " << row;
      const RecordSource& source = source_of(machine, one);
      EXPECT_TRUE(source.gpu == machine.gpu && source.commit.size() == 40 && source.date.size() > 10) << path;
      EXPECT_TRUE(std::isfinite(one.value) && one.low <= one.value && one.value <= one.high)
          << path << ": " << one.low << " " << one.value << " " << one.high;
      EXPECT_FALSE(one.unit.empty()) << path;
    });
    EXPECT_GT(leaves, 5000U) << machine.folder;
  }
}

TEST(CommittedMachine, NoEntryHasTwoLeavesOfAName) {
  for (const auto& [gpu, machine] : committed_gpus()) {
    std::set<std::string> paths;
    each_leaf(machine, [&](const std::string& path, const Leaf&) { EXPECT_TRUE(paths.insert(path).second) << path; });
  }
}

/// What the names of entries look like that come from this name with {parameters}.
std::regex names_from(const std::string& with_parameters) {
  const std::string quoted = std::regex_replace(with_parameters, std::regex(R"([.\[\]()+*?^$|\\])"), R"(\$&)");
  return std::regex(std::regex_replace(quoted, std::regex(R"(\{\w+\})"), ".+"));
}

TEST(CommittedMachine, EveryLeafOfTheConfigurationIsInSomeGpu) {
  const ModelConfig& config = known_model_config().value();
  const auto some = [](const std::function<bool(const Machine&)>& has) {
    return std::ranges::any_of(committed_gpus(), [&](const auto& one) { return has(one.machine); });
  };
  for (const auto& one_section : config.sections) {
    const std::string& section = one_section.first;
    for (const EntryRule& rule : one_section.second) {
      const std::regex names = names_from(rule.name);
      for (const LeafRule& wanted : rule.leaves) {
        for (const std::string& name : names_of(wanted)) {
          const bool found = some([&](const Machine& machine) {
            const auto member = std::ranges::find(machine_sections, section, [](const auto& one) { return one.first; });
            return std::ranges::any_of(machine.*member->second, [&](const Entry& entry) {
              return find_leaf(entry, name) != nullptr && std::regex_match(entry.name, names);
            });
          });
          EXPECT_TRUE(found) << rule.place << ": " << rule.name << " " << name;
        }
      }
    }
  }
  for (const PipeRule& rule : config.pipes) {
    EXPECT_TRUE(some([&](const Machine& machine) { return !find_entry(machine, "pipes", rule.pipe)->leaves.empty(); }))
        << rule.form;
  }
  for (const AccelOption& option : config.accel_sim) {
    for (const std::string& path : {option.of, option.less, option.initiation}) {
      EXPECT_TRUE(path.empty() || some([&](const Machine& machine) { return find_leaf(machine, path) != nullptr; }))
          << path;
    }
  }
  for (const CeilingRule& rule : config.roofline)
    EXPECT_TRUE(some([&](const Machine& machine) { return find_leaf(machine, rule.of) != nullptr; })) << rule.of;
  for (const PeakRule& rule : config.peaks)
    EXPECT_TRUE(some([&](const Machine& machine) { return find_leaf(machine, rule.of) != nullptr; })) << rule.of;
}

TEST(Machine, ARowThatIsNotMeasuredOrNotVerifiedGivesNoLeaf) {
  MeasuredGpu gpu = cut_gpu();
  const std::string path = "transfers/shared.load/latency";
  EXPECT_EQ(leaf(made(gpu).value(), path).value, 23);
  const auto chase = [](Record& record) -> Row& {
    return *std::ranges::find(record.rows, "memory/shared_chase[bytes=4,lanes=same]", &Row::id);
  };
  chase(gpu.results.at("result.json")).outcome = Outcome::Rejected;
  Machine machine = made(gpu).value();
  EXPECT_EQ(find_leaf(machine, path), nullptr);
  EXPECT_THAT(find_entry(machine, "transfers", "shared.load")->absent, Contains("latency"));

  gpu = cut_gpu();
  chase(gpu.results.at("result.json")).window.verdict = "folded";
  EXPECT_EQ(find_leaf(made(gpu).value(), path), nullptr);

  gpu = cut_gpu();
  const std::string rate = "instructions/fma.rn.f32/throughput";
  EXPECT_GT(leaf(made(gpu).value(), rate).value, 120);
  for (InstructionRun& run : gpu.instructions->rows[0].instruction.runs) run.verdict = "count";
  EXPECT_EQ(find_leaf(made(gpu).value(), rate), nullptr);

  gpu = cut_gpu();
  for (Row& row : gpu.machine->rows) row.outcome = Outcome::Rejected;
  machine = made(gpu).value();
  EXPECT_EQ(find_leaf(machine, "instructions/@PT FFMA R#, R#, R#, R#/interval"), nullptr);
  EXPECT_THAT(find_entry(machine, "pipes", "fma")->absent, Contains("interval"));
}

TEST(Machine, WhatNoRecordHasIsAbsent) {
  const Machine machine = testing::cut_machine();
  const Entry& load = *find_entry(machine, "transfers", "l2.load");
  EXPECT_EQ(find_leaf(load, "latency.near"), nullptr);
  EXPECT_THAT(load.absent, Contains("latency.near"));
  EXPECT_THAT(find_entry(machine, "transfers", "tensor.store")->absent, Contains("latency.per_byte"));
  EXPECT_EQ(find_entry(machine, "transfers", "cluster.of_2"), nullptr);
}

TEST(Machine, SeveralRowsThatFitAreAnErrorWithTheirPlace) {
  MeasuredGpu gpu = cut_gpu();
  Record& record = gpu.results.at("result.json");
  record.rows.push_back(*std::ranges::find(record.rows, "memory/shared_chase[bytes=4,lanes=same]", &Row::id));
  const Error machine = failure_of(made(gpu));
  EXPECT_EQ(machine.code, "config");
  EXPECT_THAT(machine.message(), HasSubstr("configs/model.yaml:"));
  EXPECT_THAT(machine.message(), HasSubstr("shared.load: 2 rows of memory/shared_chase fit"));
}

TEST(Machine, ALineHasTheFixedPartTheRateAndTheMisfit) {
  MeasuredGpu gpu = cut_gpu();
  for (Row& row : gpu.results.at("kernels/result.json").rows) {
    if (row.probe != "bulk_copy/load") continue;
    const auto bytes = static_cast<double>(std::get<std::int64_t>(*find(row.parameters, "bytes")));
    row.estimates[0].value = 300 + bytes / 64;
  }
  const Machine machine = made(gpu).value();
  EXPECT_NEAR(leaf(machine, "transfers/bulk.load.l2/latency.fixed").value, 300, 1e-3);
  EXPECT_NEAR(leaf(machine, "transfers/bulk.load.l2/latency.per_byte").value, 1.0 / 64, 1e-6);
  EXPECT_NEAR(leaf(machine, "transfers/bulk.load.l2/latency.misfit").value, 0, 1e-9);
  EXPECT_EQ(leaf(machine, "transfers/bulk.load.l2/latency.fixed").rows.size(), 5U);
  EXPECT_GT(leaf(testing::cut_machine(), "transfers/bulk.load.l2/latency.misfit").value, 0.001);
}

TEST(Machine, BytesInFlightAreTheFewestThatReachTheHighestRate) {
  MeasuredGpu gpu = cut_gpu();
  for (Row& row : gpu.results.at("memory/result.json").rows) {
    if (row.probe != "bandwidth/in_flight") continue;
    const auto of = [&](const char* name) { return std::get<std::int64_t>(*find(row.parameters, name)); };
    const std::int64_t bytes = 32 * 16 * of("depth") * of("warps");
    const double rate = bytes < 8192 ? 5.0 : bytes == 8192 ? 9.0 : 10.0;
    row.estimates[0].value = row.estimates[0].low = row.estimates[0].high = rate;
  }
  const Leaf found = leaf(made(gpu).value(), "transfers/dram.load/in_flight");
  EXPECT_EQ(found.value, 8192);
  EXPECT_EQ(found.low, 4096);
}

TEST(Machine, OneWayIsHalfOfARoundTrip) {
  const Machine machine = testing::cut_machine();
  const Leaf& one_way = leaf(machine, "synchronization/block.bar.apart_4/one_way");
  EXPECT_EQ(one_way.value, 26);
  EXPECT_EQ(one_way.note, "half of round_trip");
  EXPECT_THAT(one_way.rows, ::testing::ElementsAre("synchronization/handoff_bar[apart=4]"));
}

TEST(Machine, AnInstructionHasThePipeOnWhichCountersSawItsOpcode) {
  const Machine machine = testing::cut_machine();
  const Entry& ffma = *find_entry(machine, "instructions", "@PT FFMA R#, R#, R#, R#");
  EXPECT_EQ(ffma.pipe, "fma");
  EXPECT_EQ(ffma.pipe_row, "fp32/fma.rn.f32");
  EXPECT_EQ(ffma.signal, "fixed");
  EXPECT_EQ(find_entry(machine, "instructions", "@PT MUFU.EX2 R#, R#")->signal, "scoreboard");
  EXPECT_EQ(find_entry(machine, "instructions", "@PT ISETP.GE.AND P#, PT, R#, R#, PT")->pipe, "")
      << "no row of the cut table has its pipe";
  EXPECT_EQ(leaf(machine, "instructions/@PT HMMA.16816.F32 R#, R#, R#, R#/minimum_stall.b").value, 13);
}

}  // namespace
}  // namespace warpclock
