#include "predict/program/dram_times.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "predict/memory/access_pattern.hpp"

namespace warpclock {
namespace {

/// Of so many lines, a part of which is late, how much later than one of them the last comes on the average, as a part
/// of the longest.
double last_late(double part, double lines) {
  const double none = (1 - std::pow(1 - part, lines + 1)) / (part * (lines + 1));
  return 1 - none - part / 2;
}

}  // namespace

bool DramTimes::is_far(const DramDraw& draw, double lines) const { return across > 0 && draw.half > std::exp2(-lines); }

double DramTimes::late(const DramDraw& draw, double lines) const {
  if (part_late <= 0 || lines <= 0) return 0;
  return std::max(0.0, (std::pow(draw.late, 1 / lines) - (1 - part_late)) / part_late) * longest;
}

std::uint64_t late_together(std::uint64_t page) {
  constexpr std::uint64_t groups = 3, chunk = 2048 / page_bytes, region = (std::uint64_t{128} << 10) / page_bytes;
  return page / region * groups + SplitMix64(page / chunk).bits() % groups;
}

DramTimes dram_times(double mean, double across, const std::map<double, double>& last) {
  constexpr double few = 4;
  constexpr int halvings = 40;
  DramTimes made{.least = mean};
  const auto several = last.find(few);
  if (several == last.end() || last.rbegin()->first <= few) return made;
  const double many = last.rbegin()->first;
  // What the halves do not explain.
  const auto late = [&](double lines, double all) { return all - across / 2 * (1 - std::exp2(1 - lines)); };
  const double of_few = late(few, several->second), of_many = late(many, last.rbegin()->second);
  made.across = std::max(0.0, across);
  if (of_few > 0 && of_many > of_few) {
    double low = 1e-6, high = 1;
    for (int i = 0; i < halvings; ++i) {
      const double middle = (low + high) / 2;
      (last_late(middle, few) / last_late(middle, many) < of_few / of_many ? low : high) = middle;
    }
    made.part_late = low;
    made.longest = of_many / last_late(low, many);
  }
  made.least = std::max(0.0, mean - made.across / 2 - made.part_late * made.longest / 2);
  return made;
}

}  // namespace warpclock
