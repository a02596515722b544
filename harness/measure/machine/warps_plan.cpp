#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compose/hole_source.hpp"
#include "measure/machine/relation_classes.hpp"
#include "measure/machine/relations_plan.hpp"
#include "measure/machine/warp_group.hpp"
#include "record/machine_record.hpp"

namespace warpclock {
namespace {

constexpr int warps_lengths = 3, warps_launches = 3;
// Of the code of both, which the nearest instruction cache holds; a multiply keeps its pipe so long that fetching does
// not matter.
constexpr int most_plain_words = 192, most_multiply_words = 480;
// More copies than this of the shorter one would leave too few of the longer one.
constexpr int most_copies = 32;

struct Alone {
  const RelationForm* form = nullptr;
  double cycles = 0;
};

StudyPlan plan_of(const Alone& a, const Alone& b) {
  const auto copies = [](double own, double other) {
    return std::clamp(static_cast<int>(std::lround(other / own)), 1, most_copies);
  };
  StudyPlan plan;
  plan.study.of_each = {copies(a.cycles, b.cycles), copies(b.cycles, a.cycles)};
  plan.study.id = fmt::format("warps/{} {}+{} {}", plan.study.of_each[0], name_in(a.form->key), plan.study.of_each[1],
                              name_in(b.form->key));
  plan.study.forms = {a.form->key, b.form->key};
  plan.study.apart = true;
  plan.subjects = {a.form->subject, b.form->subject};
  return plan;
}

/// Independent copies of a form. A multiply of a warp group is followed by a wait.
Expected<std::vector<Copy>> copies_of(const MachineSubject& subject, int n, bool yield, Placer& placer,
                                      const Movers& movers) {
  if (subject.of_group()) return independent_multiplies(subject, n, 1, yield, placer, movers);
  std::vector<Copy> copies;
  for (int i = 0; i < n; ++i) {
    copies.emplace_back() =
        WARPCLOCK_TRY(placer.place(*subject.form, {.chain = i % static_cast<int>(result_quads), .two_banks = true}));
    copies.back().yield = yield;
  }
  return copies;
}

}  // namespace

std::vector<StudyPlan> warps_plans(const FormTable& forms, const Movers& movers, std::span<const MachineRow> rows) {
  std::vector<RelationForm> all;
  for (const std::string_view key : multiply_keys) {
    if (auto multiply = relation_form(forms, key, movers)) all.push_back(*std::move(multiply));
  }
  const std::size_t multiplies = all.size();
  std::ranges::move(relation_classes(forms, movers), std::back_inserter(all));
  std::vector<Alone> known;
  std::size_t long_ones = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MachineRow* row = row_of_form(rows, all[i].key);
    const bool measured = row != nullptr && !row->reason && row->interval && row->interval->value > 0;
    if (!measured || (i >= multiplies && !all[i].pairs)) continue;
    known.push_back({&all[i], row->interval->value});
    if (i < multiplies) ++long_ones;
  }
  std::vector<StudyPlan> plans;
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::size_t j = std::max(i, long_ones); j < known.size(); ++j) plans.push_back(plan_of(known[i], known[j]));
  }
  return plans;
}

bool has_multiply(const StudyPlan& plan) { return plan.subjects.front().of_group(); }

Expected<ComposedWindows> warps_windows(const StudyPlan& plan, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  const int each = plan.study.of_each[0] + plan.study.of_each[1];
  const bool multiply = has_multiply(plan);
  const int step = std::max(1, (multiply ? most_multiply_words : most_plain_words) / warps_lengths / each);
  const auto add = [&](int n, bool yield) -> Expected<void> {
    Placer placer(hole, movers);
    const auto first = WARPCLOCK_TRY(copies_of(plan.subjects[0], n * plan.study.of_each[0], yield, placer, movers));
    const auto second = WARPCLOCK_TRY(copies_of(plan.subjects[1], n * plan.study.of_each[1], yield, placer, movers));
    all.fillings.emplace_back() = WARPCLOCK_TRY(placer.finish(first, second));
    for (const int warps : {most_group_warps, 2 * most_group_warps}) {
      if (multiply && warps > most_group_warps) continue;
      all.windows.push_back({.kind = MachineWindow::Kind::Issue,
                             .n = n,
                             .yield = yield,
                             .warps = warps,
                             .filling = all.fillings.size() - 1,
                             .launches = warps_launches});
    }
    return {};
  };
  // A warp that never waits keeps the scheduler from one that could issue, unless it yields.
  for (const bool yield : {false, true}) {
    for (int n = step; n <= warps_lengths * step; n += step) WARPCLOCK_TRY(add(n, yield));
  }
  return all;
}

}  // namespace warpclock
