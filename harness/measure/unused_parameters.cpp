#include "measure/unused_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

/// All that a parameter can change of what is run: machine code, launch, data.
std::string what_is_run(const Case& one, const Build& build) {
  Hash hash;
  for (const Kernel& kernel : build.kernels) {
    for (const Instruction& instruction : kernel.listing.instructions)
      hash.add(fmt::format("{:016x}{:016x}", instruction.high, instruction.low));
  }
  const Launch& l = one.launch;
  const Data& d = one.data;
  hash.add(fmt::format("{} {} {} {} {} {} {} {} {} {} {}", l.blocks, l.blocks_per_sm, l.warps, l.cluster,
                       l.shared_bytes, l.carveout, l.persisting, l.hit_ratio, l.warmups, l.launches,
                       static_cast<int>(l.by)));
  hash.add(fmt::format("{} {} {} {} {} {}", d.bytes, static_cast<int>(d.fill), d.stride, d.cold, d.peer, d.texel));
  return hash.hex();
}

/// A probe on an architecture: its points, each with a hash of what is run.
using Points = std::vector<std::pair<Parameters, std::string>>;

bool is_unused(const std::string& name, const Points& points) {
  std::map<std::string, std::set<std::string>> runs;
  std::map<std::string, int> values;
  for (const auto& [point, run] : points) {
    Parameters others = point;
    std::erase_if(others, [&](const auto& entry) { return entry.first == name; });
    runs[to_string(others)].insert(run);
    ++values[to_string(others)];
  }
  const bool varies = std::ranges::any_of(values, [](const auto& one) { return one.second > 1; });
  return varies && std::ranges::all_of(runs, [](const auto& one) { return one.second.size() == 1; });
}

}  // namespace

std::vector<std::string> unused_parameters(const std::vector<Case>& cases, const std::vector<CompiledCase>& compiled) {
  std::map<std::string, Points> probes;
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    // Tensor maps are data that the hash does not cover.
    if (!compiled[i].build || !one.along.empty() || !one.data.tensor.dims.empty()) continue;
    probes[one.probe + " on " + to_string(one.arch)].emplace_back(one.parameters, what_is_run(one, *compiled[i].build));
  }
  for (const auto& [probe, points] : probes) {
    for (const auto& [name, value] : points.front().first) {
      if (!is_unused(name, points)) continue;
      warnings.push_back(
          fmt::format("{}: '{}' changes neither the machine code nor the launch nor the data: does the kernel use {}?",
                      probe, name, to_upper(name)));
    }
  }
  return warnings;
}

}  // namespace warpclock
