#include <fmt/format.h>

#include <algorithm>
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
#include "fleet/fleet.hpp"

namespace warpclock {

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
