#include "plan/config/suite.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "plan/config/stanza.hpp"
#include "plan/config/yaml.hpp"

namespace warpclock {
namespace {

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(slash == std::string_view::npos ? 0 : slash + 1);
}

bool is_metrics_file(std::string_view path) { return file_name(path) == "counters.yaml"; }

/// Files below instructions/ belong to the PTX catalogue (ptx/catalogue/catalogue.hpp), model.yaml to the machine model
/// (model/model_config.hpp), and cases.yaml to `warpclock check` (check/study_config.hpp).
bool is_read_elsewhere(std::string_view path) {
  return path.contains("instructions/") || file_name(path) == "model.yaml" || file_name(path) == "cases.yaml";
}

Expected<std::vector<Metric>> load_metrics(const std::string& path, const std::string& text) {
  const auto document = WARPCLOCK_TRY(Document::parse(path, text));
  std::vector<Metric> metrics = read_metrics(document.root());
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return metrics;
}

/// Appends the family's probes.
Expected<void> load_family(const std::string& path, const std::string& text, Suite& suite,
                           std::map<std::string, std::string>& places) {
  const auto document = WARPCLOCK_TRY(Document::parse(path, text));
  const Fields fields = document.root().fields({"family", "probes"});
  const std::string family = read_name(fields.get("family"));
  for (const Node& item : fields.get("probes").items()) {
    if (document.error()) break;
    Probe probe = read_probe(item.rebased(), family, suite.metrics);
    const auto [first, fresh] = places.emplace(family + "/" + probe.name, probe.place);
    if (!fresh)
      item.rebased().reject(fmt::format("probe '{}' is given twice (first at {})", first->first, first->second));
    suite.probes.push_back(std::move(probe));
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return {};
}

}  // namespace

Expected<Suite> load_suite(const std::map<std::string, std::string>& configs) {
  Suite suite;
  // Probes name metrics, so the metrics are read first, whatever the order of the paths.
  std::map<std::string, std::string> metric_places;
  for (const auto& [path, text] : configs) {
    if (!is_metrics_file(path) || is_read_elsewhere(path)) continue;
    auto metrics = WARPCLOCK_TRY(load_metrics(path, text));
    for (Metric& metric : metrics) {
      const auto [first, fresh] = metric_places.emplace(metric.name, metric.place);
      if (!fresh) {
        return fail("config", fmt::format("metric '{}' is given twice (first at {})", metric.name, first->second),
                    metric.place);
      }
      suite.metrics.push_back(std::move(metric));
    }
  }
  std::map<std::string, std::string> probe_places;
  for (const auto& [path, text] : configs) {
    if (is_metrics_file(path) || is_read_elsewhere(path)) continue;
    WARPCLOCK_TRY(load_family(path, text, suite, probe_places));
  }
  return suite;
}

}  // namespace warpclock
