#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "capture/capture_file.hpp"
#include "capture/predict_capture.hpp"
#include "compile/cache.hpp"
#include "gate/gate.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

/// The launches of a capture with the machine code of a build.
struct Launched {
  Capture capture;
  fs::path folder;                                               ///< of its data, and of code that is its own
  std::vector<std::optional<BuildKernel>> kernels;               ///< of the build, by the number of the kernel
  std::vector<std::optional<Expected<Prediction>>> predictions;  ///< by launch
};

/// A build's cubin as a file of its own.
Expected<std::string> cubin_of(const BuildKernel& kernel, const LoadOptions& how, Cache& cache) {
  const auto file = WARPCLOCK_TRY(open_file(kernel.file, how));
  const std::string name = WARPCLOCK_TRY(cache.store_image(file.images.at(kernel.image), ".cubin"));
  return fs::absolute(cache.path(name)).string();
}

/// In a capture, code is a name in its folder; an absolute path is a file elsewhere.
Launched with_code_of(GateBuild& build, const GateBuild& launches, Cache& cache) {
  Launched made{*launches.capture(), launches.path(), {}, {}};
  for (CapturedKernel& kernel : made.capture.kernels) {
    auto found = build.kernel_with(kernel.symbol);
    auto& kept = made.kernels.emplace_back();
    if (!found) {
      // What the capture lacks is said as it says it.
      if (kernel.missing.empty()) kernel.missing = found.error().message();
      continue;
    }
    kept = *found;
    kernel.missing.clear();
    if (build.capture() && build.path() == launches.path()) continue;
    const auto code = cubin_of(*found, build.how(), cache);
    if (code)
      kernel.symbol = found->symbol, kernel.code = *code;
    else
      kernel.missing = code.error().message();
  }
  made.predictions.resize(made.capture.launches.size());
  return made;
}

void predict_all(Launched& what, const GatedBuilds& builds) {
  const CaptureToPredict how{
      .capture = what.capture,
      .folder = what.folder,
      .nvdisasm = builds.input.how.nvdisasm,
      .kernel = {},
      .limit = builds.input.limit,
      .annotate = true,
      .stopped = {},
      .progress =
          [&](std::size_t done) {
            if (builds.input.progress) builds.input.progress(done, what.capture.launches.size());
          },
      .use = [&](std::size_t, std::size_t launch, const Expected<Prediction>& one) { what.predictions[launch] = one; }};
  (void)predict_capture(how, {builds.machine});
}

/// Launches of each kernel by its name in the capture that launches it, in the order of their first ones.
std::vector<std::pair<std::string, std::vector<std::size_t>>> by_kernel(const Capture& capture) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> all;
  for (std::size_t i = 0; i < capture.launches.size(); ++i) {
    const CapturedLaunch& one = capture.launches[i];
    if (is_beside(capture, one)) continue;
    const std::string& symbol = capture.kernels[static_cast<std::size_t>(one.kernel)].symbol;
    auto at = std::ranges::find(all, symbol, [](const auto& each) { return each.first; });
    if (at == all.end()) at = all.insert(all.end(), {symbol, {}});
    at->second.push_back(i);
  }
  return all;
}

GateSide side_of(const Launched& what, const std::vector<std::size_t>& launches) {
  GateSide side;
  side.runs = 0;
  for (const std::size_t i : launches) {
    const CapturedLaunch& launch = what.capture.launches[i];
    const std::int64_t runs = std::max<std::int64_t>(1, launch.times.runs);
    side.runs += runs;
    const auto& kernel = what.kernels[static_cast<std::size_t>(launch.kernel)];
    if (kernel) take(side, kernel->facts, {});
    if (what.predictions[i]) take(side, *what.predictions[i], runs);
  }
  if (!side.low && side.cause.empty()) side.cause = "it was left out";
  return side;
}

bool is_chosen(const GateInput& input, const std::string& symbol) {
  return input.patterns.empty() ||
         std::ranges::any_of(input.patterns, [&](const std::string& word) { return is_meant(symbol, word); });
}

bool same_code(const std::optional<BuildKernel>& one, const std::optional<BuildKernel>& other) {
  return one && other && one->code == other->code && same_facts(one->facts, other->facts);
}

/// Of a launch that is most further slower than all are, if it is beyond the limit and there are several.
std::string worst_launch(const Launched& before, const Launched& after, const std::vector<std::size_t>& launches,
                         double most) {
  double worst = most;
  std::string text;
  for (const std::size_t i : launches) {
    const auto &a = before.predictions[i], &b = after.predictions[i];
    if (!a || !b || !*a || !*b || !(*a)->low || !(*b)->low) continue;
    const double change = *(*b)->low / *(*a)->low - 1;
    if (change <= worst) continue;
    worst = change;
    text = fmt::format("launch {}: {:+.1f} %", i, 100 * change);
  }
  return launches.size() > 1 ? text : std::string();
}

}  // namespace

Expected<std::vector<GateRow>> gate_captures(const GatedBuilds& builds, const GateBuild* launches,
                                             std::set<std::string>& covered) {
  Cache cache = Cache::open(builds.input.cache);
  Launched before = with_code_of(builds.before, launches != nullptr ? *launches : builds.before, cache);
  Launched after = with_code_of(builds.after, launches != nullptr ? *launches : builds.after, cache);
  predict_all(before, builds);
  predict_all(after, builds);
  // The names by which the launches are grouped are those of who launches.
  const auto first = by_kernel(launches != nullptr ? *launches->capture() : *builds.before.capture());
  auto second = by_kernel(launches != nullptr ? *launches->capture() : *builds.after.capture());
  std::vector<GateRow> rows;
  const auto add = [&](const std::string& symbol, const std::vector<std::size_t>& a,
                       const std::vector<std::size_t>& b) {
    for (const Launched* one : {&before, &after})
      for (const auto& kernel : one->kernels)
        if (kernel) covered.insert(kernel->symbol);
    if (!is_chosen(builds.input, symbol)) return;
    GateRow& row = rows.emplace_back();
    row.name = readable_name(symbol);
    row.file = builds.after.path().string();
    row.before = side_of(before, a), row.after = side_of(after, b);
    if (a.empty()) row.before.cause = "only the capture after launches it";
    if (b.empty()) row.after.cause = "only the capture before launches it";
    if (a.empty() || b.empty()) return;
    const auto kernel_of = [](const Launched& of, std::size_t launch) {
      return of.kernels[static_cast<std::size_t>(of.capture.launches[launch].kernel)];
    };
    row.same_code = launches != nullptr && same_code(kernel_of(before, a.front()), kernel_of(after, b.front()));
    if (launches == nullptr) return;
    if (const std::string worst = worst_launch(before, after, a, builds.input.most); !worst.empty())
      row.changed.push_back(worst);
  };
  for (const auto& [symbol, ours] : first) {
    const auto at = std::ranges::find(second, symbol, [](const auto& each) { return each.first; });
    add(symbol, ours, at == second.end() ? std::vector<std::size_t>() : at->second);
    if (at != second.end()) second.erase(at);
  }
  for (const auto& [symbol, theirs] : second) add(symbol, {}, theirs);
  return rows;
}

}  // namespace warpclock
