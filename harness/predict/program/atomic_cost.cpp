#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "execute/bank_turns.hpp"
#include "execute/forms/lanes.hpp"
#include "inspect/facts.hpp"
#include "predict/program/memory_cost.hpp"
#include "predict/program/rate_curve.hpp"

namespace warpclock {
namespace {

constexpr double bytes_of_sector = sector_bytes;
constexpr double of_line = line_bytes / bytes_of_sector, words_of_sector = bytes_of_sector / register_bytes;
constexpr double spread = 8;  ///< lines, of which lanes with random words rarely meet

/// The type whose rows say what L2 takes: `atomics/reduction` has other operations as fast, and pairs of halves as fast
/// as f32.
std::string summand_of(const Instruction& instruction) {
  if (has_modifier(instruction, "F64")) return "f64";
  if (has_modifier(instruction, "64")) return "u64";
  for (const char* two : {"F16x2", "BF16x2", "F16x4", "BF16x4", "F16x8", "BF16x8", "F32x2", "F32x4"}) {
    if (has_modifier(instruction, two)) return "f32";
  }
  return has_modifier(instruction, "F32") ? "f32" : "u32";
}

/// The turns of the lanes of a warp that have random words of so many sectors, if they are many: the sectors that have
/// any, and one more for each pair of lanes at one word.
double random_turns(double sectors) {
  constexpr double lanes = warp_lanes;
  const double pairs = lanes * (lanes - 1) / 2 / (sectors * words_of_sector);
  return sectors * (1 - std::pow(1 - 1 / sectors, warp_lanes)) + pairs;
}

/// Cycles over the lines that all SMs share, on a line between their logarithms.
class OverLines {
 public:
  /// 0 cycles: no row.
  void add(double lines, double cycles) { points_[std::log2(lines)] = std::log2(cycles); }
  [[nodiscard]] bool known() const {
    return std::ranges::all_of(points_, [](const auto& one) { return std::isfinite(one.second); });
  }
  [[nodiscard]] double at(double lines) const { return std::exp2(on_line(points_, std::log2(std::max(1.0, lines)))); }

 private:
  std::map<double, double> points_;
};

}  // namespace

/// Slices of L2 do one after the other what goes to a few lines (`atomics/reduction_lines`): a sector takes a slice 1.2
/// to 1.5 cycles, and another lane at the same word 1.5, of floats 3.5 (H200). Few lines are in few slices, and the
/// lines of 4 KiB in eight of them. What goes to a line that has more than the others is as slow as if it were alone.
double MemoryCosts::atomic_in_l2(const Instruction& instruction, const AccessPattern& pattern) const {
  const std::string summand = summand_of(instruction), rates = "l2.reduction.";
  const double words = summand.ends_with("64") ? words_of_sector / 2 : words_of_sector;
  const auto where = [&](const std::string& of, const char* lanes) {
    return inverse("instructions/atom.global.add." + of + ".lanes_" + lanes + "/rate");
  };
  const double of_word = where("u32", "address"), of_own_word = where(summand, "address");
  const RateCurve together(machine_, rates + summand + ".whole.lines_", "rate.all_sms"),
      apart(machine_, rates + "u32.scatter.lines_", "rate.all_sms");
  OverLines whole, single;
  for (const auto& [lines, cycles] : together.cycles()) whole.add(lines, cycles * words);
  for (const auto& [lines, cycles] : apart.cycles())
    if (lines >= spread) single.add(lines, cycles * warp_lanes / random_turns(lines * of_line));
  if (together.empty() || apart.empty()) {
    // A line of all warps, a line of all lanes, and a line of each warp (`atomics/throughput_contended`, `throughput`).
    constexpr double of_lanes = 32, of_warps = 4096;
    whole.add(1, where("u32", "line") * words_of_sector), whole.add(of_warps, where(summand, "own") * words);
    single.add(of_lanes, where("u32", "scatter")), single.add(of_warps, where("u32", "own") * words_of_sector);
  }
  single.add(1, of_word);
  if (of_own_word <= 0 || !whole.known() || !single.known()) return 0;
  const AtomicMeeting& meeting = pattern.meeting;
  const double lines = meeting.lines > 0 ? meeting.lines : std::numeric_limits<double>::max();
  const double full = std::clamp((pattern.active / pattern.sectors - 1) / (words - 1), 0.0, 1.0);
  const auto of_sector = [&](double shared) { return std::lerp(single.at(shared), whole.at(shared), full); };
  const double each = std::max(of_sector(lines), meeting.hottest_line * of_sector(1));
  const double meets = of_word * each / of_sector(1);
  return std::max(pattern.sectors * each + std::max(0.0, pattern.word_turns - pattern.sectors) * meets,
                  pattern.active * meeting.hottest_word * of_own_word);
}

bool MemoryCosts::has_rates_over_lines() const {
  return !RateCurve(machine_, "l2.reduction.u32.whole.lines_", "rate.all_sms").empty();
}

MemoryCost MemoryCosts::atomic(const Instruction& instruction, const AccessPattern& pattern, bool returns,
                               MemoryAnswer answer) const {
  /// What has left an SM and waits for L2: of 64 reductions to one word by the warps of an SM, or to whole lines, the
  /// SM waits for none; where lanes have lines of their own, one or two are left when its last warp ends (H200).
  constexpr double most_under_way = 64, most_sectors = 256;
  MemoryCost cost;
  const double of_l2 = pattern.sectors > 0 ? atomic_in_l2(instruction, pattern) : 0;
  if (of_l2 <= 0) return cost;
  const std::string alone = "transfers/l2.reduction.u32.";
  PathCost path{.level = MemoryLevel::L2, .write = true, .atomic = true, .bytes = pattern.sectors * sector};
  path.busy = std::max({of_l2 * use_.share * use_.clock,
                        pattern.sectors * words_of_sector * inverse(alone + "whole/rate.one_sm"),
                        pattern.lines * inverse(alone + "scatter/rate.one_sm")});
  path.under_way = std::min(most_under_way, most_sectors / pattern.sectors) * path.busy;
  path.part = returns ? 1 : 0;
  cost.paths.push_back(path);
  if (answer.level != MemoryLevel::Dram) return cost;
  const double absent = pattern.new_sectors * answer.part;
  PathCost& read = cost.paths.emplace_back(by_threads_through_dram(absent, false));
  read.part = path.part;
  read.dram.times = times_of_dram(), read.dram.lines = pattern.pieces;
  cost.paths.push_back(by_threads_through_dram(absent, true));
  cost.paths.back().part = 0;
  return cost;
}

}  // namespace warpclock
