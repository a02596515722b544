#include "fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "base/json/json_reader.hpp"
#include "base/json/json_writer.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "fleet/observations.hpp"

namespace warpclock {

namespace {

/// Above this, all pairs are too many.
constexpr std::size_t most_for_pairs = 500;
/// Above this, the difference from the normal distribution is below one in a thousand.
constexpr std::size_t nearly_normal = 2000;

double nth(std::vector<double>& values, std::size_t n) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(n);
  std::ranges::nth_element(values, at);
  return *at;
}

/// Croux and Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale", 1992.
double qn_correction(std::size_t n) {
  constexpr std::array<double, 10> few = {1, 1, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};
  const auto size = static_cast<double>(n);
  if (n < few.size()) return few[n];
  return n % 2 == 1 ? size / (size + 1.4) : size / (size + 3.8);
}

double qn(const std::vector<double>& values) {
  const std::size_t n = values.size(), half = n / 2 + 1, rank = half * (half - 1) / 2;
  std::vector<double> distances;
  distances.reserve(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) distances.push_back(std::abs(values[i] - values[j]));
  return 2.2219 * qn_correction(n) * nth(distances, rank - 1);
}

double mad(std::vector<double> values, double median) {
  for (double& value : values) value = std::abs(value - median);
  return 1.4826 * median_of(std::move(values));
}

/// The probability that |t| is larger than this.
double beyond(double t, std::size_t degrees) {
  if (degrees > nearly_normal) return std::erfc(t / std::numbers::sqrt2);
  const auto nu = static_cast<double>(degrees);
  const double theta = std::atan(t / std::sqrt(nu)), square = std::cos(theta) * std::cos(theta);
  const bool odd = degrees % 2 == 1;
  double term = odd ? std::cos(theta) : 1, sum = degrees == 1 ? 0 : term;
  for (std::size_t k = odd ? 3 : 2; k + 2 <= degrees; k += 2) {
    const auto step = static_cast<double>(k);
    term *= square * (step - 1) / step;
    sum += term;
  }
  if (!odd) return 1 - std::sin(theta) * sum;
  return 1 - 2 / std::numbers::pi * (theta + std::sin(theta) * sum);
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t middle = values.size() / 2;
  const double upper = nth(values, middle);
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

RobustSpread robust_spread(const std::vector<double>& values, double median) {
  if (values.size() < 2) return {};
  const auto free = static_cast<double>(values.size() - 1);
  const bool few = values.size() <= most_for_pairs;
  const double sigma = few ? qn(values) : mad(values, median);
  return {sigma, std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(free * (few ? 0.82 : 0.37))))};
}

double two_sided_quantile(double alpha, std::size_t degrees) {
  double low = 0, high = 1;
  while (beyond(high, degrees) > alpha && high < 1e12) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (beyond(middle, degrees) > alpha ? low : high) = middle;
  }
  return high;
}

namespace {

/// 99 of 100 values of a normal distribution are above the mean less this many sigmas.
constexpr double ninety_nine = 2.326;
/// The standard error of a median, in those of a mean.
constexpr double median_error = 1.2533;

/// A series with its row.
struct Judged {
  const FleetSeries* series;
  FleetRow row;
  std::size_t degrees = 0;
};

std::vector<double> numbers_of(const FleetSeries& series) { return mapped(series.values, &FleetValue::value); }

Judged distribution(const FleetSeries& series) {
  Judged made{&series, {}, 0};
  FleetRow& row = made.row;
  const std::vector<double> numbers = numbers_of(series);
  row.id = series.id;
  row.estimate = series.estimate;
  row.unit = series.unit;
  row.kind = series.kind;
  row.gpus = numbers.size();
  row.median = median_of(numbers);
  const RobustSpread spread = robust_spread(numbers, row.median);
  row.sigma = spread.sigma;
  made.degrees = spread.degrees;
  const auto [low, high] = std::ranges::minmax(numbers);
  row.low = low;
  row.high = high;
  row.repeatability = repeatability_of(series, row.median, row.sigma);
  row.varies = !series.varies.empty();
  if (row.varies) {
    row.not_judged = "it varies: " + series.varies;
  } else if (row.gpus < fewest_gpus) {
    row.not_judged = fmt::format("{} of at least {} GPUs", row.gpus, fewest_gpus);
  }
  return made;
}

/// Quantiles by degrees of freedom: rows of a fleet mostly have equally many GPUs.
class Quantiles {
 public:
  explicit Quantiles(std::size_t tests) : alpha_(false_alarm / static_cast<double>(std::max<std::size_t>(1, tests))) {}
  double operator()(std::size_t degrees) {
    const auto [at, fresh] = known_.emplace(degrees, 0.0);
    if (fresh) at->second = two_sided_quantile(alpha_, degrees);
    return at->second;
  }

 private:
  double alpha_;
  std::map<std::size_t, double> known_;
};

double share_of(double distance, double median) { return median == 0 ? 0 : distance / std::abs(median); }

void find_outliers(const Judged& judged, std::size_t row, Fleet& fleet, FleetRow& out) {
  for (const FleetValue& value : judged.series->values) {
    const double distance = value.value - out.median;
    if (!(std::abs(distance) > out.threshold)) continue;
    ++out.outliers;
    ++fleet.gpus[value.gpu].outliers;
    const std::optional<double> z = out.sigma > 0 ? std::optional(distance / out.sigma) : std::nullopt;
    fleet.outliers.push_back({value.gpu, row, value.value, share_of(distance, out.median), z});
  }
}

/// Medians of the GPUs of each host.
struct NodeMedian {
  std::string host;
  std::size_t gpus = 0;
  double value = 0;
};

std::vector<NodeMedian> nodes_of(const FleetSeries& series, const std::vector<FleetGpu>& gpus) {
  std::map<std::string, std::vector<double>> by_host;
  for (const FleetValue& value : series.values)
    if (!gpus[value.gpu].host.empty()) by_host[gpus[value.gpu].host].push_back(value.value);
  std::vector<NodeMedian> nodes;
  constexpr std::size_t fewest_nodes = 3;
  if (by_host.size() < fewest_nodes) return nodes;
  for (const auto& [host, values] : by_host)
    if (values.size() > 1) nodes.push_back({host, values.size(), median_of(values)});
  return nodes;
}

void judge_nodes(const std::vector<Judged>& judged, std::size_t model, double within, Fleet& fleet) {
  std::vector<std::vector<NodeMedian>> nodes(judged.size());
  std::size_t tests = 0;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (judged[i].row.not_judged.empty()) nodes[i] = nodes_of(*judged[i].series, fleet.gpus);
    tests += nodes[i].size();
  }
  fleet.nodes_tested += tests;
  Quantiles quantile(tests);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const FleetRow& row = judged[i].row;
    for (const NodeMedian& node : nodes[i]) {
      const double distance = node.value - row.median;
      const double error = row.sigma * median_error / std::sqrt(static_cast<double>(node.gpus));
      const double allowed =
          std::max({quantile(judged[i].degrees) * error, row.repeatability, within * std::abs(row.median)});
      if (std::abs(distance) > allowed)
        fleet.nodes.push_back({node.host, model, i, node.gpus, node.value, share_of(distance, row.median),
                               error > 0 ? distance / error : 0});
    }
  }
}

void judge_model(std::size_t model, std::vector<Judged> judged, double within, Fleet& fleet) {
  FleetModel& out = fleet.models[model];
  std::ranges::sort(judged, {}, [](const Judged& one) { return std::pair(one.series->id, one.series->estimate); });
  for (const Judged& one : judged)
    if (one.row.not_judged.empty()) out.tests += one.row.gpus;
  Quantiles quantile(out.tests);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    FleetRow& row = judged[i].row;
    if (row.not_judged.empty()) {
      row.threshold =
          std::max({quantile(judged[i].degrees) * row.sigma, row.repeatability, within * std::abs(row.median)});
      row.detects = share_of(row.threshold + ninety_nine * row.sigma, row.median);
      find_outliers(judged[i], i, fleet, row);
    }
  }
  judge_nodes(judged, model, within, fleet);
  for (Judged& one : judged) out.rows.push_back(std::move(one.row));
}

void judge_parts(const Observations& observations, Fleet& fleet) {
  fleet.parts_tested = observations.parts_tested;
  Quantiles quantile(observations.parts_tested);
  constexpr double pairs_efficiency = 0.82;
  for (const PartOutlier& part : observations.parts) {
    const auto degrees = static_cast<std::size_t>(std::lround(pairs_efficiency * static_cast<double>(part.of - 1)));
    if (std::abs(part.z) > quantile(std::max<std::size_t>(1, degrees))) fleet.parts.push_back(part);
  }
  std::ranges::stable_sort(fleet.parts, std::ranges::greater(), [](const PartOutlier& one) { return std::abs(one.z); });
}

/// Leaves out what most GPUs of the model do not measure either.
void keep_unusual_failures(Fleet& fleet) {
  for (const FleetModel& model : fleet.models) {
    std::map<std::string_view, std::size_t> lacking, having;
    for (const FleetRow& row : model.rows) having[row.id] = std::max(having[row.id], row.gpus);
    for (const std::size_t gpu : model.gpus) sort_once(fleet.gpus[gpu].not_measured);
    std::set<std::string> names;
    for (const std::size_t gpu : model.gpus)
      for (const std::string& row : fleet.gpus[gpu].not_measured) ++lacking[*names.insert(row).first];
    for (const std::size_t gpu : model.gpus)
      std::erase_if(fleet.gpus[gpu].not_measured, [&](const std::string& row) { return having[row] <= lacking[row]; });
  }
}

std::string common_board(const Fleet& fleet, const std::vector<std::size_t>& gpus) {
  const std::string& first = fleet.gpus[gpus.front()].device.board;
  const bool same = std::ranges::all_of(gpus, [&](std::size_t gpu) { return fleet.gpus[gpu].device.board == first; });
  return same ? first : "";
}

}  // namespace

double repeatability_of(const FleetSeries& series, double median, double sigma) {
  const double one_run = tolerance_of(series.kind, {.value = median, .unit = series.unit}) / std::numbers::sqrt2;
  if (sigma > 0) return one_run;
  return std::max(one_run, median_of(mapped<double>(series.values, &FleetValue::reach)));
}

Fleet judge_fleet(const Observations& observations, double within) {
  Fleet fleet;
  fleet.folder = observations.folder;
  fleet.records = observations.records;
  fleet.gpus = observations.gpus;
  fleet.failures = observations.failures;
  std::vector<std::vector<Judged>> judged(observations.models.size());
  for (const std::string& name : observations.models) fleet.models.emplace_back().name = name;
  for (std::size_t i = 0; i < fleet.gpus.size(); ++i) fleet.models[fleet.gpus[i].model].gpus.push_back(i);
  for (FleetModel& model : fleet.models) model.board = common_board(fleet, model.gpus);
  for (const FleetSeries& series : observations.series) judged[series.model].push_back(distribution(series));
  for (std::size_t model = 0; model < judged.size(); ++model)
    judge_model(model, std::move(judged[model]), within, fleet);
  judge_parts(observations, fleet);
  compare_boards(observations, fleet);
  keep_unusual_failures(fleet);
  std::ranges::stable_sort(fleet.outliers, std::ranges::greater(), [&](const FleetOutlier& one) {
    const FleetRow& row = fleet.models[fleet.gpus[one.gpu].model].rows[one.row];
    return std::abs(one.value - row.median) / std::max(row.threshold, 1e-12 * std::abs(row.median));
  });
  std::ranges::stable_sort(fleet.nodes, std::ranges::greater(),
                           [](const NodeOutlier& one) { return std::abs(one.share); });
  return fleet;
}

bool Fleet::even() const {
  const bool all_measured = std::ranges::all_of(gpus, [](const FleetGpu& gpu) { return gpu.not_measured.empty(); });
  return outliers.empty() && parts.empty() && nodes.empty() && failures.empty() && all_measured;
}

void describe(auto& a, Like<BaselineRow> auto& v) {
  WARPCLOCK_REQUIRED(id, estimate);
  WARPCLOCK_OPTIONAL(unit);
  WARPCLOCK_REQUIRED(gpus, median, sigma, repeatability);
}

namespace {

constexpr std::string_view record_word = "fleet-baseline";

/// The key of a BaselineRow or FleetSeries: no part has a line end.
std::string key_of(const auto& row) { return row.id + "\n" + row.estimate + "\n" + row.unit; }

/// The most that chance can explain: with more, a row would let everything pass.
double most_spread(double median) { return median == 0 ? 1 : std::abs(median); }

/// Some rows may differ by a part of a cycle or a point of a percentage, however small they are.
double most_repeatability(double median) { return std::max(1.0, std::abs(median)); }

/// What is wrong with the numbers of a row; empty if nothing is.
std::string wrong_in(const BaselineRow& row) {
  const auto sound = [](double number) { return std::isfinite(number) && number >= 0; };
  if (!std::isfinite(row.median) || !sound(row.sigma) || !sound(row.repeatability) || row.gpus < 0)
    return fmt::format("a number of row '{}' is negative or not finite", row.id);
  if (row.sigma > most_spread(row.median))
    return fmt::format("sigma of row '{}' is above its median, so all GPUs would pass", row.id);
  if (row.repeatability > most_repeatability(row.median))
    return fmt::format("repeatability of row '{}' is above its median, so all GPUs would pass", row.id);
  return {};
}

struct ModelRows {
  std::string model;
  std::vector<BaselineRow> rows;
};

void describe(auto& a, Like<ModelRows> auto& v) { WARPCLOCK_REQUIRED(model, rows); }

struct BaselineSchema {
  int major = 0;
};

void describe(auto& a, Like<BaselineSchema> auto& v) { WARPCLOCK_REQUIRED(major); }

struct BaselineFile {
  std::string record;
  BaselineSchema schema;
  std::vector<std::string> programs;
  std::vector<ModelRows> models;
};

void describe(auto& a, Like<BaselineFile> auto& v) {
  WARPCLOCK_OPTIONAL(record, schema, programs);
  WARPCLOCK_REQUIRED(models);
}

/// The values of each GPU of a model by row.
using ValuesOfGpus = std::unordered_map<std::string, const FleetSeries*>;

struct Gate {
  const Observations& observations;
  const Fleet& fleet;
  double within;
  GateResult result;

  void program(std::size_t gpu, const std::set<std::string>& known) {
    for (const std::string& one : fleet.gpus[gpu].programs) {
      if (known.empty() || known.contains(one)) continue;
      result.failures.push_back({gpu, "", "", "", 0, 0, 0,
                                 fmt::format("another program measured it (commit {}) than the baseline (commit {})",
                                             one, join(std::vector(known.begin(), known.end()), ", "))});
    }
  }

  void model(const FleetModel& model, const std::vector<BaselineRow>& rows, const ValuesOfGpus& series, double alpha) {
    for (const BaselineRow& row : rows) {
      std::set<std::size_t> missing(model.gpus.begin(), model.gpus.end());
      const auto found = series.find(key_of(row));
      const double allowed = allowed_of(row, alpha);
      if (found != series.end()) {
        for (const FleetValue& value : found->second->values) {
          missing.erase(value.gpu);
          ++result.compared;
          if (std::abs(value.value - row.median) > allowed)
            result.failures.push_back(
                {value.gpu, row.id, row.estimate, row.unit, value.value, row.median, allowed, ""});
        }
      }
      for (const std::size_t gpu : missing)
        result.failures.push_back({gpu, row.id, row.estimate, row.unit, 0, 0, 0, "the GPU has no number for it"});
    }
  }

  [[nodiscard]] double allowed_of(const BaselineRow& row, double alpha) const {
    // The baseline's median counts as one run if it is of few GPUs.
    const double two_runs = row.repeatability * (std::cmp_less(row.gpus, fewest_gpus) ? std::numbers::sqrt2 : 1);
    double chance = 0;
    if (std::cmp_greater_equal(row.gpus, fewest_gpus) && row.sigma > 0) {
      const auto gpus = static_cast<double>(row.gpus);
      const auto degrees = static_cast<std::size_t>(std::max(1.0, 0.37 * (gpus - 1)));
      chance =
          std::min(two_sided_quantile(alpha, degrees) * row.sigma * std::sqrt(1 + 1 / gpus), most_spread(row.median));
    }
    return std::max({chance, two_runs, within * std::abs(row.median)});
  }
};

}  // namespace

Baseline baseline_of(const Fleet& fleet) {
  Baseline made;
  for (const FleetGpu& gpu : fleet.gpus) made.programs.insert(gpu.programs.begin(), gpu.programs.end());
  for (const FleetModel& model : fleet.models) {
    for (const FleetRow& row : model.rows) {
      if (row.varies) continue;
      const bool known = row.gpus >= fewest_gpus;
      made.models[model.name].push_back({row.id, row.estimate, row.unit, static_cast<std::int64_t>(row.gpus),
                                         row.median, known ? std::min(row.sigma, most_spread(row.median)) : 0,
                                         std::min(row.repeatability, most_repeatability(row.median))});
    }
  }
  return made;
}

std::string to_json(const Baseline& baseline) {
  std::string text =
      fmt::format("{{\"schema\":{{\"major\":1,\"minor\":0,\"patch\":0}},\"record\":\"{}\",\n\"version\":{},\n",
                  record_word, compact(Json(version_line())));
  text += fmt::format("\"programs\":{},\n\"models\":[", compact(Json(baseline.programs)));
  bool first = true;
  for (const auto& [name, rows] : baseline.models) {
    const std::vector<std::string> written = mapped(rows, [](const BaselineRow& row) { return JsonLine::of(row); });
    text += fmt::format("{}\n{{\"model\":{},\"rows\":[\n{}\n]}}", first ? "" : ",", compact(Json(name)),
                        join(written, ",\n"));
    first = false;
  }
  return text + "\n]}\n";
}

Expected<Baseline> parse_baseline(std::string_view text, const std::string& place) {
  const auto damaged = [&](const std::string& why) {
    return fail("baseline", "this baseline is damaged: " + why, place);
  };
  const auto document = JsonDocument::parse(text);
  if (!document) return damaged(document.error().text);
  BaselineFile file;
  JsonReader reader;
  reader.read(document->root(), file);
  if (file.record != record_word)
    return fail("baseline", "this is not a baseline of a fleet: `warpclock fleet DIR --write-baseline FILE` writes one",
                place);
  if (file.schema.major != 1)
    return fail("baseline", "a newer warpclock wrote this baseline; this one reads schema 1", place);
  if (reader.problem() != nullptr) return damaged(*reader.problem());
  Baseline made;
  made.programs.insert(file.programs.begin(), file.programs.end());
  for (ModelRows& model : file.models) {
    for (const BaselineRow& row : model.rows)
      if (const std::string wrong = wrong_in(row); !wrong.empty()) return damaged(wrong);
    std::ranges::move(model.rows, std::back_inserter(made.models[model.model]));
  }
  return made;
}

GateResult gate_fleet(const Observations& observations, const Fleet& fleet, const Baseline& baseline, double within) {
  std::vector<ValuesOfGpus> series(fleet.models.size());
  for (const FleetSeries& one : observations.series) series[one.model].emplace(key_of(one), &one);
  std::size_t tests = 0;
  for (const FleetModel& model : fleet.models) {
    const auto rows = baseline.models.find(model.name);
    if (rows != baseline.models.end()) tests += rows->second.size() * model.gpus.size();
  }
  const double alpha = false_alarm / static_cast<double>(std::max<std::size_t>(1, tests));
  Gate gate{observations, fleet, within, {}};
  for (std::size_t gpu = 0; gpu < fleet.gpus.size(); ++gpu) gate.program(gpu, baseline.programs);
  for (std::size_t i = 0; i < fleet.models.size(); ++i) {
    const FleetModel& model = fleet.models[i];
    if (const auto rows = baseline.models.find(model.name); rows != baseline.models.end()) {
      gate.model(model, rows->second, series[i], alpha);
      continue;
    }
    for (const std::size_t gpu : model.gpus)
      gate.result.failures.push_back({gpu, "", "", "", 0, 0, 0, "the baseline has no GPU of this model"});
  }
  return std::move(gate.result);
}

bool passes(const Fleet& fleet, const GateResult& gate) { return gate.failures.empty() && fleet.failures.empty(); }

}  // namespace warpclock
