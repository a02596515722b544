#include <algorithm>
#include <string>

#include "execute/bank_turns.hpp"
#include "predict/program/memory_cost.hpp"
#include "predict/program/rate_curve.hpp"

namespace warpclock {

/// Whole sectors at the rate of whole lines, and what a line takes longer that is written in part
/// (`bandwidth/coalesce_stride_write_one`: 2, 3, 5 and 5 cycles for lines of 1, 2, 4 and 4 such sectors, 4 for whole
/// ones).
double MemoryCosts::stored_alone(double sectors, double lines, double bytes) const {
  const std::string entry = "transfers/l2.store/";
  const double whole = sector * inverse(entry + "rate.one_sm");
  const double in_part = std::max(0.0, asked * inverse(entry + "rate.one_sm.own_lines") - whole);
  return sectors * whole + (bytes < sectors * sector ? lines * in_part : 0);
}

/// L2 takes some time for each line of a store and some for each of its sectors: whole lines (`bandwidth/write`) and
/// lines with a sector each (`bandwidth/coalesce_stride_write` with 32 words) give both, and 16 words agree.
PathCost MemoryCosts::stored(double sectors, double lines, double longer, double alone) const {
  const std::string entry = "transfers/l2.store/";
  PathCost cost{.level = MemoryLevel::L2, .write = true, .bytes = sectors * sector};
  constexpr double of_line = line_bytes / sector;
  const double each = sector * inverse(entry + "rate.all_sms"), whole = of_line * each;
  const double own = std::clamp(asked * inverse(entry + "rate.all_sms.own_lines"), each, whole);
  const double more = (whole - own) / (of_line - 1);  // for each further sector of the line
  cost.busy = std::max((lines * (own - more) + sectors * more) * of_sm(entry) * longer, alone);
  return cost;
}

/// A few lines to which the stores of a warp come back are not spread evenly over the slices of L2, and those of the
/// fullest one end last (`bandwidth/write_again`). The lines are those of all blocks that the SM gets.
double MemoryCosts::uneven(const AccessPattern& pattern) const {
  const std::string entry = "transfers/l2.store/";
  const RateCurve of_lines(machine_, "l2.store.lines_", "rate.slowest_sm");
  const double even = inverse(entry + "rate.all_sms") * of_sm(entry);
  if (of_lines.empty() || even <= 0 || pattern.block_sectors <= 0) return 1;
  const double lines = pattern.block_sectors * sector / line_bytes * use_.blocks / use_.resident;
  return std::max(1.0, 1 - pattern.returning + pattern.returning * of_lines.at(lines) * use_.share / even);
}

MemoryCost MemoryCosts::store(const AccessPattern& pattern, double bytes, MemoryAnswer answer) const {
  MemoryCost cost;
  const double sectors = pattern.sectors * pattern.sent, lines = pattern.lines * pattern.sent;
  cost.paths.push_back(stored(sectors, lines, uneven(pattern), stored_alone(sectors, lines, bytes)));
  // What the warps of a block write to one sector goes to DRAM once.
  if (answer.level == MemoryLevel::Dram) {
    cost.paths.push_back(by_threads_through_dram(pattern.new_sectors * pattern.sent * answer.part, true));
    cost.paths.back().busy *= of_pieces(pattern, true);
  }
  return cost;
}

MemoryCost MemoryCosts::tensor_store(MemoryAnswer answer) const {
  const std::string entry = "transfers/tensor.store/";
  MemoryCost cost;
  cost.issue = leaf(entry + "issue").value_or(1);
  PathCost& path = cost.paths.emplace_back(PathCost{.level = MemoryLevel::L2, .write = true, .bytes = 1});
  path.busy = inverse(entry + "rate.all_sms") * of_sm(entry);
  if (answer.level == MemoryLevel::Dram) cost.paths.push_back(through_dram(answer.part / sector, true));
  return cost;
}

}  // namespace warpclock
