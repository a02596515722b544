
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
#include "check/case_builder.hpp"
#include "check/case_row.hpp"
#include "gate/gate.hpp"
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

}  // namespace warpclock
