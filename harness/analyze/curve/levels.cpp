#include "analyze/curve/levels.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <span>

#include "gpu/job/statistics.hpp"

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

namespace {

/// The segment of a range of points, with its line.
Segment flat_segment(const std::vector<LogPoint>& points, std::size_t first, std::size_t last, double usual,
                     const SegmentOptions& options) {
  const auto segment = std::span(points).subspan(first, last - first + 1);
  std::vector<double> off;
  for (std::size_t i = first + 1; i < last; ++i) off.push_back(points[i].off);
  std::ranges::sort(off);
  return {first, last, trend(segment, scatter_of(off, usual, options.resolution), options.steepest)};
}

constexpr double wrong_shape = 0.05;
constexpr int parts_of_cell = 16;

struct View {
  const std::vector<LogPoint>& points;
  const Partition& partition;
  const Segment& flat;
  const Segment* next;
  std::size_t end;  ///< one past the last point to use
};

std::size_t end_of_view(const std::vector<LogPoint>& points, const Segment& flat, const Segment* next) {
  const std::size_t gap_end = next ? next->first : points.size();
  const auto within = [&](double octaves, std::size_t end) {
    std::size_t i = flat.last + 1;
    while (i < end && points[i].x - points[flat.last].x <= octaves) ++i;
    return i;
  };
  // Under noise a gentle ramp may be divided between two segments. If the points in between were not measured, only
  // the next segment shows the ramp.
  if (next && gap_end < flat.last + 3) {
    return std::max({gap_end, within(1, next->last + 1), std::min(flat.last + 3, next->last + 1)});
  }
  return std::max(within(2, gap_end), std::min(gap_end, flat.last + 5));
}

/// The costs of the points up to and including `i`, and from `i` on.
struct CliffCosts {
  std::vector<double> up_to, from;
};

CliffCosts cliff_costs(const View& view) {
  const std::size_t first = view.flat.first, count = view.end - first;
  CliffCosts costs{std::vector<double>(count), std::vector<double>(count + 1)};
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    costs.up_to[i] = sum += std::min(view.flat.line.cost(view.points[first + i]), view.partition.astray);
  }
  for (std::size_t i = count; i-- > 0;) {
    const double on_next = view.next ? view.next->line.cost(view.points[first + i]) : view.partition.loose;
    costs.from[i] = costs.from[i + 1] + std::min(on_next, view.partition.loose);
  }
  return costs;
}

/// Cost of all points for a knee at `onset`, with its best height and slope.
double knee_cost(const View& view, double onset) {
  const Trend& line = view.flat.line;
  const auto miss = [&](const LogPoint& p) { return p.x > onset ? 1 - std::exp2(onset - p.x) : 0; };
  const auto sigma = [&](const LogPoint& p, double relative) {
    return std::hypot(line.noise_of(p), wrong_shape * (1 - 1 / relative));
  };
  // value / level = height + rise * miss, by least squares.
  double s00 = 0, s01 = 0, s11 = 0, t0 = 0, t1 = 0;
  for (std::size_t i = view.flat.first; i < view.end; ++i) {
    const LogPoint& p = view.points[i];
    const double off = p.y - line.at(p.x), relative = std::exp(off), m = miss(p);
    if (m == 0 && std::abs(off) > 3 * line.noise_of(p)) continue;
    const double w = std::pow(relative * sigma(p, m == 0 ? 1 : relative), -2);
    s00 += w;
    s01 += w * m;
    s11 += w * m * m;
    t0 += w * relative;
    t1 += w * m * relative;
  }
  const double determinant = s00 * s11 - s01 * s01;
  if (!(determinant > 0)) return std::numeric_limits<double>::infinity();
  const double height = (t0 * s11 - t1 * s01) / determinant, rise = (s00 * t1 - s01 * t0) / determinant;

  double cost = std::log(static_cast<double>(view.points.size()));  // the rise is one more parameter than a cliff has
  for (std::size_t i = view.flat.first; i < view.end; ++i) {
    const LogPoint& p = view.points[i];
    const double expected = height + rise * miss(p);
    if (!(expected > 0)) return std::numeric_limits<double>::infinity();
    const double s = sigma(p, expected), z = (p.y - line.at(p.x) - std::log(expected)) / s;
    cost += std::min(std::log(s * std::sqrt(2 * std::numbers::pi)) + z * z / 2, view.partition.astray);
  }
  return cost;
}

/// The probability of each part of each cell between two neighbours. They add up to 1.
std::vector<double> posterior(const View& view) {
  const std::size_t first = view.flat.first, cells = view.end - first - 1;
  const CliffCosts cliffs = cliff_costs(view);
  std::vector<double> costs;
  costs.reserve(cells * parts_of_cell);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const double from = view.points[first + cell].x, to = view.points[first + cell + 1].x;
    const double width = std::log((to - from) / parts_of_cell);
    const double cliff = cliffs.up_to[cell] + cliffs.from[cell + 1];
    for (int part = 0; part < parts_of_cell; ++part) {
      double cost = cliff;
      // Any slope fits a single point after the knee.
      if (cell + 2 < cells + 1) {
        const double knee = knee_cost(view, std::lerp(from, to, (part + 0.5) / parts_of_cell));
        cost = std::min(cliff, knee) - std::log1p(std::exp(-std::abs(cliff - knee)));
      }
      costs.push_back(cost - width);
    }
  }
  const double least = *std::ranges::min_element(costs);
  for (double& c : costs) c = std::exp(least - c);
  const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
  for (double& c : costs) c /= sum;
  return costs;
}

/// The posterior of the onset, which may be anywhere between two points. The prior is uniform in octaves. The
/// likelihood of each place is that of the points around it under two models with equal weight:
/// - Cliff: the points up to the onset lie on the flat segment; those after it lie on the next one or anywhere. This
///   model does not determine where between two points the edge is.
/// - Knee: the points after the onset leave the level as the misses of a random replacement do, level + s (1 - onset /
///   at), for up to two octaves or up to the next segment, with 5 % of the rise allowed for a wrong shape.
///
/// The bracket is the cell of the median, extended by neighbours, the more likely first, until it has the probability
/// `wanted`. `next` is null if the curve ends before it is flat again.
Onset find_onset(const std::vector<LogPoint>& points, const Partition& partition, const Segment& flat,
                 const Segment* next, double wanted) {
  const View view{points, partition, flat, next, end_of_view(points, flat, next)};
  const std::vector<double> masses = posterior(view);
  std::vector<double> cells(masses.size() / parts_of_cell);
  for (std::size_t i = 0; i < masses.size(); ++i) cells[i / parts_of_cell] += masses[i];

  std::size_t part = 0;
  double below = 0;
  while (part + 1 < masses.size() && below + masses[part] < 0.5) below += masses[part++];
  const std::size_t cell = part / parts_of_cell;
  const double inside = static_cast<double>(part % parts_of_cell) + (0.5 - below) / masses[part];
  Onset found;
  found.best =
      std::lerp(points[flat.first + cell].x, points[flat.first + cell + 1].x, std::min(inside / parts_of_cell, 1.0));

  std::size_t low = cell, high = cell;
  found.confidence = cells[cell];
  while (found.confidence < wanted && high - low + 1 < cells.size()) {
    const double left = low > 0 ? cells[low - 1] : -1, right = high + 1 < cells.size() ? cells[high + 1] : -1;
    found.confidence += left > right ? cells[--low] : cells[++high];
  }
  found.low = flat.first + low;
  found.high = flat.first + high + 1;
  return found;
}

bool apart(double a, double b, const LevelOptions& options) {
  return std::abs(a - b) >= std::log1p(options.least_step);
}

/// Whether two neighbours form one level with at most two bad points between them.
bool same_level(const std::vector<LogPoint>& points, const Segment& a, const Segment& b, const LevelOptions& options) {
  if (apart(a.line.at(points[a.last].x), b.line.at(points[b.first].x), options)) return false;
  const auto between = std::span(points).subspan(a.last + 1, b.first - a.last - 1);
  return std::ranges::count_if(between, [&](const LogPoint& p) {
           return apart(p.y, a.line.at(p.x), options) && apart(p.y, b.line.at(p.x), options);
         }) <= 2;
}

void merge(std::vector<Segment>& flats, const std::vector<LogPoint>& points, double usual,
           const LevelOptions& options) {
  for (std::size_t i = 1; i < flats.size();) {
    Segment& a = flats[i - 1];
    if (!same_level(points, a, flats[i], options)) {
      ++i;
      continue;
    }
    a = flat_segment(points, a.first, flats[i].last, usual, options.segment);
    flats.erase(flats.begin() + static_cast<std::ptrdiff_t>(i));
    i = std::max<std::size_t>(i - 1, 1);
  }
}

/// A point at an end that lies off the level does not count as part of it, however uncertain the point is.
void trim(Segment& flat, const std::vector<LogPoint>& points, const LevelOptions& options) {
  const auto off = [&](std::size_t i) { return apart(points[i].y, flat.line.at(points[i].x), options); };
  while (flat.last > flat.first && off(flat.last)) --flat.last;
  while (flat.first < flat.last && off(flat.first)) ++flat.first;
}

/// A single bad point at the end of a curve does not make a boundary.
bool left_at_the_end(const std::vector<LogPoint>& points, const Segment& flat, const LevelOptions& options) {
  const auto rest = std::span(points).subspan(flat.last + 1);
  if (rest.size() < 2) return false;
  const double least = std::max(std::log1p(options.least_step), 4 * flat.line.noise);
  const auto above = [&](const LogPoint& p) { return p.y - flat.line.at(p.x) >= least; };
  const auto below = [&](const LogPoint& p) { return flat.line.at(p.x) - p.y >= least; };
  return std::ranges::all_of(rest.last(2), above) || std::ranges::all_of(rest.last(2), below);
}

Level level_of(const Curve& curve, const std::vector<LogPoint>& points, const Segment& flat, double astray) {
  Level level{points[flat.first].from, points[flat.last].from};
  level.slope = flat.line.slope;
  std::vector<double> values;
  for (std::size_t i = flat.first; i <= flat.last; ++i) {
    if (flat.line.cost(points[i]) > astray) {
      level.outliers.push_back(points[i].from);
    } else {
      values.push_back(curve.points[points[i].from].value);
    }
  }
  values = sorted_finite(std::move(values));
  level.value = median(values);
  const Interval interval = median_interval(values);
  level.low = interval.low;
  level.high = interval.high;
  for (const double v : values) level.residual = std::max(level.residual, std::abs(v - level.value) / level.value);
  return level;
}

}  // namespace

Levels find_levels(const Curve& curve, const LevelOptions& options) {
  const std::vector<LogPoint> points = log_points(curve);
  const Partition parts = partition(points, options.segment);
  std::vector<Segment> flats = parts.flats;
  merge(flats, points, parts.usual, options);
  for (Segment& flat : flats) trim(flat, points, options);

  Levels found;
  for (std::size_t i = 0; i < flats.size(); ++i) {
    const Segment* next = i + 1 < flats.size() ? &flats[i + 1] : nullptr;
    Segment flat = flats[i];
    if (next || left_at_the_end(points, flat, options)) {
      const Onset onset = find_onset(points, parts, flat, next, options.confidence);
      const std::size_t low = std::min(onset.low, flat.last);  // the onset may lie before points that were trimmed
      found.boundaries.push_back({curve.points[points[low].from].at, curve.points[points[onset.high].from].at,
                                  std::exp2(onset.best), onset.confidence});
      // Points beyond the onset are on a ramp, however little they rise. Points inside the bracket are on it only if
      // their rise is visible.
      const auto beyond = [&](std::size_t point) {
        return points[point].x > onset.best ||
               (point >= low &&
                std::abs(points[point].y - flat.line.at(points[point].x)) > std::log1p(options.least_rise));
      };
      while (flat.last > flat.first && beyond(flat.last)) --flat.last;
    }
    found.levels.push_back(level_of(curve, points, flat, parts.astray));
  }
  return found;
}

std::vector<double> refine(const Levels& levels, const Curve& curve, const RefineOptions& options) {
  std::set<double> known, wanted;
  for (const CurvePoint& p : curve.points) known.insert(p.at);
  for (const Boundary& b : levels.boundaries) {
    const double octaves = std::log2(b.high / b.low), narrow = std::log2(1 + options.tolerance);
    const double parts = std::min(std::ceil(octaves / narrow), static_cast<double>(options.most) + 1);
    for (int i = 1; i < parts; ++i) {
      const double at = b.low * std::exp2(octaves * i / parts);
      const double rounded = options.multiple > 0 ? std::round(at / options.multiple) * options.multiple : at;
      if (rounded > b.low && rounded < b.high && !known.contains(rounded)) wanted.insert(rounded);
    }
  }
  return {wanted.begin(), wanted.end()};
}

namespace {

constexpr double least_scatter = 0.001;
constexpr double top_share = 0.02;
constexpr double flat_per_octave = 0.01;

/// The highest value that two neighbours both reach.
double top_of(const std::vector<LogPoint>& points) {
  double top = std::min(points[0].y, points[1].y);
  for (std::size_t i = 1; i < points.size(); ++i) top = std::max(top, std::min(points[i - 1].y, points[i].y));
  return top;
}

bool rises_at_the_end(const std::vector<LogPoint>& points, double noise) {
  std::size_t first = points.size() - 2;
  while (first > 0 && points.back().x - points[first - 1].x <= 1) --first;
  const auto end = std::span(points).subspan(first);
  const Trend line = trend(end, noise);
  double squares = 0;
  for (const LogPoint& p : end) squares += (p.x - line.middle) * (p.x - line.middle);
  return line.slope - 3 * noise / std::sqrt(squares) > flat_per_octave;
}

/// A point of a rising fit, and the standard deviation of the mean that it represents.
struct Fitted {
  double y = 0, doubt = 0;
};

std::vector<Fitted> rising_fit(const std::vector<LogPoint>& points, std::size_t count, double noise) {
  struct Block {
    double sum, doubt;
    std::size_t size;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back({points[i].y, std::max(noise, points[i].doubt), 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back() = {blocks.back().sum + last.sum, std::max(blocks.back().doubt, last.doubt),
                       blocks.back().size + last.size};
    }
  }
  std::vector<Fitted> fit;
  for (const Block& b : blocks) fit.insert(fit.end(), b.size, {b.mean(), b.doubt / std::sqrt(double(b.size))});
  return fit;
}

/// Index of the first point whose fit, raised by `deviations` standard deviations, reaches `y`; the last one if none
/// does.
std::size_t first_at(const std::vector<Fitted>& fit, double y, double deviations) {
  for (std::size_t i = 0; i < fit.size(); ++i) {
    if (fit[i].y + deviations * fit[i].doubt >= y) return i;
  }
  return fit.size() - 1;
}

Reach reach(const Curve& curve, const std::vector<LogPoint>& points, const std::vector<Fitted>& fit, double y) {
  const auto at = [&](std::size_t i) { return curve.points[points[i].from].at; };
  const std::size_t early = first_at(fit, y, 1.96), middle = first_at(fit, y, 0), late = first_at(fit, y, -1.96);
  Reach out{at(middle), early > 0 ? at(early - 1) : 0, at(late)};
  if (middle > 0) {
    const double below = std::exp(fit[middle - 1].y), above = std::exp(fit[middle].y);
    out.best = std::lerp(at(middle - 1), at(middle), std::clamp((std::exp(y) - below) / (above - below), 0.0, 1.0));
  }
  return out;
}

}  // namespace

std::optional<Saturation> find_saturation(const Curve& curve) {
  const std::vector<LogPoint> points = log_points(curve);
  if (points.size() < 3) return std::nullopt;
  // A short curve is mostly ramp, so its scatter would be that of the ramp.
  const double noise = points.size() < 10 ? least_scatter : std::min(scatter(points, least_scatter), top_share);
  const double least = top_of(points) - std::max(-std::log1p(-top_share), 3 * noise);

  std::vector<double> top;
  std::size_t last = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool lonely = (i == 0 || points[i - 1].y < least) && (i + 1 == points.size() || points[i + 1].y < least);
    if (points[i].y < least || lonely) continue;
    top.push_back(curve.points[points[i].from].value);
    last = i;
  }
  Saturation found;
  top = sorted_finite(std::move(top));
  found.points = top.size();
  found.rising = rises_at_the_end(points, noise);
  if (top.empty()) {
    found.plateau = found.low = found.high = std::ranges::max(curve.points, {}, &CurvePoint::value).value;
    return found;
  }
  found.plateau = median(top);
  const Interval interval = median_interval(top);
  found.low = interval.low;
  found.high = interval.high;
  if (!found.saturated()) return found;
  const std::vector<Fitted> fit = rising_fit(points, last + 1, noise);
  found.at90 = reach(curve, points, fit, std::log(0.90 * found.plateau));
  found.at99 = reach(curve, points, fit, std::log(0.99 * found.plateau));
  return found;
}

std::optional<Plateau> plateau(const std::vector<PlateauPoint>& curve) {
  std::vector<PlateauPoint> points;
  for (const PlateauPoint& p : curve) {
    if (std::isfinite(p.x) && std::isfinite(p.y)) points.push_back(p);
  }
  if (points.empty()) return std::nullopt;
  const double highest = std::ranges::max(points, {}, &PlateauPoint::y).y;
  if (!(highest > 0)) return std::nullopt;

  std::vector<double> level;
  for (const PlateauPoint& p : points) {
    if (p.y >= plateau_share * highest) level.push_back(p.y);
  }
  Plateau found;
  found.points = level.size();
  found.level = median(sorted_finite(std::move(level)));
  found.reached_at = std::ranges::max(points, {}, &PlateauPoint::y).x;
  for (const PlateauPoint& p : points) {
    if (p.y >= plateau_share * found.level) found.reached_at = std::min(found.reached_at, p.x);
  }
  return found;
}

}  // namespace warpclock
