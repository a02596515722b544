#include "analyze/curve/segments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace warpclock {
namespace {

constexpr std::size_t least_ramp = 4;  // any two points lie on a line, and estimating its noise needs two more

enum class Kind { Loose, Flat, Ramp };

struct Cut {
  double cost = std::numeric_limits<double>::infinity();
  std::size_t first = 0;  ///< the first point of the piece that ends here
  Kind kind = Kind::Loose;
  Trend line;
};

}  // namespace

Partition partition(const std::vector<LogPoint>& points, const SegmentOptions& options) {
  Partition out;
  if (points.empty()) return out;
  out.usual = scatter(points, options.resolution);
  const auto [lowest, highest] = std::ranges::minmax(points, {}, &LogPoint::y);
  // The likelihood of a bad point must not depend on how little a flat curve varies.
  out.loose = std::log(std::max(highest.y - lowest.y, std::log(2.0)));
  // One point in fifty is expected to lie off its segment.
  out.astray = out.loose + std::log(50.0);

  const std::size_t count = points.size();
  const double piece = std::log(static_cast<double>(count));
  std::vector<Cut> cuts(count + 1);  // cuts[i] is the best cut of the first i points
  cuts[0].cost = 0;
  std::vector<char> no_flat(count), no_ramp(count);  // indexed by the first point
  for (std::size_t end = 1; end <= count; ++end) {
    Cut& best = cuts[end];
    best = {cuts[end - 1].cost + out.loose, end - 1};
    std::vector<double> off;
    for (std::size_t first = end - 1; first-- > 0;) {
      const auto segment = std::span(points).subspan(first, end - first);
      if (segment.size() > 2) off.insert(std::ranges::upper_bound(off, segment[1].off), segment[1].off);
      if (no_flat[first] && no_ramp[first]) continue;
      const double noise = scatter_of(off, out.usual, options.resolution);
      const auto consider = [&](Kind kind, const Trend& line, double price, char& hopeless) {
        const double cost = line.cost(segment, out.astray);
        if (cost > static_cast<double>(segment.size()) * out.loose + 6 * piece) hopeless = 1;
        if (cuts[first].cost + price + cost < best.cost) best = {cuts[first].cost + price + cost, first, kind, line};
      };
      const Trend any = trend(segment, noise);
      const bool level = std::abs(any.slope) <= options.steepest;
      const bool outer = first == 0 || end == count;
      if (!no_flat[first] && segment.size() >= options.least_points &&
          (outer || segment.back().x - segment.front().x >= options.least_octaves)) {
        consider(Kind::Flat, level ? any : trend(segment, noise, options.steepest), 4 * piece, no_flat[first]);
      }
      if (!no_ramp[first] && !level && segment.size() >= least_ramp) {
        consider(Kind::Ramp, any, 5 * piece, no_ramp[first]);
      }
    }
  }
  for (std::size_t end = count; end > 0; end = cuts[end].first) {
    const Cut& cut = cuts[end];
    if (cut.kind == Kind::Flat) out.flats.push_back({cut.first, end - 1, cut.line});
  }
  std::ranges::reverse(out.flats);
  return out;
}

Segment flat_segment(const std::vector<LogPoint>& points, std::size_t first, std::size_t last, double usual,
                     const SegmentOptions& options) {
  const auto segment = std::span(points).subspan(first, last - first + 1);
  std::vector<double> off;
  for (std::size_t i = first + 1; i < last; ++i) off.push_back(points[i].off);
  std::ranges::sort(off);
  return {first, last, trend(segment, scatter_of(off, usual, options.resolution), options.steepest)};
}

}  // namespace warpclock
