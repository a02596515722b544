#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "fleet/observations.hpp"

namespace warpclock {
namespace {

std::string rounded(double value) { return value > 0 ? fmt::format("{:.0f}", value) : std::string(); }

/// What a record says of its board, and of what it was measured with.
std::vector<std::pair<const char*, std::string>> facts_of(const FleetGpu& gpu) {
  const DeviceFacts& device = gpu.device;
  return {{"serial", device.serial},
          {"host", gpu.host},
          {"board", device.board},
          {"VBIOS", device.vbios},
          {"driver", device.driver},
          {"program", join(std::vector(gpu.programs.begin(), gpu.programs.end()), ", ")},
          {"SMs", std::to_string(device.sms)},
          {"partition", device.partition},
          {"memory bytes", rounded(static_cast<double>(device.memory_bytes))},
          {"ECC", device.ecc},
          {"memory errors", memory_errors_in_words(device)},
          {"events during the run", in_words(gpu.events)},
          {"persistence", device.persistence},
          {"power limit, W", rounded(device.power_limit_w)},
          {"SM clock at most, MHz", rounded(device.sm_clock_max_mhz)},
          {"SM clock set, MHz", rounded(device.sm_clock_set_mhz)},
          {"memory clock at most, MHz", rounded(device.memory_clock_max_mhz)},
          {"memory clock set, MHz", rounded(device.memory_clock_set_mhz)},
          {"SM clock, MHz", rounded(gpu.sm_mhz)},
          {"most power, W", rounded(gpu.power_w)},
          {"highest temperature, C", rounded(gpu.temperature_c)},
          {"rows throttled", std::to_string(gpu.throttled)}};
}

/// The facts that are not the same on all GPUs of a model.
std::vector<BoardFact> differing_facts(const Fleet& fleet, std::size_t model) {
  std::vector<BoardFact> all;
  for (const std::size_t gpu : fleet.models[model].gpus) {
    const auto facts = facts_of(fleet.gpus[gpu]);
    all.resize(facts.size(), {.model = model});
    for (std::size_t i = 0; i < facts.size(); ++i) {
      all[i].fact = facts[i].first;
      all[i].values[facts[i].second].push_back(gpu);
    }
  }
  std::erase_if(all, [](const BoardFact& one) { return one.values.size() < 2; });
  return all;
}

/// Whether at least two of its values are those of several boards, and no board of one has a number between those of
/// another. What one board alone has says nothing, and three quarters of the boards must have something else.
bool separates(const BoardFact& fact, const FleetSeries& series) {
  std::vector<std::pair<double, double>> ranges;
  std::size_t counted = 0;
  for (const auto& [value, gpus] : fact.values) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::size_t found = 0;
    for (const FleetValue& one : series.values) {
      if (!contains(gpus, one.gpu)) continue;
      ++found, low = std::min(low, one.value), high = std::max(high, one.value);
    }
    if (found > 1) counted += found, ranges.emplace_back(low, high);
  }
  if (ranges.size() < 2 || 4 * counted < 3 * series.values.size()) return false;
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first <= ranges[i - 1].second) return false;
  }
  return true;
}

/// Boards differ in a row if the intervals of the lowest and the highest are apart, and by more than two runs on one
/// GPU may be.
bool boards_differ(const FleetSeries& series, const FleetValue& low, const FleetValue& high) {
  std::vector<double> values = mapped<double>(series.values, &FleetValue::value);
  const double two_runs = std::numbers::sqrt2 * repeatability_of(series, median_of(std::move(values)), 1);
  return high.value - low.value > two_runs && low.value + double{low.reach} < high.value - double{high.reach};
}

double share_of(const BoardTopic& topic) { return (topic.high - topic.low) / std::abs(topic.low); }

}  // namespace

void compare_boards(const Observations& observations, Fleet& fleet) {
  std::vector<const FleetSeries*> widest;
  std::unordered_map<std::string, std::size_t> known;
  for (const FleetSeries& series : observations.series) {
    if (series.values.size() < 2 || !series.varies.empty()) continue;
    const std::string probe = series.id.substr(0, series.id.find('['));
    const auto [at, added] = known.try_emplace(fmt::format("{} {}", series.model, probe), widest.size());
    if (added) widest.push_back(nullptr), fleet.topics.push_back({.model = series.model, .probe = probe});
    BoardTopic& topic = fleet.topics[at->second];
    ++topic.rows;
    const auto [low, high] = std::ranges::minmax_element(series.values, {}, &FleetValue::value);
    if (low->value == 0 || !boards_differ(series, *low, *high)) continue;
    ++topic.differing;
    const BoardTopic one{series.model, probe,      topic.rows,  topic.differing, series.id, series.estimate,
                         series.unit,  low->value, high->value, low->gpu,        high->gpu};
    if (widest[at->second] != nullptr && share_of(one) <= share_of(topic)) continue;
    topic = one;
    widest[at->second] = &series;
  }
  for (std::size_t model = 0; model < fleet.models.size(); ++model) {
    for (BoardFact& fact : differing_facts(fleet, model)) {
      for (std::size_t i = 0; i < fleet.topics.size(); ++i) {
        if (widest[i] != nullptr && fleet.topics[i].model == model && separates(fact, *widest[i]))
          fleet.topics[i].goes_with.push_back(fact.fact);
      }
      fleet.facts.push_back(std::move(fact));
    }
  }
  std::erase_if(fleet.topics, [](const BoardTopic& one) { return one.differing == 0; });
  std::ranges::stable_sort(fleet.topics, std::ranges::greater(), share_of);
}

}  // namespace warpclock
