#include "measure/machine/study_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpu/counters/counters.hpp"
#include "gpu/job/timing_line.hpp"
#include "measure/machine/relations.hpp"
#include "measure/machine/window_images.hpp"

namespace warpclock {
namespace {

/// Keeps the two windows that are counted.
bool keep_ends(ComposedWindows& composed) {
  const auto& all = composed.windows;
  if (all.empty()) return false;
  const int warps = std::ranges::max_element(all, {}, &MachineWindow::warps)->warps;
  std::vector<MachineWindow> some;
  std::ranges::copy_if(all, std::back_inserter(some), [&](const MachineWindow& one) { return one.warps == warps; });
  const auto [shortest, longest] = std::ranges::minmax_element(some, {}, &MachineWindow::n);
  if (shortest->n == longest->n) return false;
  composed.windows = {*shortest, *longest};
  return true;
}

void note(IssueStudy& study, std::span<const MachineWindow> windows, const std::vector<CounterValues>& counted) {
  if (counted.size() != 2) return;
  const double warp_turns = static_cast<double>(windows[1].n - windows[0].n) * windows[1].warps;
  // A pass that is not recorded runs through the window, too.
  constexpr int passes = 2;
  for (const auto& [name, most] : counted[1]) {
    const auto least = counted[0].find(name);
    if (least != counted[0].end()) study.counters[name] = (most - least->second) / (warp_turns * passes);
  }
}

}  // namespace

const std::vector<std::string>& study_metrics() {
  static const std::vector<std::string> metrics = [] {
    std::vector<std::string> all;
    // Not `wait`: a longer window leaves fewer no-operations behind it, which wait as their stall counts say.
    for (const char* reason : {"not_selected", "dispatch_stall", "math_pipe_throttle", "mio_throttle",
                               "short_scoreboard", "no_instruction", "gmma"})
      all.push_back(fmt::format("smsp__warps_issue_stalled_{}.sum", reason));
    for (const char* pipe : {"alu", "fma", "fmaheavy", "fmalite", "fp64", "shared", "tensor"})
      all.push_back(fmt::format("smsp__pipe_{}_cycles_active.sum", pipe));
    all.emplace_back("smsp__mio2rf_writeback_active.sum");
    all.emplace_back("l1tex__data_pipe_lsu_wavefronts.sum");
    return all;
  }();
  return metrics;
}

Expected<void> count_studies(const MachineTableOptions& how, const Hole& hole, std::vector<TimedStudy> studies) {
  if (how.counters.empty()) return {};
  WindowImages images(*how.holes, hole, how.folder + "/counted.");
  std::vector<WindowJob> ran(studies.size());
  TimingLine line(how.desk, [&](std::size_t i, const Job&, const Expected<Observation>& seen, bool) {
    remove_images(ran[i]);
    if (seen) note(*studies[i].study, studies[i].composed.windows, seen->counted);
    return std::nullopt;
  });
  for (std::size_t i = 0; i < studies.size(); ++i) {
    TimedStudy& one = studies[i];
    if (!keep_ends(one.composed)) continue;
    ran[i] = WARPCLOCK_TRY(images.job_for(i, one.composed, std::span(&one.data, 1), false));
    Job& job = ran[i].job;
    job.id = one.study->id;
    job.timed = false;
    job.counters = how.counters;
    WARPCLOCK_TRY(line.add(i, job));
  }
  return line.finish();
}

}  // namespace warpclock
