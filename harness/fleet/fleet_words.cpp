#include "fleet/fleet_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "fleet/judge.hpp"

namespace warpclock {

namespace {

/// "8 GPUs", "one GPU: it has nothing to be compared with".
std::string size_in_words(const FleetModel& model) {
  if (model.gpus.size() == 1) return "one GPU: there is nothing to compare it with, so it has no outliers";
  std::string count = counted(std::ssize(model.gpus), "GPU");
  if (model.gpus.size() >= fewest_gpus) return count;
  return fmt::format("{}: too few to look for outliers ({} are needed)", count, fewest_gpus);
}

/// "812 of 950 rows find a deviation of 2 % in 99 of 100 cases; the values of the others scatter too much."
std::string found_in_words(const FleetModel& model) {
  constexpr double share = 0.02;
  const auto judged = std::ranges::count_if(model.rows, [](const FleetRow& row) { return row.not_judged.empty(); });
  const auto able = std::ranges::count_if(model.rows, [](const FleetRow& row) {
    return row.not_judged.empty() && row.detects > 0 && row.detects <= share;
  });
  return fmt::format("{} of {} find a deviation of 2 % in 99 of 100 cases{}.", able, counted(judged, "row"),
                     able == judged ? "" : "; the values of the others scatter too much");
}

}  // namespace

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

std::string memory_errors_in_words(const DeviceFacts& device) {
  if (device.memory_errors.empty()) return {};
  std::vector<std::string> words;
  for (const auto& [name, count] : device.memory_errors)
    if (count > 0) words.push_back(fmt::format("{} {}", replace_all(name, "_", " "), human_number(count, 9)));
  return words.empty() ? "none" : join(words, ", ");
}

std::string throttling_in_words(const FleetGpu& gpu) {
  if (gpu.throttled == 0) return {};
  return fmt::format("throttled in {} ({})", counted(static_cast<std::int64_t>(gpu.throttled), "row"),
                     join(gpu.throttle, ", "));
}

std::string deviation_in_words(double share) {
  const std::string digits = human_number(100 * std::abs(share), 3);
  return (share < 0 ? "-" : "+") + digits + " %";
}

std::string conditions_in_words(const FleetGpu& gpu) {
  std::vector<std::string> words;
  if (const std::string throttled = throttling_in_words(gpu); !throttled.empty()) words.push_back(throttled);
  const std::string errors = memory_errors_in_words(gpu.device);
  if (!errors.empty() && errors != "none") words.push_back("memory errors: " + errors);
  return join(words, "; ");
}

}  // namespace warpclock
