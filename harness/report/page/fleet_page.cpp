#include "report/page/fleet_page.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"
#include "fleet/fleet_text.hpp"
#include "fleet/judge.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

/// "812 comparisons in 8 GPUs: one outlier on one GPU. ...", or why there is none.
std::string said(const Fleet& fleet, const FleetModel& model) {
  if (model.tests == 0) return size_in_words(model) + ".";
  std::size_t outliers = 0, gpus = 0;
  for (const std::size_t gpu : model.gpus) {
    outliers += fleet.gpus[gpu].outliers;
    gpus += fleet.gpus[gpu].outliers > 0 ? 1 : 0;
  }
  return fmt::format("{} in {}: {} on {}. {}", counted(static_cast<std::int64_t>(model.tests), "comparison"),
                     size_in_words(model), counted(static_cast<std::int64_t>(outliers), "outlier"),
                     counted(static_cast<std::int64_t>(gpus), "GPU"), found_in_words(model));
}

}  // namespace

Json fleet_words(const Fleet& fleet, const GateResult* gate) {
  Json json = Json::parse(fleet_json(fleet, gate)), models = Json::array(), gpus = Json::array();
  for (std::size_t i = 0; i < fleet.models.size(); ++i) {
    const FleetModel& model = fleet.models[i];
    models.push_back(said(fleet, model));
    // Only what is the same on each GPU of several is compared.
    Json rows = Json::array();
    for (std::size_t k = 0; k < model.rows.size(); ++k)
      if (model.rows[k].gpus > 1 && model.rows[k].median != 0 && !model.rows[k].varies)
        rows.push_back(json["models"][i]["rows"][k]);
    json["models"][i]["rows"] = std::move(rows);
  }
  for (const FleetGpu& gpu : fleet.gpus)
    gpus.push_back({{"model", gpu.model},
                    {"conditions", conditions_in_words(gpu)},
                    {"throttling", throttling_in_words(gpu)},
                    {"errors", memory_errors_in_words(gpu.device)}});
  return {{"fleet", json}, {"said", models}, {"of_gpus", gpus}};
}

std::string render_fleet(const Fleet& fleet, const GateResult* gate) {
  Page page;
  page.kind = "fleet";
  page.title =
      fmt::format("{}, {}, {}", counted(std::ssize(fleet.gpus), "GPU"), counted(std::ssize(fleet.models), "model"),
                  counted(static_cast<std::int64_t>(fleet.records), "record"));
  page.lead = fmt::format(
      "A red GPU has an outlier or a row that was rejected or failed; an orange one was throttled or has memory "
      "errors. An outlier is further from the median of its model than chance explains once in {:.0f} such fleets, and "
      "further than two runs on one GPU differ. In the drawing, a bar covers three sigmas on either side of the "
      "median, "
      "the thin line all values, the marks are the limits, and the dots are outliers.",
      1 / false_alarm);
  page.extras = fleet_words(fleet, gate);
  return render_page(page);
}

}  // namespace warpclock
