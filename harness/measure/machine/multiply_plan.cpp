#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compose/hole_source.hpp"
#include "measure/machine/relation_classes.hpp"
#include "measure/machine/relations_plan.hpp"
#include "measure/machine/warp_group.hpp"
#include "record/machine_record.hpp"

namespace warpclock {
namespace {

// Straight code that the instruction caches of an SM hold.
constexpr int most_words = 480, lengths = 3;

bool has_interval(const MachineRow* row) {
  return row != nullptr && !row->reason && row->interval && row->interval->value > 0;
}

}  // namespace

std::vector<StudyPlan> multiply_plans(const FormTable& forms, const Movers& movers, std::span<const MachineRow> rows) {
  std::vector<StudyPlan> plans;
  const std::vector<RelationForm> others = relation_classes(forms, movers);
  for (const std::string_view key : multiply_keys) {
    const auto multiply = relation_form(forms, key, movers);
    const MachineRow* long_one = row_of_form(rows, key);
    if (!multiply || !has_interval(long_one)) continue;
    for (const RelationForm& other : others) {
      const MachineRow* short_one = row_of_form(rows, other.key);
      if (!other.pairs || !has_interval(short_one)) continue;
      const double copies = long_one->interval->value / short_one->interval->value;
      const int each = std::max(1, static_cast<int>(std::lround(copies)));
      StudyPlan& plan = plans.emplace_back();
      plan.study.id = fmt::format("wgmma/{}+{} {}", name_in(multiply->key), each, name_in(other.key));
      plan.study.forms = {multiply->key, other.key};
      plan.study.of_each = {1, each};
      plan.subjects = {multiply->subject, other.subject};
    }
  }
  return plans;
}

Expected<ComposedWindows> multiply_windows(const StudyPlan& plan, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  const int each = plan.study.of_each.back();
  const int step = std::max(1, most_words / lengths / (1 + each));
  for (int n = step; n <= lengths * step; n += step) {
    Placer placer(hole, movers);
    const auto copies =
        WARPCLOCK_TRY(accompanied_multiplies(plan.subjects[0], plan.subjects[1], n, each, placer, movers));
    all.fillings.emplace_back() = WARPCLOCK_TRY(placer.finish(copies));
    for (const int warps : {warp_group, most_group_warps}) {
      all.windows.push_back(
          {.kind = MachineWindow::Kind::Issue, .n = n, .warps = warps, .filling = all.fillings.size() - 1});
    }
  }
  return all;
}

}  // namespace warpclock
