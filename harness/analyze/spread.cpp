#include "analyze/spread.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "base/lookup.hpp"
#include "gpu/job/statistics.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_classes = 5;
constexpr double outlier_deviations = 6;
constexpr double least_noise_share = 0.0005;  // of the median: lower noise is not believed
constexpr double most_in_valley = 0.15;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Valued {
  double value;
  std::size_t index;
};

/// The end (one past the last) of each class of ascending values.
using Ends = std::vector<std::size_t>;

/// Sum of squared deviations from the mean of the values [first, end), in constant time.
class Squares {
 public:
  explicit Squares(std::span<const Valued> values) : sums_(values.size() + 1), squares_(values.size() + 1) {
    // The middle value is subtracted so that the squares do not cancel.
    const double middle = values[values.size() / 2].value;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double v = values[i].value - middle;
      sums_[i + 1] = sums_[i] + v;
      squares_[i + 1] = squares_[i] + v * v;
    }
  }
  [[nodiscard]] double of(std::size_t first, std::size_t end) const {
    const double sum = sums_[end] - sums_[first];
    return std::max(0.0, squares_[end] - squares_[first] - sum * sum / static_cast<double>(end - first));
  }

 private:
  std::vector<double> sums_, squares_;
};

/// The best cut into one class, two classes and so on; fewer cuts if there are too few values.
std::vector<Ends> cuts_of(std::span<const Valued> values, const Squares& squares) {
  const std::size_t count = values.size();
  const std::size_t least = std::max<std::size_t>(3, (count + 19) / 20);
  std::vector<Ends> cuts{{count}};
  std::vector<double> before(count + 1, infinity);
  for (std::size_t end = 1; end <= count; ++end) before[end] = end >= least ? squares.of(0, end) : infinity;
  std::vector<std::vector<std::size_t>> from;  // [class, from the second on][end]
  for (std::size_t classes = 2; classes <= most_classes && classes * least <= count; ++classes) {
    std::vector<double> now(count + 1, infinity);
    from.emplace_back(count + 1);
    for (std::size_t end = classes * least; end <= count; ++end) {
      for (std::size_t first = (classes - 1) * least; first + least <= end; ++first) {
        const double sum = before[first] + squares.of(first, end);
        if (sum < now[end]) {
          now[end] = sum;
          from.back()[end] = first;
        }
      }
    }
    Ends ends{count};
    for (std::size_t k = from.size(); k-- > 0;) ends.push_back(from[k][ends.back()]);
    std::ranges::reverse(ends);
    cuts.push_back(std::move(ends));
    before = std::move(now);
  }
  return cuts;
}

double cost_of(const Ends& ends, const Squares& squares, double least_noise) {
  const double count = static_cast<double>(ends.back());
  double inside = 0, separate = 0;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    const double size = static_cast<double>(end - first);
    inside += squares.of(first, end);
    separate -= size * std::log(size / count);
    first = end;
  }
  const double variance = std::max(inside / count, least_noise * least_noise);
  return count / 2 * std::log(variance) + inside / (2 * variance) + separate +
         static_cast<double>(ends.size()) * std::log(count);
}

std::vector<double> values_of(std::span<const Valued> values) { return mapped(values, &Valued::value); }

/// Whether few values lie in the middle third between the medians of neighbouring classes. If a uniform or an
/// exponential distribution is cut in two, a third of the values between the medians lies there.
bool has_valleys(std::span<const Valued> values, const Ends& ends) {
  std::size_t first = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const double left = median(values_of(values.subspan(first, ends[k] - first)));
    const double right = median(values_of(values.subspan(ends[k], ends[k + 1] - ends[k])));
    const auto within = [&](double from, double to) {
      return static_cast<double>(std::ranges::count_if(values, [&](const Valued& v) {
        return v.value >= std::lerp(left, right, from) && v.value <= std::lerp(left, right, to);
      }));
    };
    if (within(1.0 / 3, 2.0 / 3) > most_in_valley * within(0, 1)) return false;
    first = ends[k];
  }
  return true;
}

/// The classes of the values that are kept, which must ascend.
Spread classes_of(std::span<const Valued> values, double least_noise) {
  const Squares squares(values);
  const std::vector<Ends> cuts = cuts_of(values, squares);
  std::vector<double> costs;
  for (const Ends& ends : cuts) {
    costs.push_back(has_valleys(values, ends) ? cost_of(ends, squares, least_noise) : infinity);
  }
  const auto best = std::ranges::min_element(costs);
  double sum = 0;
  for (const double cost : costs) sum += std::exp(*best - cost);

  Spread found;
  found.confidence = 1 / sum;
  std::vector<double> off;
  std::size_t first = 0;
  for (const std::size_t end : cuts[static_cast<std::size_t>(best - costs.begin())]) {
    const auto own = values.subspan(first, end - first);
    const std::vector<double> ascending = values_of(own);
    const Interval interval = median_interval(ascending);
    ValueClass& made = found.classes.emplace_back();
    made.value = median(ascending);
    std::tie(made.low, made.high) = std::pair(interval.low, interval.high);
    std::tie(made.least, made.most) = std::pair(ascending.front(), ascending.back());
    for (const Valued& v : own) {
      made.of.push_back(v.index);
      off.push_back(std::abs(v.value - made.value));
    }
    std::ranges::sort(made.of);
    first = end;
  }
  found.noise = std::max(least_noise, 1.4826 * median(sorted_finite(std::move(off))));
  return found;
}

double z_of(double value, const Spread& spread) {
  double z = infinity;
  for (const ValueClass& c : spread.classes) {
    const double own = (value - c.value) / spread.noise;
    if (std::abs(own) < std::abs(z)) z = own;
  }
  return z;
}

}  // namespace

Spread find_spread(const std::vector<double>& values) {
  std::vector<Valued> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) all.push_back({values[i], i});
  }
  if (all.empty()) return {};
  std::ranges::stable_sort(all, {}, &Valued::value);
  const double middle = std::abs(median(values_of(all)));
  const double least_noise = std::max(least_noise_share * middle, std::numeric_limits<double>::min());

  // Outliers that are left out may have hidden a class, and a new class may take an outlier back.
  Spread found;
  std::vector<Valued> kept = all;
  for (int pass = 0; pass < 5; ++pass) {
    found = classes_of(kept, least_noise);
    std::vector<Valued> next;
    std::ranges::copy_if(all, std::back_inserter(next),
                         [&](const Valued& v) { return std::abs(z_of(v.value, found)) <= outlier_deviations; });
    if (next.size() == kept.size() || next.empty()) break;
    kept = std::move(next);
  }
  for (ValueClass& c : found.classes) c.share = static_cast<double>(c.of.size()) / static_cast<double>(all.size());
  std::vector<bool> in_class(values.size());
  for (const ValueClass& c : found.classes) {
    for (const std::size_t i : c.of) in_class[i] = true;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]) && !in_class[i]) found.outliers.push_back({i, z_of(values[i], found)});
  }
  return found;
}

}  // namespace warpclock
