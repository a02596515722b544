#include "measure/machine/relation_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compose/hole_source.hpp"
#include "measure/machine/relations_plan.hpp"
#include "measure/machine/warp_group.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

/// An instruction that represents its class. Several keys: the first that the architecture has.
struct ClassForm {
  std::array<std::string_view, 2> keys;
  bool pairs = true;  ///< also measured together with others
};

constexpr std::array<ClassForm, 30> classes{{
    {{"@PT FFMA R#, R#, R#, R#"}},
    {{"@PT FADD R#, R#, R#"}},
    {{"@PT HFMA2 R#, R#, R#, R#"}},
    {{"@PT HFMA2.MMA R#, R#, R#, R#"}},
    {{"@PT HADD2 R#, R#, R#"}, false},
    {{"@PT IMAD R#, R#, R#, R#"}},
    {{"@PT IMAD.WIDE.U32 R#, R#, R#, R#"}},
    {{"@PT IADD3 R#, R#, R#, R#", "@PT IADD3 R#, PT, PT, R#, R#, R#"}},
    {{"@PT LOP3.LUT R#, R#, R#, R#, #, !PT"}},
    {{"@PT SHF.R.W.U32 R#, R#, R#, R#"}},
    {{"@PT PRMT R#, R#, R#, R#"}},
    {{"@PT SEL R#, R#, R#, P#"}, false},
    {{"@PT FMNMX R#, R#, R#, !PT"}},
    {{"@PT F2FP.F16.F32.PACK_AB R#, R#, R#"}},
    {{"@PT DFMA R#, R#, R#, R#"}},
    {{"@PT HMMA.16816.F32 R#, R#, R#, R#"}},
    {{"@PT HMMA.16816.F16 R#, R#, R#, R#"}, false},
    {{"@PT IMMA.16832.S8.S8 R#, R#.ROW, R#.COL, R#"}, false},
    {{"@PT DMMA.8x8x4 R#, R#, R#, R#"}, false},
    {{"@PT MUFU.EX2 R#, R#"}},
    {{"@PT POPC R#, R#"}, false},
    {{"@PT F2I.TRUNC.NTZ R#, R#"}, false},
    {{"@PT F2F.F64.F32 R#, R#"}},
    {{"@PT SHFL.BFLY PT, R#, R#, #, #"}},
    {{"@PT LDS R#, [R#+#]"}},
    {{"@PT LDS.128 R#, [R#+#]"}},
    {{"@PT LDSM.16.M88.4 R#, [R#+#]"}},
    {{"@PT STS [R#+#], R#"}},
    {{"@PT LDG.E R#, desc[UR#+#][R#.64+#]"}, false},
    {{"@PT ATOMS.ADD R#, [R#+#], R#"}, false},
}};

}  // namespace

std::optional<RelationForm> relation_form(const FormTable& forms, std::string_view key, const Movers& movers) {
  const WordForm* form = forms.find(key);
  if (form == nullptr) return std::nullopt;
  auto subject = machine_subject(*form, movers);
  if (!subject) return std::nullopt;
  return RelationForm{std::string(key), *std::move(subject), false};
}

std::vector<RelationForm> relation_classes(const FormTable& forms, const Movers& movers) {
  std::vector<RelationForm> known;
  for (const ClassForm& one : classes) {
    std::optional<RelationForm> found;
    for (const std::string_view key : one.keys) {
      if (!found && !key.empty()) found = relation_form(forms, key, movers);
    }
    if (!found) continue;
    found->pairs = one.pairs;
    known.push_back(*std::move(found));
  }
  return known;
}

namespace {

// Straight code that the instruction caches of an SM hold.
constexpr int most_words = 480, lengths = 3;

/// Of the row of a form; 0 if it has none.
double interval_of(std::span<const Row> rows, std::string_view key) {
  const Row* row = find_by(rows, key, &Row::id);
  const Estimate* interval = row == nullptr ? nullptr : published(*row, "interval");
  return interval == nullptr ? 0 : interval->value;
}

}  // namespace

std::vector<StudyPlan> multiply_plans(const FormTable& forms, const Movers& movers, std::span<const Row> rows) {
  std::vector<StudyPlan> plans;
  const std::vector<RelationForm> others = relation_classes(forms, movers);
  for (const std::string_view key : multiply_keys) {
    const auto multiply = relation_form(forms, key, movers);
    const double long_one = interval_of(rows, key);
    if (!multiply || long_one <= 0) continue;
    for (const RelationForm& other : others) {
      const double short_one = interval_of(rows, other.key);
      if (!other.pairs || short_one <= 0) continue;
      const int each = std::max(1, static_cast<int>(std::lround(long_one / short_one)));
      StudyPlan& plan = plans.emplace_back();
      plan.study.kind = RowKind::WithMultiply;
      plan.study.id = fmt::format("wgmma/{}+{} {}", name_in(multiply->key), each, name_in(other.key));
      plan.study.forms = {multiply->key, other.key};
      plan.study.machine.of_each = {1, each};
      plan.subjects = {multiply->subject, other.subject};
    }
  }
  return plans;
}

Expected<ComposedWindows> multiply_windows(const StudyPlan& plan, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  const int each = plan.study.machine.of_each.back();
  const int step = std::max(1, most_words / lengths / (1 + each));
  for (int n = step; n <= lengths * step; n += step) {
    Placer placer(hole, movers);
    const auto copies =
        WARPCLOCK_TRY(accompanied_multiplies(plan.subjects[0], plan.subjects[1], n, each, placer, movers));
    all.add(WARPCLOCK_TRY(placer.finish(copies)), std::array{warp_group, most_group_warps},
            {.kind = MachineWindow::Kind::Issue, .n = n});
  }
  return all;
}

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
  plan.study.kind = RowKind::BetweenWarps;
  std::vector<int>& of_each = plan.study.machine.of_each;
  of_each = {copies(a.cycles, b.cycles), copies(b.cycles, a.cycles)};
  plan.study.id = fmt::format("warps/{} {}+{} {}", of_each[0], name_in(a.form->key), of_each[1], name_in(b.form->key));
  plan.study.forms = {a.form->key, b.form->key};
  plan.study.machine.apart = true;
  plan.subjects = {a.form->subject, b.form->subject};
  return plan;
}

}  // namespace

std::vector<StudyPlan> warps_plans(const FormTable& forms, const Movers& movers, std::span<const Row> rows) {
  std::vector<RelationForm> all;
  for (const std::string_view key : multiply_keys) {
    if (auto multiply = relation_form(forms, key, movers)) all.push_back(*std::move(multiply));
  }
  const std::size_t multiplies = all.size();
  std::ranges::move(relation_classes(forms, movers), std::back_inserter(all));
  std::vector<Alone> known;
  std::size_t long_ones = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double interval = interval_of(rows, all[i].key);
    if (interval <= 0 || (i >= multiplies && !all[i].pairs)) continue;
    known.push_back({&all[i], interval});
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
  const int each = plan.study.machine.of_each[0] + plan.study.machine.of_each[1];
  const bool multiply = has_multiply(plan);
  const int step = std::max(1, (multiply ? most_multiply_words : most_plain_words) / warps_lengths / each);
  const auto add = [&](int n, bool yield) -> Expected<void> {
    Placer placer(hole, movers);
    const auto first = WARPCLOCK_TRY(
        independent_copies(plan.subjects[0], n * plan.study.machine.of_each[0], 1, yield, placer, movers));
    const auto second = WARPCLOCK_TRY(
        independent_copies(plan.subjects[1], n * plan.study.machine.of_each[1], 1, yield, placer, movers));
    constexpr std::array warps{most_group_warps, 2 * most_group_warps};
    all.add(WARPCLOCK_TRY(placer.finish(first, second)), std::span(warps).first(multiply ? 1 : 2),
            {.kind = MachineWindow::Kind::Issue, .n = n, .yield = yield, .launches = warps_launches});
    return {};
  };
  // A warp that never waits keeps the scheduler from one that could issue, unless it yields.
  for (const bool yield : {false, true}) {
    for (int n = step; n <= warps_lengths * step; n += step) WARPCLOCK_TRY(add(n, yield));
  }
  return all;
}

}  // namespace warpclock
