#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files/embedded.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "model/testing/measured.hpp"
#include "plan/config/stanza.hpp"
#include "plan/plan.hpp"
#include "predict/simulation/run.hpp"
#include "predict/testing/recorded.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/golden.hpp"

// Recorded windows are predicted from the model, and compared with their recorded cycles.

namespace warpclock {
namespace {

/// Probes whose windows need registers and shared memory alone.
const std::set<std::string>& probes() {
  static const std::set<std::string> all{"baseline/empty",
                                         "baseline/clock",
                                         "baseline/loop",
                                         "issue/pair",
                                         "issue/rate",
                                         "issue/banks",
                                         "issue/predicated",
                                         "issue/uniform",
                                         "issue/uniform_rate",
                                         "issue/special",
                                         "issue/code",
                                         "issue/crossing",
                                         "issue/constant",
                                         "issue/constant_rate",
                                         "matrix/mma_table",
                                         "matrix/mma_table_b1",
                                         "matrix/mma_throughput",
                                         "matrix/mma_throughput_f64_m16",
                                         "matrix/mma_latency",
                                         "matrix/mma_latency_f64_m16",
                                         "matrix/mma_e4m3",
                                         "matrix/ldmatrix_latency",
                                         "matrix/ldmatrix_throughput",
                                         "matrix/stmatrix_throughput",
                                         "matrix/stmatrix_roundtrip",
                                         "matrix/movmatrix_latency",
                                         "matrix/movmatrix_throughput",
                                         "shuffle/latency",
                                         "shuffle/throughput",
                                         "shuffle/match",
                                         "shuffle/reduce",
                                         "shuffle/redux",
                                         "shuffle/vote",
                                         "bandwidth/shared_read",
                                         "bandwidth/shared_write",
                                         "bandwidth/shared_write_warps",
                                         "bandwidth/shared_read_narrow",
                                         "bandwidth/shared_write_narrow",
                                         "memory/shared_chase",
                                         "memory/constant_chase",
                                         "memory/local_chase",
                                         "memory/shared_map",
                                         "synchronization/bar",
                                         "async_copy/issue",
                                         "async_copy/commit_wait",
                                         "async_copy/latency",
                                         "async_copy/latency_dram",
                                         "async_copy/pipeline",
                                         "async_copy/pipeline_alone",
                                         "async_copy/pipeline_work",
                                         "wgmma/interval",
                                         "wgmma/interval_independent",
                                         "wgmma/latency",
                                         "wgmma/around",
                                         "bandwidth/read_l1",
                                         "bandwidth/in_flight",
                                         "bandwidth/read",
                                         "bandwidth/copy",
                                         "bandwidth/write",
                                         "bandwidth/cp_async"};
  return all;
}

/// One in two rows, by its name, is left out while the model is made.
bool held_out(const std::string& id) { return std::string_view("02468ace").contains(hash_hex(id).back()); }

const std::map<std::string, Case>& cases() {
  static const std::map<std::string, Case> all = [] {
    std::map<std::string, Case> by_id;
    const auto suite = load_suite(embedded_configs());
    const auto planned = plan(suite.value(), Arch{90, true}, Filter{every_suite, {}});
    for (const Case& one : planned.value()) by_id.emplace(one.id, one);
    return by_id;
  }();
  return all;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The level that the parameters of a case name.
MemoryLevel level_of_case(const Row& row, const DeviceFacts& device) {
  if (row.probe == "bandwidth/read_l1") return MemoryLevel::L1;
  if (const Value* source = find(row.parameters, "source"))
    return level_of(to_string(*source)).value_or(MemoryLevel::L2);
  const Value* footprint = find(row.parameters, "footprint");
  if (footprint != nullptr && std::get<std::int64_t>(*footprint) > device.l2_bytes) return MemoryLevel::Dram;
  return MemoryLevel::L2;
}

/// What a row is compared by. Windows of several warps begin when the first one passes a barrier, and how far apart the
/// warps begin is not part of a kernel's steady state; so loops are compared by what more trips take.
enum class Kind { OneWarp, Loop, Straight };
constexpr std::array<const char*, 3> kind_names{"one warp", "loops of several warps", "straight code of several warps"};

struct Compared {
  std::string id, probe;
  Kind kind = Kind::OneWarp;
  bool held_out = false;
  double measured = 0, low = 0, high = 0;
  std::string gaps;

  [[nodiscard]] bool known() const { return high - low <= 0.01 * high; }
  [[nodiscard]] double error() const { return (low + high) / 2 / measured - 1; }
};

/// Whether the level that answers is the one that level_of_case() says, and each SM has lines of its own.
bool at_its_level(const Row& row) {
  constexpr std::int64_t nearest = 2048;
  if (row.probe == "memory/constant_chase") {
    const Value* footprint = find(row.parameters, "footprint");
    return footprint != nullptr && std::get<std::int64_t>(*footprint) <= nearest;
  }
  if (row.probe == "bandwidth/read_l1") {
    const auto hits = row.counters.find("l1_hit_rate");
    return hits != row.counters.end() && hits->second >= 99;
  }
  const Value* share = find(row.parameters, "share");
  return share == nullptr || to_string(*share) != "all";
}

/// Loops that run n times, by the index of the jump back; nothing if the window is something else.
std::optional<std::vector<std::size_t>> loops_of(const Listing& listing, bool addressed) {
  std::vector<std::size_t> loops;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& each = listing.instructions[i];
    if (each.opcode != "BRA") continue;
    if (!addressed) return std::nullopt;
    if (target_index(listing, each) <= i) loops.push_back(i);
  }
  if (loops.size() > 1) return std::nullopt;
  return loops;
}

/// Nothing if the window is not one of straight code and of loops that run n times.
std::optional<Compared> compare(const Row& row, const CostTable& costs, const DeviceFacts& device) {
  if (!probes().contains(row.probe) || row.outcome != Outcome::Measured || row.window.sass.empty()) return std::nullopt;
  if (row.window.sass.size() > 400 || !at_its_level(row) || !cases().contains(row.id)) return std::nullopt;
  const auto opened = testing::opened_at().find({row.id, row.window.sass_hash});
  const bool addressed = opened != testing::opened_at().end();
  const Listing listing = testing::recorded_window(row, addressed ? opened->second : 0);
  const auto loops = loops_of(listing, addressed);
  if (!loops) return std::nullopt;
  const Launch& launch = cases().at(row.id).launch;
  const Residents residents{static_cast<int>(launch.warps),
                            static_cast<int>(std::max<std::int64_t>(1, launch.blocks_per_sm))};
  const bool alone = residents.block_warps * residents.blocks == 1;
  Compared one{.id = row.id, .probe = row.probe, .held_out = held_out(row.id)};
  one.kind = alone ? Kind::OneWarp : loops->empty() ? Kind::Straight : Kind::Loop;
  const auto window = [&](const Series& sample) -> std::optional<Bounds> {
    ProgramOptions options{.begins = false};
    options.level = level_of_case(row, device);
    for (const std::size_t loop : *loops) options.trips[loop] = sample.n;
    auto program = make_program(listing, costs, options);
    if (!program) return std::nullopt;
    auto runs = run_program(*std::move(program), costs.machine(), residents, 0);
    EXPECT_TRUE(runs) << row.id << ": " << runs.error().message();
    if (!runs) return std::nullopt;
    for (const auto& [gap, steps] : runs->program.gaps) {
      if (runs->window.high > 1.01 * runs->window.low && !one.gaps.contains(gap.instruction + ": " + gap.what))
        one.gaps += gap.instruction + ": " + gap.what + "; ";
    }
    return runs->window;
  };
  const Series& least = row.samples.front();
  const Series& most = row.samples.back();
  const auto first = window(least);
  if (!first) return std::nullopt;
  one.measured = median(least.cycles), one.low = first->low, one.high = first->high;
  if (one.kind != Kind::Loop || most.n == least.n) return one;
  const auto last = window(most);
  if (!last) return std::nullopt;
  one.measured = median(most.cycles) - median(least.cycles);
  one.low = last->low - first->low, one.high = last->high - first->high;
  if (one.low > one.high) std::swap(one.low, one.high);
  return one;
}

std::string line_of(const std::string& name, const std::vector<Compared>& rows) {
  constexpr double tolerance = 0.01;
  std::vector<double> errors;
  double worst = 0;
  int ranges = 0, held = 0;
  for (const Compared& one : rows) {
    if (!one.known()) {
      const bool holds = one.measured >= one.low * (1 - tolerance) && one.measured <= one.high * (1 + tolerance);
      ++ranges, held += holds ? 1 : 0;
      continue;
    }
    errors.push_back(std::abs(one.error()));
    if (std::abs(one.error()) > std::abs(worst)) worst = one.error();
  }
  std::ranges::sort(errors);
  const double most = errors.empty() ? 0 : errors[(errors.size() - 1) * 95 / 100];
  return fmt::format(
      "{:<41} {:4} numbers: median {:5.1f} %, 95 % within {:5.1f} %, worst {:+6.1f} %; {:3} of {:3} ranges hold\n",
      name, errors.size(), 100 * median(errors), 100 * most, 100 * worst, held, ranges);
}

TEST(Windows, AreAsFarFromTheirRecordsAsTheTableSays) {
  const bool show = std::getenv("WARPCLOCK_SHOW") != nullptr;
  std::string table;
  for (const testing::CommittedGpu& committed : testing::committed_gpus()) {
    const CostTable costs(committed.machine);
    std::map<std::string, std::vector<Compared>> groups;
    for (const auto& [file, numbers] : committed.gpu.results) {
      // The numbers of a record come without its windows.
      const std::string path = fmt::format("{}/reports/{}/{}", WARPCLOCK_SOURCE_DIR, committed.gpu.folder, file);
      const Record record = must(parse_record(must(read_packed_file(path)), path));
      for (const Row& row : record.rows) {
        const auto one = compare(row, costs, record.device);
        if (!one) continue;
        if (show)
          std::printf("%s %s %-80s measured %9.1f predicted %9.1f .. %9.1f error %+6.1f %% %s\n",
                      committed.gpu.folder.c_str(), one->held_out ? "held" : "work",
                      (one->id + " " + kind_names[static_cast<std::size_t>(one->kind)][0]).c_str(), one->measured,
                      one->low, one->high, 100 * one->error(), one->gaps.c_str());
        const std::string half = one->held_out ? "held out" : "used";
        groups[" " + std::string(kind_names[static_cast<std::size_t>(one->kind)]) + ", " + half].push_back(*one);
        groups[one->probe + ", " + half].push_back(*one);
      }
    }
    table += committed.gpu.folder + "\n";
    for (const auto& [name, rows] : groups) table += line_of(name, rows);
  }
  testing::expect_golden("windows.txt", table, "predict");
}

}  // namespace
}  // namespace warpclock
