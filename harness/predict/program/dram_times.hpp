#pragma once

#include <cstdint>
#include <map>

namespace warpclock {

/// Two numbers between 0 and 1, each as likely.
struct DramDraw {
  double half = 0, late = 0;
};

/// How long DRAM takes for a line beyond what L2 does, in cycles: the far half of L2 is further, and a part of the
/// lines comes later, any time up to the longest as often, as if DRAM refreshed meanwhile.
struct DramTimes {
  double least = 0;   ///< for most lines of the near half
  double across = 0;  ///< by which the far half takes longer; a line is in either
  double part_late = 0, longest = 0;

  [[nodiscard]] bool vary() const { return across > 0 || part_late > 0; }
  [[nodiscard]] double mean() const { return least + across / 2 + part_late * longest / 2; }

  /// Whether one of so many lines is in the far half, and how late the last of so many is.
  [[nodiscard]] bool is_far(const DramDraw& draw, double lines) const;
  [[nodiscard]] double late(const DramDraw& draw, double lines) const;
};

/// Pages of DRAM whose lines come late together have the same number: three groups of 2 KiB in each 128 KiB fit 2 to 32
/// lines that are 512 bytes to 16 KiB apart (`memory/near_dram`, H200).
[[nodiscard]] std::uint64_t late_together(std::uint64_t page);

/// The times whose mean, and whose last of several, are those of rows: `last`: how much later than one of them the last
/// of so many lines comes on the average. Where rows do not say that, each takes the mean.
[[nodiscard]] DramTimes dram_times(double mean, double across, const std::map<double, double>& last);

}  // namespace warpclock
