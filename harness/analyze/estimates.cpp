#include "analyze/estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

#include "analyze/fit.hpp"
#include "base/lookup.hpp"
#include "gpu/job/statistics.hpp"

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

std::string Cause::words() const {
  return reach > 0 ? fmt::format("{}, the interval reaches {:.2g} %", text, 100 * reach) : text;
}

void round_to(double& value, int digits) {
  if (!std::isfinite(value)) return;
  const std::string text = fmt::format("{:.{}g}", value, digits);
  std::from_chars(text.data(), text.data() + text.size(), value);
}

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

Estimate named_after(const Measure& measure) {
  Estimate estimate;
  estimate.name = measure.name;
  estimate.unit = measure.unit;
  estimate.method = word(measure.method);
  estimate.note = measure.note;
  return estimate;
}

namespace {

/// A value that was read rather than fitted. Its interval is the value itself.
Estimate constant(Estimate estimate, double value) {
  estimate.value = estimate.low = estimate.high = value;
  estimate.n = 1;
  return estimate;
}

std::optional<double> value_of(const std::map<std::string, double>& values, const std::string& name) {
  const double* found = value_at(values, name);
  return found != nullptr && std::isfinite(*found) ? std::optional(*found) : std::nullopt;
}

/// The ascending samples at the largest repeat count that has any.
struct Largest {
  std::int64_t n = -1;
  std::vector<double> ascending;
};

Expected<Largest> largest_of(const Measure& measure, const Samples& samples, std::vector<double> Series::*of_launches) {
  Largest found;
  for (const Series& series : samples) {
    std::vector<double> values = sorted_finite(series.*of_launches);
    if (!values.empty() && series.n > found.n) found = {series.n, std::move(values)};
  }
  if (found.ascending.empty()) return fail("no-samples", measure.name + ": no launch gave a sample");
  return found;
}

/// The median of `cycles` or `longest`.
Expected<Estimate> at_the_largest(const Measure& measure, const Samples& samples,
                                  std::vector<double> Series::*of_launches) {
  const auto [largest, ascending] = WARPCLOCK_TRY(largest_of(measure, samples, of_launches));
  const double work = static_cast<double>(measure.work);
  const Interval interval = median_interval(ascending);
  Estimate estimate = named_after(measure);
  estimate.n = std::ssize(ascending);
  if (measure.method == Method::Slowest) {
    const double all = work * static_cast<double>(largest);
    estimate.value = all / median(ascending);
    estimate.low = all / interval.high;
    estimate.high = all / interval.low;
  } else {
    estimate.value = median(ascending) / work;
    estimate.low = interval.low / work;
    estimate.high = interval.high / work;
  }
  return estimate;
}

/// Of so many draws, the i-th of m values is the highest with probability (i^draws - (i - 1)^draws) / m^draws.
double mean_of_highest(const std::vector<double>& ascending, double draws) {
  double mean = 0, before = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const double until = std::pow(static_cast<double>(i + 1) / static_cast<double>(ascending.size()), draws);
    mean += ascending[i] * (until - before);
    before = until;
  }
  return mean;
}

/// Two standard errors, from what the value is without each group of values.
double highest_error(const std::vector<double>& ascending, double draws) {
  constexpr std::size_t groups = 10;
  if (ascending.size() < 2 * groups) return ascending.back() - ascending.front();
  std::array<double, groups> without{};
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<double> left;
    for (std::size_t i = 0; i < ascending.size(); ++i)
      if (i % groups != group) left.push_back(ascending[i]);
    without[group] = mean_of_highest(left, draws);
  }
  const double mean = std::accumulate(without.begin(), without.end(), 0.0) / groups;
  double squares = 0;
  for (const double one : without) squares += (one - mean) * (one - mean);
  return 2 * std::sqrt(squares * (groups - 1) / groups);
}

Expected<Estimate> last_of(const Measure& measure, const Samples& samples) {
  const auto [largest, ascending] = WARPCLOCK_TRY(largest_of(measure, samples, &Series::cycles));
  const auto draws = static_cast<double>(measure.work);
  Estimate estimate = named_after(measure);
  estimate.n = std::ssize(ascending);
  estimate.value = mean_of_highest(ascending, draws);
  const double error = highest_error(ascending, draws);
  estimate.low = estimate.value - error, estimate.high = estimate.value + error;
  return estimate;
}

Estimate from_slope(const Measure& measure, const Line& line) {
  const double work = static_cast<double>(measure.work);
  Estimate estimate = named_after(measure);
  estimate.n = line.samples;
  if (measure.method == Method::Rate) {
    estimate.value = work / line.slope;
    const double skew = line.span > 0 ? skew_cycles(measure.warps) / line.span : 0;
    estimate.low = work / (line.slope_high + skew);
    estimate.high = work / (line.slope_low > skew ? line.slope_low - skew : line.slope_low);
  } else {
    estimate.value = line.slope / work;
    estimate.low = line.slope_low / work;
    estimate.high = line.slope_high / work;
  }
  return estimate;
}

/// The interval is that of the line, also where it is bent.
Expected<Estimate> energy_of_work(const Measure& measure, const Samples& samples) {
  const Samples energies = WARPCLOCK_TRY(energy_samples(measure, samples));
  const Line line = WARPCLOCK_TRY(fit_line(energies));
  return from_slope(measure, line);
}

Expected<Estimate> from_launches(const Measure& measure, const Samples& samples) {
  switch (measure.method) {
    case Method::Last:
      return last_of(measure, samples);
    case Method::Energy:
      return energy_of_work(measure, samples);
    case Method::Power:
      return power_of_board(measure, samples);
    default:
      return at_the_largest(measure, samples, measure.method == Method::Slowest ? &Series::longest : &Series::cycles);
  }
}

/// The range over which a measure varies from step to step. `line` may be no line if the measure says why.
bool add_unsteady(Analysis& analysis, const Measure& measure, const Evidence& evidence, const Expected<Line>& line) {
  const auto steps = steps_of(evidence.samples);
  const bool expected = !measure.unsteady.empty();
  if (!line && (!expected || line.error().code != ErrorCode::Nonlinear || !steps)) return false;
  Line range = line.value_or(Line{});
  if (steps && (expected || !line)) {
    range.slope = steps->slope;
    range.slope_low = steps->least;
    range.slope_high = steps->most;
    range.samples = steps->samples;
    range.span = 0;
  } else if (steps) {
    range.slope_low = std::min(range.slope_low, steps->least);
    range.slope_high = std::max(range.slope_high, steps->most);
  }
  const Estimate& added = analysis.estimates.emplace_back(from_slope(measure, range));
  analysis.unsteady = fmt::format("{} is from {:.4g} to {:.4g} {}, by how often the window repeats: {}", added.name,
                                  added.low, added.high, added.unit, expected ? measure.unsteady : line->bend);
  return true;
}

Estimate overhead(const Measure& measure, const Line& line) {
  return {measure.name + ".overhead",
          line.intercept,
          line.intercept_low,
          line.intercept_high,
          "cycles",
          "intercept",
          line.samples,
          ""};
}

void add(Analysis& analysis, const Measure& measure, const Evidence& evidence, const Expected<Line>& line) {
  switch (measure.method) {
    case Method::Slope:
    case Method::Rate:
      if (!line || !line->bend.empty()) {
        if (!add_unsteady(analysis, measure, evidence, line)) analysis.problems.push_back(line.error());
        return;
      }
      analysis.estimates.push_back(from_slope(measure, *line));
      if (measure.method == Method::Slope) analysis.estimates.push_back(overhead(measure, *line));
      return;
    case Method::Elapsed:
    case Method::Slowest:
    case Method::Last:
    case Method::Energy:
    case Method::Power: {
      auto estimate = from_launches(measure, evidence.samples);
      if (estimate)
        analysis.estimates.push_back(*std::move(estimate));
      else
        analysis.problems.push_back(estimate.error());
      return;
    }
    case Method::Fact:
      if (const auto value = value_of(evidence.facts, measure.source)) {
        analysis.estimates.push_back(constant(named_after(measure), *value / static_cast<double>(measure.work)));
      } else {
        analysis.problems.push_back(
            Error{"no-value", fmt::format("{}: the kernel wrote no '{}'", measure.name, measure.source), {}});
      }
      return;
    case Method::Counter:
      if (const auto value = value_of(evidence.metrics, measure.source)) {
        analysis.estimates.push_back(constant(named_after(measure), *value / static_cast<double>(measure.work)));
      }
      return;
  }
}

}  // namespace

std::optional<std::string> disagreement(const Estimate& latency, double encoded_cycles) {
  const double difference = latency.value - encoded_cycles;
  if (std::abs(difference) <= encoded_tolerance_cycles) return std::nullopt;
  return fmt::format("{} measured {:.2f} cycles, {:.2f} {} than the {:g} that the encoding's stall counts add up to",
                     latency.name, latency.value, std::abs(difference), difference > 0 ? "more" : "less",
                     encoded_cycles);
}

Analysis estimates(const std::vector<Measure>& measures, const Evidence& evidence) {
  Analysis analysis;
  const Expected<Line> line = fit_line(evidence.samples);
  for (const Measure& measure : measures) {
    if (measure.work <= 0) {
      analysis.problems.push_back(Error{"no-value", measure.name + ": the work per repeat is not positive", {}});
      continue;
    }
    add(analysis, measure, evidence, line);
  }
  if (evidence.encoded_cycles) {
    Estimate encoded = constant({}, *evidence.encoded_cycles);
    encoded.name = encoded.method = "encoded";
    encoded.unit = "cycles";
    const auto slope = std::ranges::find(analysis.estimates, "slope", &Estimate::method);
    if (slope != analysis.estimates.end()) encoded.note = disagreement(*slope, encoded.value).value_or("");
    analysis.estimates.push_back(std::move(encoded));
  }
  return analysis;
}

namespace {

bool holds(Relation relation, double value, double bound) {
  switch (relation) {
    // Counter formulas divide, and rounding of a quotient must not reject a case.
    case Relation::Equal:
      return std::abs(value - bound) <= 1e-9 * std::max(1.0, std::abs(bound));
    case Relation::AtLeast:
      return value >= bound;
    case Relation::AtMost:
      return value <= bound;
  }
  return false;
}

std::string_view should(Relation relation) {
  switch (relation) {
    case Relation::Equal:
      return "should be";
    case Relation::AtLeast:
      return "should be at least";
    case Relation::AtMost:
      return "should be at most";
  }
  return "";
}

constexpr double rounding = 1e-9;

}  // namespace

std::vector<Premise> judge(const std::vector<PremiseRule>& rules, const std::map<std::string, double>& facts,
                           const std::map<std::string, double>& metrics, const std::string& missing) {
  std::vector<Premise> premises;
  for (const PremiseRule& rule : rules) {
    Premise premise;
    premise.text = rule.text;
    auto found = facts.find(rule.value);
    bool there = found != facts.end();
    if (!there) {
      found = metrics.find(rule.value);
      there = found != metrics.end();
    }
    if (there && std::isfinite(found->second)) {
      premise.known = true;
      premise.value = found->second;
      premise.held = holds(rule.relation, found->second, rule.bound);
    } else if (there) {
      premise.why_unknown = fmt::format("'{}' is not a number", rule.value);
    } else {
      premise.why_unknown = missing.empty() ? fmt::format("nothing wrote '{}'", rule.value) : missing;
    }
    premises.push_back(std::move(premise));
  }
  return premises;
}

double limit_at(const Limit& limit, double sm_mhz) {
  if (!limit.per_us) return limit.value;
  return sm_mhz > 0 ? limit.value / sm_mhz : 0;
}

bool keep_possible(Estimate& estimate, const Possible& possible) {
  const double least = possible.least * (1 - rounding), most = possible.most * (1 + rounding);
  if (estimate.low > most || estimate.high < least) return false;
  const bool is_possible = least <= estimate.value && estimate.value <= most;
  if (estimate.high > most) estimate.high = possible.most;
  if (estimate.low < least) estimate.low = possible.least;
  if (!is_possible) estimate.value = std::midpoint(estimate.low, estimate.high);
  return true;
}

std::optional<Premise> judge_limit(const Measure& measure, Estimate& estimate, double sm_mhz) {
  const Limit& limit = measure.limit;
  const double most = limit_at(limit, sm_mhz);
  if (!(most > 0)) return std::nullopt;
  Premise premise;
  // A limit that depends on the clock differs from row to row, but it is one premise, so its text has no number.
  const std::string number = limit.per_us ? std::string() : fmt::format("{:.5g} {}: ", most, measure.unit);
  premise.text = fmt::format("{} is at most {}{}", measure.name, number, limit.source);
  premise.known = true;
  if (!limit.cuts) {
    premise.held = estimate.low <= most * (1 + rounding);
  } else {
    premise.held = limit.per_us ? estimate.value <= most : keep_possible(estimate, {.most = most});
  }
  premise.value = estimate.value;
  return premise;
}

std::string broken_text(const PremiseRule& rule, const Premise& premise) {
  return fmt::format("{}: {} {} {:.10g}, was {:.10g}", rule.text, rule.value, should(rule.relation), rule.bound,
                     premise.value);
}

}  // namespace warpclock
