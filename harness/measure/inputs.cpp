#include "measure/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/files/file.hpp"
#include "base/lookup.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "plan/config/stanza.hpp"
#include "plan/plan.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

// Errors name the file as the user knows it: below the given folder, or below configs/ as in the repository.
Expected<std::map<std::string, std::string>> texts(const std::string& folder, const char* embedded_name,
                                                   std::map<std::string, std::string> embedded,
                                                   std::span<const std::string_view> endings, bool with_folder) {
  std::map<std::string, std::string> found;
  if (folder.empty()) {
    found = std::move(embedded);
  } else {
    auto read = WARPCLOCK_TRY(read_folder(folder, endings));
    if (read.empty())
      return fail(
          "io", fmt::format("no {} files here", join(std::vector<std::string>(endings.begin(), endings.end()), " or ")),
          folder);
    found = std::move(read);
  }
  if (!with_folder) return found;
  std::map<std::string, std::string> named;
  const std::string prefix = folder.empty() ? std::string(embedded_name) : folder;
  for (auto& [path, text] : found)
    named.emplace(fmt::format("{}{}{}", prefix, prefix.ends_with('/') ? "" : "/", path), std::move(text));
  return named;
}

}  // namespace

Expected<std::map<std::string, std::string>> read_configs(const std::string& folder) {
  static constexpr std::array<std::string_view, 1> yaml{".yaml"};
  return texts(folder, "configs", embedded_configs(), yaml, true);
}

Expected<Inputs> load_inputs(const Selection& selection) {
  static constexpr std::array<std::string_view, 2> cuda{".cu", ".cuh"};
  auto configs = WARPCLOCK_TRY(read_configs(selection.configs_dir));
  auto suite = WARPCLOCK_TRY(load_suite(configs));
  auto sources = WARPCLOCK_TRY(texts(selection.probes_dir, "probes", embedded_probes(), cuda, false));
  // Probes in a folder of the user may include the vocabulary and helpers that the program carries.
  for (auto& [path, text] : embedded_probes()) sources.emplace(path, text);
  for (const Probe& probe : suite.probes)
    if (!sources.contains(probe.kernel)) {
      const auto known = keys_of(sources);
      return fail("config", fmt::format("kernel: no probes/{}{}", probe.kernel, did_you_mean(probe.kernel, known)),
                  probe.place);
    }
  return Inputs{std::move(suite), std::move(sources), std::move(configs)};
}

Expected<std::vector<Case>> planned(const Inputs& inputs, const Selection& selection, const std::vector<Arch>& archs) {
  std::vector<Case> cases;
  for (const Arch& arch : archs) {
    auto more = plan(inputs.suite, arch, Filter{selection.suite, selection.patterns});
    if (!more && !selection.probes_dir.empty() && selection.configs_dir.empty())
      more.error().text += "; the configs are those that the program carries: name yours by --configs DIR";
    if (!more) return std::unexpected(more.error());
    std::ranges::move(*more, std::back_inserter(cases));
  }
  return cases;
}

int complain(const Error& error) {
  fmt::print(stderr, "{} {}\n", Style(Stream::Err).red("warpclock:"), printable(error.message()));
  return 2;
}

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
