#include "analyze/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace warpclock {
namespace {

constexpr double most_longer = 0.2;
constexpr double pj_per_joule = 1e12;

double mean_of(const std::vector<double>& rounds) {
  return std::accumulate(rounds.begin(), rounds.end(), 0.0) / static_cast<double>(rounds.size());
}

/// The series with the smallest repeat count, if the power of each round of each series is known.
Expected<const Series*> smallest_of(const Measure& measure, const Samples& samples) {
  const auto counted = [](const Series& series) {
    return !series.watts.empty() && series.watts.size() == series.window_s.size() && series.blocks > 0;
  };
  if (samples.empty() || !std::ranges::all_of(samples, counted))
    return fail("no-value", measure.name + ": the device does not count the energy of the board, or not often enough");
  return &*std::ranges::min_element(samples, {}, &Series::n);
}

}  // namespace

Expected<Samples> energy_samples(const Measure& measure, const Samples& samples) {
  const Series& rest = *WARPCLOCK_TRY(smallest_of(measure, samples));
  const double rest_w = mean_of(rest.watts), rest_s = mean_of(rest.window_s);
  Samples energies;
  for (const Series& series : samples) {
    const double longer = mean_of(series.window_s) / rest_s - 1;
    if (longer > most_longer || longer < -most_longer) {
      return fail("no-value", fmt::format("{}: windows of repeat count {} are {:.0f} % longer than those of {}",
                                          measure.name, series.n, 100 * longer, rest.n));
    }
    Series& energy = energies.emplace_back(Series{.n = series.n});
    for (std::size_t i = 0; i < series.watts.size(); ++i) {
      const double joules = series.watts[i] * series.window_s[i] - rest_w * (series.window_s[i] - rest_s);
      energy.cycles.push_back(pj_per_joule * joules / static_cast<double>(series.blocks));
    }
  }
  return energies;
}

Expected<Estimate> power_of_board(const Measure& measure, const Samples& samples) {
  const Series& rest = *WARPCLOCK_TRY(smallest_of(measure, samples));
  const auto [low, high] = std::ranges::minmax(rest.watts);
  Estimate estimate = named_after(measure);
  estimate.value = mean_of(rest.watts);
  estimate.low = low, estimate.high = high;
  estimate.n = std::ssize(rest.watts);
  return estimate;
}

}  // namespace warpclock
