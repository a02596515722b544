#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files/packed_file.hpp"
#include "plan/testing/corpus.hpp"
#include "record/json/record_json.hpp"

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

/// Not compared: the suites' latencies of HMMA and IMMA, which are the distances that ptxas encodes (the table has them
/// as `encoded`), and what the suites time in loops or together with other instructions.
std::vector<Shared> shared_quantities() {
  std::vector<Shared> all;
  const auto mma = [&](std::int64_t m, std::int64_t k, const std::string& ab, const std::string& acc,
                       const std::string& name, const std::string& probe = "matrix/mma_throughput") {
    const std::string operands = name.starts_with("IMMA") ? " R#, R#.ROW, R#.COL, R#" : " R#, R#, R#, R#";
    all.push_back(
        {probe, tile(m, k, ab, acc), "@PT " + name + operands, static_cast<double>(m * 8 * k), 0, "throughput"});
  };
  mma(16, 16, "f16", "f32", "HMMA.16816.F32");
  mma(16, 8, "f16", "f32", "HMMA.1688.F32");
  mma(16, 16, "f16", "f16", "HMMA.16816.F16");
  mma(16, 16, "bf16", "f32", "HMMA.16816.F32.BF16");
  mma(16, 8, "tf32", "f32", "HMMA.1688.F32.TF32");
  mma(16, 4, "tf32", "f32", "HMMA.1684.F32.TF32");
  mma(16, 32, "s8", "s32", "IMMA.16832.S8.S8");
  mma(16, 16, "s8", "s32", "IMMA.16816.S8.S8");
  mma(8, 4, "f64", "f64", "DMMA.8x8x4");
  for (const std::int64_t k : {4, 8}) {
    const std::string name = "DMMA.16x8x" + std::to_string(k);
    mma(16, k, "f64", "f64", name, "matrix/mma_throughput_f64_m16");
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
  for (const CaseRecord& row : record.cases) {
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

std::optional<double> table_value(const MachineTable& table, const Shared& shared) {
  const MachineRow* row = row_of_form(table.rows, shared.key);
  if (row == nullptr) return std::nullopt;
  if (shared.work > 0) return row->interval ? std::optional(row->interval->value) : std::nullopt;
  const auto latency = std::ranges::find(row->latencies, shared.source, &DependencyLatency::source);
  if (latency == row->latencies.end() || !latency->cycles) return std::nullopt;
  return latency->cycles->value;
}

void each_table(const std::function<void(const std::filesystem::path&, const MachineTable&)>& check) {
  int tables = 0;
  const auto reports = std::filesystem::path(WARPCLOCK_SOURCE_DIR) / "reports";
  for (const auto& folder : std::filesystem::directory_iterator(reports)) {
    if (!has_packed_file(folder.path() / "machine.json")) continue;
    ++tables;
    const auto table = read_machine_table(read_packed_file(folder.path() / "machine.json").value());
    ASSERT_TRUE(table) << table.error().text;
    check(folder.path(), *table);
  }
  EXPECT_GE(tables, 2);
}

/// Compares what a record and the table of each GPU have, and expects at least `least` such quantities.
void expect_agreement(const std::string& file, const std::vector<Shared>& quantities, int least) {
  each_table([&](const std::filesystem::path& folder, const MachineTable& table) {
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
  each_table([](const std::filesystem::path&, const MachineTable& table) {
    int compared = 0;
    for (const IssueStudy& pair : table.pairs) {
      if (pair.forms[0] != pair.forms[1]) continue;
      const MachineRow* row = row_of_form(table.rows, pair.forms[0]);
      ASSERT_TRUE(row != nullptr && row->interval && pair.interval) << pair.id;
      EXPECT_NEAR(pair.interval->value / 2, row->interval->value, tolerance * row->interval->value) << pair.id;
      ++compared;
    }
    EXPECT_GE(compared, 15);
  });
}

TEST(Agreement, OfALatencyAloneAndFromAnInstructionToItselfIsWithinOnePercent) {
  each_table([](const std::filesystem::path&, const MachineTable& table) {
    int compared = 0;
    for (const ProducerConsumer& one : table.dependences) {
      const auto row = std::ranges::find(table.rows, one.producer, &MachineRow::key);
      if (one.producer != one.consumer || row == table.rows.end()) continue;
      const auto own = std::ranges::find(row->latencies, one.latency.source, &DependencyLatency::source);
      if (own == row->latencies.end()) continue;
      if (one.latency.least_right) {
        EXPECT_EQ(one.latency.least_right, own->least_right) << one.id;
      } else if (one.latency.cycles && own->cycles) {
        EXPECT_NEAR(one.latency.cycles->value, own->cycles->value, tolerance * own->cycles->value) << one.id;
      } else {
        continue;
      }
      ++compared;
    }
    EXPECT_GE(compared, 15);
  });
}

}  // namespace
}  // namespace warpclock
