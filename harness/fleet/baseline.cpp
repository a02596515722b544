#include "fleet/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/json/json_text.hpp"
#include "base/version.hpp"
#include "fleet/judge.hpp"
#include "fleet/robust.hpp"

namespace warpclock {
namespace {

constexpr std::string_view record_word = "fleet-baseline";

/// The key of a row: neither part has a line end.
std::string key_of(const std::string& id, const std::string& estimate) { return id + "\n" + estimate; }

Json row_json(const BaselineRow& row) {
  return {{"id", row.id},
          {"estimate", row.estimate},
          {"unit", row.unit},
          {"gpus", row.gpus},
          {"median", row.median},
          {"sigma", row.sigma},
          {"repeatability", row.repeatability}};
}

BaselineRow row_of(const Json& json) {
  BaselineRow row{json.at("id"),     json.at("estimate"), json.value("unit", ""),  json.at("gpus"),
                  json.at("median"), json.at("sigma"),    json.at("repeatability")};
  const auto sound = [](double number) { return std::isfinite(number) && number >= 0; };
  if (!std::isfinite(row.median) || !sound(row.sigma) || !sound(row.repeatability))
    throw std::runtime_error("a number of row '" + row.id + "' is negative or not finite");
  return row;
}

/// The values of each GPU of a model by row.
using ValuesOfGpus = std::unordered_map<std::string, const FleetSeries*>;

struct Gate {
  const Observations& observations;
  const Fleet& fleet;
  double within;
  GateResult result;

  void model(const FleetModel& model, const std::vector<BaselineRow>& rows, const ValuesOfGpus& series, double alpha) {
    for (const BaselineRow& row : rows) {
      std::set<std::size_t> missing(model.gpus.begin(), model.gpus.end());
      const auto found = series.find(key_of(row.id, row.estimate));
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
    const double two_runs = row.repeatability * (row.gpus < fewest_gpus ? std::numbers::sqrt2 : 1);
    double chance = 0;
    if (row.gpus >= fewest_gpus && row.sigma > 0) {
      const auto gpus = static_cast<double>(row.gpus);
      const auto degrees = static_cast<std::size_t>(std::max(1.0, 0.37 * (gpus - 1)));
      chance = two_sided_quantile(alpha, degrees) * row.sigma * std::sqrt(1 + 1 / gpus);
    }
    return std::max({chance, two_runs, within * std::abs(row.median)});
  }
};

}  // namespace

Baseline baseline_of(const Fleet& fleet) {
  Baseline made;
  for (const FleetModel& model : fleet.models) {
    for (const FleetRow& row : model.rows) {
      if (row.varies) continue;
      const bool known = row.gpus >= fewest_gpus;
      made.models[model.name].push_back(
          {row.id, row.estimate, row.unit, row.gpus, row.median, known ? row.sigma : 0, row.repeatability});
    }
  }
  return made;
}

std::string to_json(const Baseline& baseline) {
  std::string text =
      fmt::format("{{\"schema\":{{\"major\":1,\"minor\":0,\"patch\":0}},\"record\":\"{}\",\n\"version\":{},\n",
                  record_word, compact(Json(version_line())));
  text += "\"models\":[";
  bool first = true;
  for (const auto& [name, rows] : baseline.models) {
    Json all = Json::array();
    for (const BaselineRow& row : rows) all.push_back(row_json(row));
    text += fmt::format("{}\n{{\"model\":{},\"rows\":{}}}", first ? "" : ",", compact(Json(name)), tall(all));
    first = false;
  }
  return text + "\n]}\n";
}

Expected<Baseline> parse_baseline(std::string_view text, const std::string& place) {
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || json.value("record", "") != record_word)
      return fail("baseline",
                  "this is not a baseline of a fleet: `warpclock fleet DIR --write-baseline FILE` writes one", place);
    if (json.at("schema").at("major") != 1)
      return fail("baseline", "a newer warpclock wrote this baseline; this one reads schema 1", place);
    Baseline made;
    for (const Json& model : json.at("models"))
      for (const Json& row : model.at("rows")) made.models[model.at("model")].push_back(row_of(row));
    return made;
  } catch (const std::exception& error) {
    return fail("baseline", std::string("this baseline is damaged: ") + error.what(), place);
  }
}

GateResult gate_fleet(const Observations& observations, const Fleet& fleet, const Baseline& baseline, double within) {
  std::vector<ValuesOfGpus> series(fleet.models.size());
  for (const FleetSeries& one : observations.series) series[one.model].emplace(key_of(one.id, one.estimate), &one);
  std::size_t tests = 0;
  for (const FleetModel& model : fleet.models) {
    const auto rows = baseline.models.find(model.name);
    if (rows != baseline.models.end()) tests += rows->second.size() * model.gpus.size();
  }
  const double alpha = false_alarm / static_cast<double>(std::max<std::size_t>(1, tests));
  Gate gate{observations, fleet, within, {}};
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

}  // namespace warpclock
