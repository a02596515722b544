#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "code/testing/listing.hpp"
#include "compile/build.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock::testing {

using Listings = std::map<std::pair<Arch, std::string>, Listing>;

/// Compiles testdata/<folder>/<file>.cu with `repeats` repetitions for each verified architecture for which `has`
/// returns true. All files form one probe whose sweep selects the file, because the number of modules, not of kernels,
/// determines the time.
inline Listings compile_kernels(const std::string& folder, const std::set<std::string>& files, std::int64_t repeats,
                                const std::function<bool(const Arch&, const std::string&)>& has) {
  const TemporaryFolder cache;
  Sources sources{{"probe.cuh", embedded_probes().at("probe.cuh")}};
  std::string choice = "#if 0\n";
  for (const std::string& file : files) {
    const std::string path = folder + "/" + file + ".cu";
    sources[path] = read("harness/verify/testdata/" + path);
    choice += fmt::format("#elif defined({})\n#include \"{}\"\n", word_macro("file", file), path);
  }
  sources["choice.cu"] = choice + "#endif\n";

  std::vector<Case> cases;
  std::vector<std::pair<Arch, std::string>> keys;
  for (const Arch& arch : verified_archs()) {
    for (const std::string& file : files) {
      if (!has(arch, file)) continue;
      cases.push_back(make_case("choice.cu", to_string(arch), {repeats}, {{"file", file}}));
      keys.emplace_back(arch, file);
    }
  }
  BuildOptions options;
  options.cache_dir = cache.path();
  const auto builds = build(cases, sources, options);
  Listings listings;
  for (std::size_t i = 0; i < builds.size(); ++i) {
    const bool built = builds[i] && builds[i]->kernels.size() == 1;
    EXPECT_TRUE(built) << keys[i].second << " for " << to_string(keys[i].first) << ": "
                       << (builds[i] ? "no kernel" : builds[i].error().message());
    if (built) listings[keys[i]] = builds[i]->kernels.front().listing;
  }
  return listings;
}

}  // namespace warpclock::testing
