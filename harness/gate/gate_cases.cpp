#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/lookup.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "capture/capture.hpp"
#include "capture/predict_capture.hpp"
#include "check/case_row.hpp"
#include "check/study.hpp"
#include "compile/cache.hpp"
#include "gate/gate.hpp"
#include "inspect/inspect.hpp"
#include "plan/plan.hpp"

namespace warpclock {

namespace {

/// The machine code of all cases in one build.
class BuiltCases {
 public:
  BuiltCases(GateBuild& build, const GateInput& input, const std::vector<KernelCase>& cases)
      : builder_({}, build.how(), input.cache) {
    std::vector<KernelCase> found;
    for (const KernelCase& one : cases) {
      auto file = build.file_of(one);
      problems_.push_back(file ? std::nullopt : std::optional(file.error()));
      files_.push_back(file.value_or(std::string()));
      if (!file) continue;
      KernelCase& copy = found.emplace_back(one);
      copy.source = *file;
      // Macros make no difference to what is compiled already, so that its cases share what is read.
      if (!is_source(copy.source)) copy.defines.clear();
    }
    built_ = builder_.build(found);
    std::size_t next = 0;
    for (const auto& problem : problems_) at_.push_back(problem ? 0 : next++);
  }

  [[nodiscard]] Expected<BuiltKernel> of(std::size_t i) const {
    if (problems_[i]) return std::unexpected(*problems_[i]);
    auto built = built_[at_[i]];
    if (!built && built.error().place.empty()) built.error().place = files_[i];
    return built;
  }
  [[nodiscard]] const std::string& file(std::size_t i) const { return files_[i]; }

 private:
  CaseBuilder builder_;
  std::vector<std::optional<Error>> problems_;
  std::vector<std::string> files_;
  std::vector<std::size_t> at_;  ///< in built_
  std::vector<Expected<BuiltKernel>> built_;
};

Expected<std::vector<KernelCase>> cases_of(const GateInput& input, const Machine& machine) {
  const auto text = WARPCLOCK_TRY(read_file(input.launches, most_text_bytes));
  const auto studies = WARPCLOCK_TRY(read_studies(input.launches, text, SourceKey::Optional));
  return chosen_cases(WARPCLOCK_TRY(kernel_cases(studies, machine.stated.sms)), input.patterns, input.launches);
}

std::vector<std::string> names_of(const LoadedKernel& kernel) {
  return mapped(kernel.listing.instructions, [](const Instruction& one) { return one.name(); });
}

/// The codes of the cubins that are needed.
class Codes {
 public:
  [[nodiscard]] bool same(const BuiltKernel& one, const BuiltKernel& other) {
    if (!same_facts(one.kernel->facts, other.kernel->facts)) return false;
    const std::string code = of(one);
    return !code.empty() && code == of(other);
  }

 private:
  [[nodiscard]] std::string of(const BuiltKernel& built) {
    const std::scoped_lock lock(mutex_);
    const auto [at, added] = known_.try_emplace(built.cubin_path);
    if (added) {
      const auto image = read_file(built.cubin_path);
      auto hashes = image ? code_hashes(*image) : std::unexpected(image.error());
      if (hashes) at->second = *std::move(hashes);
    }
    return at->second[built.kernel->listing.kernel];
  }

  std::mutex mutex_;
  std::map<std::string, std::map<std::string, std::string>> known_;  ///< by the path of the cubin
};

/// The source line with which the kernel begins, if its source is a file of the build; else the stanza.
void find_place(GateRow& row, const KernelCase& one, const std::string& file, const LoadedKernel* kernel) {
  const std::vector<std::string> parts = split(one.place, ':');
  if (parts.size() >= 3) {
    row.file = join(std::span(parts).first(parts.size() - 2), ":");
    row.line = static_cast<int>(decimal_or_hex(parts[parts.size() - 2]).value_or(0));
  }
  if (kernel == nullptr || !is_source(file)) return;
  row.file = file, row.line = 0;
  const std::string name = std::filesystem::path(file).filename();
  for (const SourceLine& line : kernel->lines) {
    const bool own = std::filesystem::path(line.file).filename() == name && line.line > 0;
    if (own && (row.line == 0 || line.line < row.line)) row.line = line.line;
  }
}

GateSide side_of(const Expected<BuiltKernel>& built, const KernelCase& one, const GatedBuilds& builds) {
  GateSide side;
  if (!built) {
    side.cause = built.error().message();
    return side;
  }
  PredictOptions what = options_of(one);
  what.annotate = true;
  what.limit = builds.input.limit;
  take(side, built->kernel->facts, names_of(*built->kernel));
  take(side, caught(one.id, [&] { return predict(*built->kernel, builds.machine, what); }));
  return side;
}

}  // namespace

Expected<std::vector<GateRow>> gate_cases(const GatedBuilds& builds, std::set<std::string>& covered) {
  const auto cases = WARPCLOCK_TRY(cases_of(builds.input, builds.machine));
  const BuiltCases before(builds.before, builds.input, cases), after(builds.after, builds.input, cases);
  std::vector<GateRow> rows(cases.size());
  Codes codes;
  std::size_t done = 0;
  std::mutex counting;
  for_each_at_once(cases.size(), [&](std::size_t i) {
    const auto first = before.of(i), second = after.of(i);
    GateRow& row = rows[i];
    row.name = cases[i].id;
    find_place(row, cases[i], after.file(i), second ? second->kernel : nullptr);
    row.same_code = first && second && codes.same(*first, *second);
    row.before = side_of(first, cases[i], builds);
    row.after = row.same_code ? row.before : side_of(second, cases[i], builds);
    const std::scoped_lock lock(counting);
    if (builds.input.progress) builds.input.progress(++done, cases.size());
  });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const auto& built : {before.of(i), after.of(i)})
      if (built) covered.insert(built->kernel->listing.kernel);
  }
  return rows;
}

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
