#include "analyze/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

#include "gpu/job/statistics.hpp"

namespace warpclock {

namespace {

struct Point {
  std::int64_t n;
  double middle;
  Interval interval;
};

std::vector<Point> points_of(const Samples& samples, Centre centre, std::int64_t& count) {
  std::map<std::int64_t, std::vector<double>> by_n;
  for (const Series& series : samples) {
    auto& values = by_n[series.n];
    values.insert(values.end(), series.cycles.begin(), series.cycles.end());
  }
  std::vector<Point> points;
  for (auto& [n, values] : by_n) {
    const std::vector<double> ascending = sorted_finite(std::move(values));
    if (ascending.empty()) continue;
    if (centre == Centre::Median) {
      points.push_back({n, median(ascending), median_interval(ascending)});
    } else {
      points.push_back({n, trimmed_mean(ascending), trimmed_mean_interval(ascending)});
    }
    count += std::ssize(ascending);
  }
  return points;
}

/// Whether the scatter of the launches explains the distance of the median from the line, and the distance is not too
/// large.
bool scattered(const Point& p, double on_line, double rise) {
  return p.interval.low <= on_line && on_line <= p.interval.high &&
         std::abs(p.middle - on_line) <= max_bend_share * rise;
}

/// A sum of the medians with its sampling interval, widened by `residual` in the worst direction.
struct Weighted {
  double value = 0, low = 0, high = 0;
};

/// The weights are numerators over one divisor. Both are integers, so that a line through integral cycles is exact.
Weighted weigh(const std::vector<Point>& points, const std::function<double(double)>& numerator, double divisor,
               double residual) {
  double value = 0, below = 0, above = 0, absolute = 0;
  for (const Point& p : points) {
    const double w = numerator(static_cast<double>(p.n));
    const double down = w * ((w > 0 ? p.interval.low : p.interval.high) - p.middle);
    const double up = w * ((w > 0 ? p.interval.high : p.interval.low) - p.middle);
    value += w * p.middle;
    below += down * down;
    above += up * up;
    absolute += std::abs(w);
  }
  const double misfit = residual * absolute;
  return {value / divisor, (value - std::sqrt(below) - misfit) / divisor,
          (value + std::sqrt(above) + misfit) / divisor};
}

std::string list(const std::vector<Point>& points, bool cycles) {
  std::vector<std::string> words;
  words.reserve(points.size());
  for (const Point& p : points) words.push_back(cycles ? fmt::format("{:.6g}", p.middle) : std::to_string(p.n));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

Expected<Line> fit_line(const Samples& samples, Centre centre) {
  Line line;
  const std::vector<Point> points = points_of(samples, centre, line.samples);
  if (points.size() < 3) {
    return fail("no-slope", fmt::format("a slope needs samples at three repeat counts; there are {}", points.size()));
  }

  const char* const word = centre == Centre::Median ? "median" : "mean";
  const double count = static_cast<double>(points.size());
  double sum = 0, squares = 0;
  for (const Point& p : points) {
    const double n = static_cast<double>(p.n);
    sum += n;
    squares += n * n;
  }
  const double divisor = count * squares - sum * sum;
  const auto slope_weight = [&](double n) { return count * n - sum; };
  const auto intercept_weight = [&](double n) { return squares - sum * n; };

  line.slope = weigh(points, slope_weight, divisor, 0).value;
  line.intercept = weigh(points, intercept_weight, divisor, 0).value;
  for (const Point& p : points) {
    const double off = std::abs(p.middle - line.intercept - line.slope * static_cast<double>(p.n));
    if (off > line.residual) std::tie(line.residual, line.worst_n) = std::pair(off, p.n);
  }
  // A residual that is only rounding error does not count.
  if (line.residual < 1e-9 * std::abs(points.back().middle)) line.residual = 0;

  const Weighted slope = weigh(points, slope_weight, divisor, line.residual);
  const Weighted intercept = weigh(points, intercept_weight, divisor, line.residual);
  std::tie(line.slope_low, line.slope_high) = std::pair(slope.low, slope.high);
  std::tie(line.intercept_low, line.intercept_high) = std::pair(intercept.low, intercept.high);
  line.span = static_cast<double>(points.back().n - points.front().n);
  const double rise = line.slope * line.span;
  line.residual_share = rise > 0 ? line.residual / rise : 0;

  if (!std::isfinite(slope.low) || !std::isfinite(slope.high) || !(line.slope > 0)) {
    return fail("no-slope", fmt::format("cycles do not grow with the repeat count: {}s {} at n = {}", word,
                                        list(points, true), list(points, false)));
  }
  // Whether a median is further away than these allow, and the scatter of its launches does not explain it.
  const auto off_by = [&](double share, double cycles) {
    return std::ranges::any_of(points, [&](const Point& p) {
      const double on_line = line.intercept + line.slope * static_cast<double>(p.n);
      return std::abs(p.middle - on_line) > std::max(share * rise, cycles) && !scattered(p, on_line, rise);
    });
  };
  if (off_by(max_residual_share, max_residual_cycles)) {
    line.bend = fmt::format(
        "cycles do not grow in a line: the {} at n = {} lies {:.1f} cycles ({:.1f} % of the rise) off the fit of {} at "
        "n = {}",
        word, line.worst_n, line.residual, 100 * line.residual_share, list(points, true), list(points, false));
  }
  if (off_by(max_bend_share, max_bend_cycles)) return fail(ErrorCode::Nonlinear, line.bend);
  if (!(line.slope_low > 0)) {
    return fail("no-slope",
                fmt::format("the slope, {:.3g} cycles per repeat, cannot be distinguished from zero: its interval is "
                            "{:.3g} to {:.3g}",
                            line.slope, line.slope_low, line.slope_high));
  }
  return line;
}

double skew_cycles(std::int64_t warps) {
  constexpr std::int64_t schedulers = 4, ends = 2;
  const std::int64_t of_one = (warps + schedulers - 1) / schedulers;
  return warps > 1 ? static_cast<double>(ends * of_one) : 0;
}

std::optional<Steps> steps_of(const Samples& samples) {
  Steps steps;
  const std::vector<Point> points = points_of(samples, Centre::Median, steps.samples);
  const auto between = [](const Point& a, const Point& b) {
    return (b.middle - a.middle) / static_cast<double>(b.n - a.n);
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double step = between(points[i - 1], points[i]);
    if (!(step > 0) || !std::isfinite(step)) return std::nullopt;
    steps.least = i == 1 ? step : std::min(steps.least, step);
    steps.most = std::max(steps.most, step);
  }
  if (points.size() < 2) return std::nullopt;
  steps.slope = between(points.front(), points.back());
  return steps;
}

namespace {

constexpr double five_digits = 1e-3;  // of records

bool is_whole(double value) { return std::abs(value - std::round(value)) < five_digits; }

bool is_within(double value, double low, double high) {
  return value >= low - five_digits && value <= high + five_digits;
}

bool always_the_same(const Samples& samples) {
  return std::ranges::all_of(samples, [](const Series& series) {
    return std::ranges::all_of(series.cycles, [&](double one) { return one == series.cycles.front(); });
  });
}

/// The whole number of cycles that the latency is; nothing if none or several are in the interval.
std::optional<double> whole_latency(const ChainFacts& facts, double low, double high) {
  if (facts.encoded) {
    const bool fits = is_whole(*facts.encoded) && is_within(*facts.encoded, low, high);
    return fits ? std::optional(std::round(*facts.encoded)) : std::nullopt;
  }
  const double first = std::ceil(low - five_digits), last = std::floor(high + five_digits);
  return first == last && !facts.mixed ? std::optional(first) : std::nullopt;
}

}  // namespace

void state_fixed_latency(Estimate& latency, const Samples& samples, const ChainFacts& facts) {
  if (is_whole(latency.value) || !always_the_same(samples)) return;
  const auto steps = steps_of(samples);
  if (!steps) return;
  const double low = std::min(latency.low, steps->least - facts.links);
  const double high = std::max(latency.high, steps->most - facts.links);
  const auto whole = whole_latency(facts, low, high);
  if (!whole) return;
  if (!latency.note.empty()) latency.note += "; ";
  latency.note +=
      fmt::format("the line through the windows has {:.2f}, whose ends differ by a few cycles", latency.value);
  latency.value = *whole;
  latency.low = low;
  latency.high = high;
}

std::optional<std::string> encoded_mean(const Estimate& latency, const Estimate& encoded) {
  if (is_within(encoded.value, latency.low, latency.high) || is_whole(encoded.value)) return std::nullopt;
  return fmt::format(
      "{}: {:.2f} cycles are measured and {:.2f} encoded: ptxas makes the copies of several opcodes or with several "
      "stall counts, and each is a mean, the encoded one over the smallest window",
      latency.name, latency.value, encoded.value);
}

namespace {

constexpr double lanes = 32, schedulers = 4, saturated = 0.95, nearly = 0.9, straight = 0.95, level_share = 0.99,
                 same = 0.0001;
constexpr double most_results = schedulers * lanes;  ///< of a clock and SM: a scheduler issues an instruction a clock

Estimate plain(std::string name, double value, double low, double high, std::string unit, const RatePoint& from) {
  Estimate estimate;
  estimate.name = std::move(name);
  estimate.value = value;
  estimate.low = low;
  estimate.high = high;
  estimate.unit = std::move(unit);
  estimate.method = "rate";
  estimate.n = from.samples;
  estimate.note = fmt::format("{} warps x {}", from.warps, from.ilp);
  return estimate;
}

double middle(const Series& series) { return trimmed_mean(sorted_finite(series.cycles)); }

/// Among the points that did nearly the most work, the middle one of those with the highest rate. Points of one plateau
/// differ by how well they hide the overhead of a trip, and by chance, so the highest is above what the hardware does.
/// Of points with the same rate, the one with the narrowest interval: more warps make a longer window.
/// The rate of a point is here the lower of the rates of its line and its last step. The line is too flat if larger
/// windows hide more overhead, or if small windows leave work in a queue. Points above what the hardware can issue
/// count as many, but are taken only if there is no other.
const RatePoint& plateau(const std::vector<RatePoint>& grid) {
  const double most = std::ranges::max_element(grid, {}, &RatePoint::achieved)->achieved;
  const auto place = [&](const RatePoint& point) {
    const bool is_line = point.last >= straight * point.rate && point.bend.empty();
    return std::tuple(point.achieved >= nearly * most, is_line, std::min(point.last, point.rate));
  };
  const auto [worked, straight_there, highest] = place(*std::ranges::max_element(grid, {}, place));
  std::vector<const RatePoint*> level, possible;
  for (const RatePoint& point : grid) {
    const auto [works, is_straight, rate] = place(point);
    if (works != worked || is_straight != straight_there || rate < level_share * std::min(highest, most_results))
      continue;
    level.push_back(&point);
    if (point.rate <= most_results) possible.push_back(&point);
  }
  std::vector<const RatePoint*>& taken = possible.empty() ? level : possible;
  std::ranges::stable_sort(taken, {}, &RatePoint::rate);
  const double middle_rate = taken[(taken.size() - 1) / 2]->rate;
  std::erase_if(taken,
                [&](const RatePoint* point) { return std::abs(point->rate - middle_rate) > same * middle_rate; });
  return **std::ranges::min_element(taken, {}, [](const RatePoint* point) { return point->high - point->low; });
}

Error impossible(const Estimate& estimate, std::string_view limit) {
  return {"premise-broken",
          fmt::format("{} is {}; was {:.5g} ({:.5g} to {:.5g})", estimate.name, limit, estimate.value, estimate.low,
                      estimate.high),
          {}};
}

/// Cycles between two warp instructions at a rate of thread results.
Estimate cycles_between(std::string name, double results, const Estimate& rate, const RatePoint& from) {
  return plain(std::move(name), results / rate.value, results / rate.high, results / rate.low, "cycles", from);
}

}  // namespace

Expected<RatePoint> rate_point(int warps, int ilp, int trips, const Samples& samples) {
  const auto line = WARPCLOCK_TRY(fit_line(samples, Centre::TrimmedMean));
  const double results = lanes * warps * ilp * trips;
  const Series &largest = samples.back(), &before = samples[samples.size() - 2];
  const auto repeats = static_cast<double>(largest.n - before.n);
  const double last = (middle(largest) - middle(before)) / repeats;
  const double skew = skew_cycles(warps);
  const double slowest = std::max(line.slope_high + skew / line.span, last + skew / repeats);
  const double fastest = std::min(line.slope_low - skew / line.span, last - skew / repeats);
  return RatePoint{.warps = warps,
                   .ilp = ilp,
                   .rate = results / line.slope,
                   .low = results / slowest,
                   .high = results / (fastest > 0 ? fastest : line.slope_low),
                   .last = last > 0 ? results / last : 0,
                   .achieved = results * static_cast<double>(largest.n) / middle(largest),
                   .samples = line.samples,
                   .bend = line.bend};
}

Expected<std::vector<Estimate>> rates(const std::vector<RatePoint>& grid) {
  std::vector<Estimate> estimates;
  if (grid.empty()) return estimates;
  const RatePoint& best = plateau(grid);
  Estimate throughput = plain("throughput", best.rate, best.low, best.high, "1/clk/SM", best);
  if (!keep_possible(throughput, {.most = most_results})) {
    return std::unexpected(impossible(throughput, "at most 128: a warp instruction a clock and scheduler"));
  }
  estimates.push_back(throughput);
  estimates.push_back(cycles_between("interval", most_results, throughput, best));
  const RatePoint* first = nullptr;
  const RatePoint* single = nullptr;
  for (const RatePoint& point : grid) {
    const bool is_there = point.rate >= saturated * throughput.value && (point.bend.empty() || &point == &best);
    if (is_there && (!first || point.warps * point.ilp < first->warps * first->ilp)) first = &point;
    if (point.warps == 1 && point.ilp > 1 && (!single || point.rate > single->rate)) single = &point;
  }
  const double enough = first->warps * first->ilp;
  estimates.push_back(plain("saturation", enough, enough, enough, "", *first));
  if (single) {
    Estimate alone = plain("issue", single->rate, single->low, single->high, "1/clk/SM", *single);
    if (!keep_possible(alone, {.most = lanes})) {
      return std::unexpected(impossible(alone, "at most 32: an instruction of a warp a clock"));
    }
    estimates.push_back(cycles_between("issue", lanes, alone, *single));
  }
  return estimates;
}

Expected<Estimate> chain_latency(const std::string& name, const Samples& samples,
                                 const std::vector<std::pair<std::string, double>>& via) {
  const auto line = WARPCLOCK_TRY(fit_line(samples, Centre::TrimmedMean));
  double links = 0;
  std::string note;
  for (const auto& [opcode, cycles] : via) {
    links += cycles;
    note += fmt::format("{}{} ({:g} cycles, encoded)", note.empty() ? "via " : ", ", opcode, cycles);
  }
  Estimate estimate;
  estimate.name = name;
  estimate.value = line.slope - links;
  estimate.low = line.slope_low - links;
  estimate.high = line.slope_high - links;
  estimate.unit = "cycles";
  estimate.method = "slope";
  estimate.n = line.samples;
  if (!line.bend.empty()) note += (note.empty() ? "" : "; ") + line.bend;
  estimate.note = std::move(note);
  return estimate;
}

}  // namespace warpclock
