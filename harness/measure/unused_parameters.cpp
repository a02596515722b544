#include "measure/unused_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

/// All that a parameter can change besides the machine code.
std::string launch_and_data(const Case& one) {
  const Launch& l = one.launch;
  const Data& d = one.data;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}", l.blocks, l.blocks_per_sm, l.warps, l.cluster, l.shared_bytes,
                     l.carveout, l.persisting, l.hit_ratio, l.warmups, l.launches, static_cast<int>(l.by)) +
         fmt::format(" {} {} {} {} {} {}", d.bytes, static_cast<int>(d.fill), d.stride, d.cold, d.peer, d.texel);
}

/// A probe on an architecture: its points, each with its launch and data.
using Points = std::vector<std::pair<Parameters, std::string>>;

bool changes_nothing(const std::string& name, const Points& points) {
  std::map<std::string, std::set<std::string>> runs;
  for (const auto& [point, run] : points) {
    Parameters others = point;
    std::erase_if(others, [&](const auto& entry) { return entry.first == name; });
    runs[to_string(others)].insert(run);
  }
  return runs.size() < points.size() &&
         std::ranges::all_of(runs, [](const auto& one) { return one.second.size() == 1; });
}

bool is_named(const std::string& macro, const std::string& kernel, const Sources& sources) {
  const auto files = included_sources(kernel, sources);
  return !files ||
         std::ranges::any_of(*files, [&](const std::string& file) { return sources.at(file).contains(macro); });
}

}  // namespace

std::vector<std::string> unused_parameters(const std::vector<Case>& cases, const Sources& sources) {
  std::map<std::string, Points> probes;
  std::map<std::string, const Case*> first;
  for (const Case& one : cases) {
    // Values along a curve and tensor maps are data of their own.
    if (one.skip || !one.along.empty() || !one.data.tensor.dims.empty()) continue;
    const std::string probe = one.probe + " on " + to_string(one.arch);
    probes[probe].emplace_back(one.parameters, launch_and_data(one));
    first.emplace(probe, &one);
  }
  std::vector<std::string> warnings;
  for (const auto& [probe, points] : probes) {
    for (const auto& [name, value] : points.front().first) {
      const std::string macro = to_upper(name);
      if (!changes_nothing(name, points) || is_named(macro, first.at(probe)->kernel, sources)) continue;
      warnings.push_back(
          fmt::format("{}: '{}' changes nothing: its kernel does not use {}, and neither launch nor data depend on it",
                      probe, name, macro));
    }
  }
  return warnings;
}

}  // namespace warpclock
