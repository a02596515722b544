#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answer/compare.hpp"
#include "base/files/packed_file.hpp"
#include "base/testing/matchers.hpp"
#include "fields/form_table.hpp"
#include "model/measured.hpp"
#include "plan/testing/corpus.hpp"
#include "record/json/record_json.hpp"
#include "record/outline.hpp"

namespace warpclock {
namespace {

constexpr double schedulers = 4, tolerance = 0.01;

/// A quantity that a suite measures with a compiled window and the table of machine instructions with a composed one.
struct Shared {
  std::string probe;
  Parameters where;      ///< parameters of the suite's cases
  std::string key;       ///< of the machine instruction
  double work = 0;       ///< of one warp instruction: the interval is 4 x work / throughput; 0 compares latencies
  int source = 0;        ///< source operand of the latency
  std::string estimate;  ///< name of the suite's estimate
};

Parameters tile(std::int64_t m, std::int64_t k, const std::string& ab, const std::string& acc) {
  return {{"m", m}, {"k", k}, {"ab", ab}, {"acc", acc}};
}

/// A dense mma.sync, in the words of the suites and of both tables.
struct Tile {
  std::int64_t m, k;
  std::string ab, acc, opcode;
  std::string probe = "matrix/mma_throughput";

  [[nodiscard]] double work() const { return static_cast<double>(m * 8 * k); }
  [[nodiscard]] std::string key() const {
    return "@PT " + opcode + (opcode.starts_with("IMMA") ? " R#, R#.ROW, R#.COL, R#" : " R#, R#, R#, R#");
  }
  [[nodiscard]] std::string ptx() const {
    return fmt::format("mma/mma.sync.aligned.m{}n8k{}.row.col.{}.{}.{}.{}", m, k, acc, ab, ab, acc);
  }
};

std::vector<Tile> tiles() {
  return {{16, 16, "f16", "f32", "HMMA.16816.F32"},
          {16, 8, "f16", "f32", "HMMA.1688.F32"},
          {16, 16, "f16", "f16", "HMMA.16816.F16"},
          {16, 16, "bf16", "f32", "HMMA.16816.F32.BF16"},
          {16, 8, "tf32", "f32", "HMMA.1688.F32.TF32"},
          {16, 4, "tf32", "f32", "HMMA.1684.F32.TF32"},
          {16, 32, "s8", "s32", "IMMA.16832.S8.S8"},
          {16, 16, "s8", "s32", "IMMA.16816.S8.S8"},
          {8, 4, "f64", "f64", "DMMA.8x8x4"},
          {16, 4, "f64", "f64", "DMMA.16x8x4", "matrix/mma_throughput_f64_m16"},
          {16, 8, "f64", "f64", "DMMA.16x8x8", "matrix/mma_throughput_f64_m16"}};
}

/// Not compared: the suites' latencies of HMMA and IMMA, which are the distances that ptxas encodes (the table has them
/// as `encoded`), and what the suites time in loops or together with other instructions.
std::vector<Shared> shared_quantities() {
  std::vector<Shared> all;
  for (const Tile& one : tiles()) {
    all.push_back({one.probe, tile(one.m, one.k, one.ab, one.acc), one.key(), one.work(), 0, "throughput"});
  }
  for (const std::int64_t k : {4, 8}) {
    const std::string name = "DMMA.16x8x" + std::to_string(k);
    Parameters where = tile(16, k, "f64", "f64");
    where.emplace_back("operand", std::string("c"));
    all.push_back({"matrix/mma_latency_f64_m16", where, "@PT " + name + " R#, R#, R#, R#", 0, 2, "latency"});
  }
  for (const int operand : {0, 1, 2}) {
    Parameters where = tile(8, 4, "f64", "f64");
    where.emplace_back("operand", std::string(1, static_cast<char>('a' + operand)));
    all.push_back({"matrix/mma_latency", where, "@PT DMMA.8x8x4 R#, R#, R#, R#", 0, operand, "latency"});
  }
  for (const std::int64_t num : {1, 2, 4}) {
    const std::string key = "@PT LDSM.16.M88" + (num > 1 ? "." + std::to_string(num) : "") + " R#, [R#+#]";
    const Parameters where{{"num", num}, {"trans", std::int64_t{0}}};
    all.push_back({"matrix/ldmatrix_latency", where, key, 0, 0, "latency"});
    all.push_back({"matrix/ldmatrix_throughput", where, key, 128.0 * static_cast<double>(num), 0, "throughput"});
  }
  for (const char* mode : {"bfly", "down", "idx", "up"}) {
    std::string name = std::string("@PT SHFL.") + mode;
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    const std::string last = std::string(mode) == "up" ? "RZ" : "#";
    for (const bool constant : {false, true}) {
      const Parameters where{{"mode", std::string(mode)}, {"lane", std::string(constant ? "constant" : "register")}};
      const std::string key = name + " PT, R#, R#, " + (constant ? "#" : "R#") + ", " + last;
      all.push_back({"shuffle/latency", where, key, 0, 0, "latency"});
      all.push_back({"shuffle/throughput", where, key, 32, 0, "throughput"});
    }
  }
  const Parameters own{{"bytes", std::int64_t{4}}, {"lanes", std::string("own")}};
  all.push_back({"memory/shared_chase", own, "@PT LDS R#, [R#+#]", 0, 0, "latency"});
  return all;
}

/// Cycles that ptxas keeps a warp idle after each wait for a multiply, beyond the 2 of the composed chain: stall counts
/// from the wait to the next multiply. 0 without such a wait.
int idle_after_wait(const std::vector<std::string>& sass) {
  const auto has = [](const char* opcode) {
    return [opcode](const std::string& line) { return line.find(opcode) != std::string::npos; };
  };
  const auto wait = std::ranges::find_if(sass, has("DEPBAR"));
  const auto next = std::find_if(wait, sass.end(), has("GMMA"));
  if (next == sass.end()) return 0;
  int stalls = 0;
  for (auto line = wait; line != next; ++line) stalls += std::stoi(line->substr(line->find(":S") + 2, 2));
  return stalls - 2;
}

/// The largest estimate among the measured cases that match; for throughputs this is the plateau. Nothing without a
/// case.
std::optional<double> suite_value(const Record& record, const Shared& shared) {
  std::optional<double> best;
  for (const Row& row : record.rows) {
    if (row.probe != shared.probe || row.outcome != Outcome::Measured) continue;
    const auto is_there = [&](const auto& wanted) {
      const Value* value = find(row.parameters, wanted.first);
      return value != nullptr && *value == wanted.second;
    };
    if (!std::ranges::all_of(shared.where, is_there)) continue;
    const auto found = std::ranges::find(row.estimates, shared.estimate, &Estimate::name);
    if (found != row.estimates.end())
      best = std::max(best.value_or(0), found->value - idle_after_wait(row.window.sass));
  }
  return best;
}

/// Intervals of wgmma that add to the same accumulators, and the time until one of them has been waited for.
std::vector<Shared> shared_with_kernels() {
  std::vector<Shared> all;
  const auto wgmma = [&](std::int64_t cols, std::int64_t k, const std::string& ab, const std::string& acc,
                         const std::string& a, const std::string& key) {
    const bool waits = key.ends_with("gsb0");
    Parameters where{{"cols", cols}, {"k", k}, {"ab", ab}, {"acc", acc}, {"a", a}, {"sparse", std::int64_t{0}}};
    if (!waits) where.emplace_back("ilp", std::int64_t{1});
    all.push_back({waits ? "wgmma/latency" : "wgmma/interval", where, "@PT " + key, 0, a == "shared" ? 1 : 2,
                   waits ? "latency" : "interval"});
  };
  wgmma(8, 16, "f16", "f32", "shared", "HGMMA.64x8x16.F32 R#, gdesc[UR#+#], R#");
  wgmma(8, 16, "f16", "f32", "shared", "HGMMA.64x8x16.F32 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(8, 16, "f16", "f16", "shared", "HGMMA.64x8x16.F16 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(8, 16, "f16", "f32", "registers", "HGMMA.64x8x16.F32 R#, R#, gdesc[UR#+#], R#, gsb0");
  wgmma(8, 8, "tf32", "f32", "shared", "HGMMA.64x8x8.F32.TF32 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(64, 16, "f16", "f32", "shared", "HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(64, 32, "s8", "s32", "shared", "IGMMA.64x64x32.S8.S8 R#, gdesc[UR#+#], R#");
  wgmma(64, 32, "s8", "s32", "shared", "IGMMA.64x64x32.S8.S8 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(128, 16, "f16", "f32", "shared", "HGMMA.64x128x16.F32 R#, gdesc[UR#+#], R#");
  wgmma(128, 32, "e5m2", "f32", "shared", "QGMMA.64x128x32.F32.E5M2.E5M2 R#, gdesc[UR#+#], R#");
  wgmma(256, 16, "f16", "f32", "shared", "HGMMA.64x256x16.F32 R#, gdesc[UR#+#], R#");
  wgmma(256, 16, "f16", "f32", "registers", "HGMMA.64x256x16.F32 R#, R#, gdesc[UR#+#], R#");
  wgmma(256, 16, "f16", "f32", "shared", "HGMMA.64x256x16.F32 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(256, 16, "f16", "f32", "registers", "HGMMA.64x256x16.F32 R#, R#, gdesc[UR#+#], R#, gsb0");
  wgmma(256, 8, "tf32", "f32", "shared", "HGMMA.64x256x8.F32.TF32 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(256, 32, "e5m2", "f32", "shared", "QGMMA.64x256x32.F32.E5M2.E5M2 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(256, 32, "s8", "s32", "shared", "IGMMA.64x256x32.S8.S8 R#, gdesc[UR#+#], R#, gsb0");
  wgmma(256, 256, "b1", "s32", "shared", "BGMMA.64x256x256.AND.POPC R#, gdesc[UR#+#], R#, gsb0");
  return all;
}

std::optional<double> table_value(const Record& table, const Shared& shared) {
  const Row* row = find_by(table.rows, shared.key, &Row::id);
  if (row == nullptr) return std::nullopt;
  const Estimate* found = estimate_in(*row, shared.work > 0 ? "interval" : fmt::format("latency.{}", shared.source));
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

void each_table(const std::function<void(const std::filesystem::path&, const Record&)>& check) {
  int tables = 0;
  const auto reports = std::filesystem::path(WARPCLOCK_SOURCE_DIR) / "reports";
  for (const auto& folder : std::filesystem::directory_iterator(reports)) {
    if (!has_packed_file(folder.path() / "machine.json")) continue;
    ++tables;
    const auto table = read_record(folder.path() / "machine.json", {{RecordFile::Machine}});
    ASSERT_TRUE(table) << table.error().text;
    check(folder.path(), *table);
  }
  EXPECT_GE(tables, 2);
}

/// Compares what a record and the table of each GPU have, and expects at least `least` such quantities.
void expect_agreement(const std::string& file, const std::vector<Shared>& quantities, int least) {
  each_table([&](const std::filesystem::path& folder, const Record& table) {
    const auto record = parse_record(read_packed_file(folder / file).value());
    ASSERT_TRUE(record) << record.error().text;
    int compared = 0;
    for (const Shared& shared : quantities) {
      const std::string what = folder.filename().string() + ": " + shared.probe + " and " + shared.key;
      const auto suite = suite_value(*record, shared), composed = table_value(table, shared);
      if (!suite) continue;  // not every suite sweeps every mode
      ASSERT_TRUE(composed) << what;
      const double from_suite = shared.work > 0 ? schedulers * shared.work / *suite : *suite;
      EXPECT_NEAR(from_suite, *composed, tolerance * *composed) << what;
      ++compared;
    }
    EXPECT_GE(compared, least);
  });
}

TEST(Agreement, OfSuitesAndMachineInstructionsIsWithinOnePercent) {
  expect_agreement("result.json", shared_quantities(), 25);
}

TEST(Agreement, OfWgmmaInSuitesAndMachineInstructionsIsWithinOnePercent) {
  expect_agreement("kernels/result.json", shared_with_kernels(), 16);
}

TEST(Agreement, OfAnInstructionAloneAndInAPairWithItselfIsWithinOnePercent) {
  each_table([](const std::filesystem::path&, const Record& table) {
    int compared = 0;
    for (const Row& pair : rows_of(table, RowKind::Pair)) {
      if (pair.forms[0] != pair.forms[1]) continue;
      const Row* row = find_by(table.rows, pair.forms[0], &Row::id);
      ASSERT_NE(row, nullptr) << pair.id;
      const Estimate *both = estimate_in(pair, "interval"), *alone = estimate_in(*row, "interval");
      ASSERT_TRUE(both != nullptr && alone != nullptr) << pair.id;
      EXPECT_NEAR(both->value / 2, alone->value, tolerance * alone->value) << pair.id;
      ++compared;
    }
    EXPECT_GE(compared, 15);
  });
}

TEST(Agreement, OfALatencyAloneAndFromAnInstructionToItselfIsWithinOnePercent) {
  each_table([](const std::filesystem::path&, const Record& table) {
    int compared = 0;
    for (const Row& one : rows_of(table, RowKind::Dependence)) {
      const Row* row = find_by(table.rows, one.forms[0], &Row::id);
      if (one.forms[0] != one.forms[1] || row == nullptr) continue;
      const int source = one.machine.paths.at(0).source;
      const std::string stall = fmt::format("minimum_stall.{}", source), latency = fmt::format("latency.{}", source);
      const Estimate *own_stall = estimate_in(*row, stall), *own = estimate_in(*row, latency);
      if (find_by(row->machine.paths, source, &OperandPath::source) == nullptr) continue;
      if (const Estimate* least = estimate_in(one, stall)) {
        ASSERT_NE(own_stall, nullptr) << one.id;
        EXPECT_EQ(least->value, own_stall->value) << one.id;
      } else if (const Estimate* timed = estimate_in(one, latency); timed != nullptr && own != nullptr) {
        EXPECT_NEAR(timed->value, own->value, tolerance * own->value) << one.id;
      } else {
        continue;
      }
      ++compared;
    }
    EXPECT_GE(compared, 15);
  });
}

/// Multiply-adds per clock and SM, by the number of warps.
using Rates = std::map<int, double>;

std::map<int, Estimate> rates_of_suite(const Record& record, const Tile& tile) {
  std::map<int, Estimate> rates;
  for (const Row& row : record.rows) {
    if (!row.probe.starts_with("matrix/mma_t") || row.outcome != Outcome::Measured) continue;
    const auto has = [&](const char* name, const Value& wanted) {
      const Value* value = find(row.parameters, name);
      return value != nullptr && *value == wanted;
    };
    // Fewer chains are limited by their latency.
    const bool is_it = has("m", tile.m) && has("k", tile.k) && has("ab", tile.ab) && has("acc", tile.acc) &&
                       has("ilp", std::int64_t{4});
    const auto rate = std::ranges::find(row.estimates, "throughput", &Estimate::name);
    if (!is_it || rate == row.estimates.end()) continue;
    rates[static_cast<int>(std::get<std::int64_t>(*find(row.parameters, "warps")))] = *rate;
  }
  return rates;
}

Rates rates_of_ptx(const Record& table, const Tile& tile) {
  constexpr double lanes = 32;
  Rates rates;
  const auto row = std::ranges::find(table.rows, tile.ptx(), &Row::id);
  if (row == table.rows.end()) return rates;
  for (const ThroughputPoint& point : row->instruction.curve) rates[point.warps] = point.rate / lanes * tile.work();
  return rates;
}

Rates rates_of_machine(const Record& table, const Tile& tile) {
  Rates rates;
  const Row* const row = find_by(table.rows, tile.key(), &Row::id);
  if (row == nullptr) return rates;
  for (const IssueCell& cell : row->machine.cells) {
    if (cell.stall == 1 && !cell.yield && cell.cycles > 0)
      rates[cell.warps] = std::min<double>(cell.warps, schedulers) * tile.work() / cell.cycles;
  }
  return rates;
}

// Each of them times other code: loops with a barrier in each trip, copies of what ptxas makes, and composed words.
TEST(Agreement, OfSuitesAndBothTablesIsWithinOnePercentAtEveryNumberOfWarps) {
  int compared = 0;
  each_table([&](const std::filesystem::path& folder, const Record& machine) {
    const auto ptx = read_if_there(folder / "instructions.json", {{RecordFile::Instructions}});
    ASSERT_TRUE(ptx && *ptx) << folder;
    for (const char* file : {"result.json", "kernels/result.json"}) {
      const auto record = parse_record(read_packed_file(folder / file).value());
      ASSERT_TRUE(record) << record.error().text;
      for (const Tile& tile : tiles()) {
        const Rates in_ptx = rates_of_ptx(**ptx, tile), in_machine = rates_of_machine(machine, tile);
        for (const auto& [warps, rate] : rates_of_suite(*record, tile)) {
          for (const Rates* other : {&in_ptx, &in_machine}) {
            if (!other->contains(warps)) continue;
            // ptxas has a warp issue one every 17 cycles, by stall counts of 15 and 1 and a wait. The pipe takes 16.
            if (tile.opcode == "DMMA.8x8x4" && warps <= schedulers) continue;
            // A row whose launches differ by more says so by its interval.
            EXPECT_NEAR(other->at(warps), rate.value, std::max(tolerance * rate.value, (rate.high - rate.low) / 2))
                << folder.filename() << ": " << tile.ptx() << ", " << warps << " warps, in " << file
                << " and the table of " << (other == &in_ptx ? "PTX" : "machine") << " instructions";
            ++compared;
          }
        }
      }
    }
  });
  EXPECT_GE(compared, 192);
}

/// Why a row that is one machine instruction has a window of its own; empty if nothing says so.
std::string why_not_its_form(const Row& row, const Record& table, const Record& machine) {
  const std::string& opcode = row.instruction.became.front();
  const auto cannot = [&](const Row& one) { return one.outcome != Outcome::Measured && name_in(one.id) == opcode; };
  if (std::ranges::any_of(rows_of(machine, RowKind::Form), cannot))
    return "no window of machine instructions can have it";
  if (row.id.contains('=')) return "a chosen value";
  const auto compares = [](const std::string& label) { return label.ends_with("and the comparison holds"); };
  if (std::ranges::any_of(row.instruction.labels, compares)) return "in the windows of its form the comparison fails";
  // These were measured before their forms answered for them; the next record of either GPU has their forms.
  constexpr std::array before{"3898ab8c6ba645a5213b5a2d9d870d34fb1e8e1c", "d6cf51e100819028a4af22c2a6084fb4bb849cb7"};
  constexpr std::array since{"BAR.SYNC.DEFER_BLOCKING", "BAR.ARV", "DEPBAR.LE", "SYNCS.PHASECHK.TRANS64",
                             "SYNCS.PHASECHK.TRANS64.TRYWAIT"};
  if (std::ranges::find(before, table.provenance.commit) != before.end() &&
      std::ranges::find(since, opcode) != since.end())
    return "an earlier record";
  return {};
}

/// Whether some source operand of the form has exactly this latency.
bool has_latency(const Row& form, const Estimate& latency) {
  return std::ranges::any_of(form.estimates, [&](const Estimate& one) {
    return one.name.starts_with("latency.") && one.value == latency.value && one.low == latency.low &&
           one.high == latency.high;
  });
}

// `cycles` of a line of PTX, and `cycles --sass` of what it becomes.
TEST(Agreement, OfAPtxInstructionAndItsMachineInstructionIsExact) {
  each_table([&](const std::filesystem::path& folder, const Record& machine) {
    const auto ptx = read_if_there(folder / "instructions.json", {{RecordFile::Instructions}});
    ASSERT_TRUE(ptx && *ptx) << folder;
    int rows = 0, latencies = 0;
    for (const Row& row : (*ptx)->rows) {
      const std::string what = folder.filename().string() + ": " + row.id;
      if (row.outcome != Outcome::Measured || row.instruction.became.size() != 1) continue;
      if (row.forms.empty()) {
        EXPECT_NE(why_not_its_form(row, **ptx, machine), "") << what;
        continue;
      }
      const Row* const form = find_by(machine.rows, row.forms.front(), &Row::id);
      ASSERT_NE(form, nullptr) << what;
      for (const std::string& other : row.forms) {
        EXPECT_NE(find_by(machine.rows, other, &Row::id), nullptr) << what << ": " << other;
      }
      ++rows;
      for (const Estimate& estimate : row.estimates) {
        if (estimate.name == "interval") {
          const Estimate& interval = *estimate_in(*form, "interval");
          EXPECT_EQ(estimate.value, interval.value) << what;
          EXPECT_EQ(estimate.low, interval.low) << what;
          EXPECT_EQ(estimate.high, interval.high) << what;
        }
        if (!estimate.name.starts_with("latency.")) continue;
        EXPECT_TRUE(has_latency(*form, estimate)) << what << ", " << estimate.name;
        if (!form->machine.scoreboard) {
          EXPECT_EQ(estimate.value, std::round(estimate.value)) << what << ": a fixed latency";
        }
        ++latencies;
      }
    }
    EXPECT_GE(rows, 1480) << folder;
    EXPECT_GE(latencies, 2000) << folder;
  });
}

bool is_near(const Estimate& one, const Estimate& other) {
  const double apart = std::abs(one.value - other.value);
  // A hundredth of a small share is less than counters show.
  const double allowed = one.method == "counter" ? tolerance_of(EstimateKind::Counter, one) : 0;
  return apart <= std::max(allowed, tolerance * std::max(std::abs(one.value), std::abs(other.value)));
}

// The suites share cases, which are then measured in two processes.
TEST(Agreement, OfTwoRowsForOneQuantityIsWithinOnePercentOrTheySayWhyNot) {
  int compared = 0;
  const auto reports = std::filesystem::path(WARPCLOCK_SOURCE_DIR) / "reports";
  for (const std::string& name : must(measured_gpus(reports))) {
    const auto gpu = read_measured_gpu(reports, name);
    ASSERT_TRUE(gpu) << gpu.error().message();
    for (auto one = gpu->results.begin(); one != gpu->results.end(); ++one) {
      for (auto other = std::next(one); other != gpu->results.end(); ++other) {
        if (one->second.device.uuid != other->second.device.uuid) continue;  // fleet compares boards
        const std::string files = name + ": " + one->first + " and " + other->first;
        for (const Row& row : one->second.rows) {
          const auto again = std::ranges::find(other->second.rows, row.id, &Row::id);
          if (again == other->second.rows.end()) continue;
          if (row.outcome != Outcome::Measured || again->outcome != Outcome::Measured) continue;
          for (const Estimate& estimate : row.estimates) {
            const auto same = std::ranges::find(again->estimates, estimate.name, &Estimate::name);
            if (estimate.method == "intercept" || same == again->estimates.end()) continue;
            ++compared;
            EXPECT_TRUE(is_near(estimate, *same) || estimate.varies || same->varies)
                << files << ": " << row.id << ", " << estimate.name << " is " << estimate.value << " and "
                << same->value;
          }
        }
        EXPECT_EQ(compare(one->second, other->second).differs, 0) << files;
      }
    }
  }
  EXPECT_GT(compared, 800);
}

}  // namespace
}  // namespace warpclock
