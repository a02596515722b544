#include "measure/machine/relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "gpu/counters/counters.hpp"
#include "measure/machine/machine_fit.hpp"
#include "measure/machine/relations_plan.hpp"
#include "measure/machine/window_run.hpp"
#include "record/overlap.hpp"
#include "record/record.hpp"

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

void note_counters(Row& study, std::span<const MachineSample> samples) {
  if (samples.size() != 2) return;
  const MachineSample &fewer = samples[0], &more = samples[1];
  const double warp_turns = static_cast<double>(more.window->n - fewer.window->n) * more.window->warps;
  // A pass that is not recorded runs through the window, too.
  constexpr int passes = 2;
  for (const auto& [name, most] : more.counters) {
    const auto least = fewer.counters.find(name);
    if (least != fewer.counters.end()) study.counters[name] = (most - least->second) / (warp_turns * passes);
  }
}

Expected<ComposedWindows> windows_of(const StudyPlan& plan, std::span<const int> lengths, const Hole& hole,
                                     const Movers& movers) {
  if (plan.study.machine.apart) return warps_windows(plan, hole, movers);
  return plan.study.machine.of_each.empty() ? study_windows(plan, lengths, hole, movers)
                                            : multiply_windows(plan, hole, movers);
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

Expected<void> count_studies(const MachineTableOptions& how, const Movers& movers, const StudiesInHole& timed,
                             std::vector<Row>& studies, const std::function<bool(const Row&)>& wanted) {
  if (how.counters.empty()) return {};
  const Hole& hole = WARPCLOCK_TRY(how.holes->get(timed.hole));
  WindowRun run(how);
  for (std::size_t i = 0; i < timed.plans.size(); ++i) {
    const StudyPlan& plan = timed.plans[i];
    Row& one = studies[i];
    if (!wanted(one)) continue;
    run.add({.id = one.id,
             .compose = [&](WindowQuestion&) -> Expected<ComposedWindows> {
               auto composed = WARPCLOCK_TRY(windows_of(plan, timed.lengths, hole, movers));
               if (!keep_ends(composed)) return fail("compose", "no two of its windows differ in length");
               return composed;
             },
             .note = [&one](std::span<const MachineSample> samples) -> std::optional<ComposedWindows> {
               note_counters(one, samples);
               return std::nullopt;
             },
             .lost = [&one](const Error&, Lost) { one.counters.clear(); },
             .hole = timed.hole,
             .data = {plan.subjects.front().data.front()},
             .counters = how.counters});
  }
  return run.run([] {});
}

namespace {

constexpr std::array one_lengths{16, 40, 64}, pair_lengths{20, 36, 52};
constexpr std::array warm_lengths{64, 128, 192, 256, 512, 1024, 1500};
constexpr std::array first_lengths{64, 128, 256, 512, 1024, 2048, 3072, 4096, 6144, 8000};

/// Notes the slope of timed windows, less the way back from the consumer.
void note_cycles(DependencyLatency& latency, const DependencePlan& plan, std::span<const MachineSample> samples) {
  auto cycles = chain_cycles(samples, plan.through.source);
  if (!cycles) {
    latency.path.note = cycles.error().text;
    return;
  }
  for (double* value : {&cycles->value, &cycles->low, &cycles->high}) *value -= way_back(plan);
  latency.cycles = *std::move(cycles);
}

/// Notes which stall counts are right.
void note_stalls(DependencyLatency& latency, const DependencePlan& plan, std::span<const MachineSample> samples) {
  StaleSearch search{.source = plan.through.source, .most = plan.producer.most_stall};
  StaleReads quiet = stale_reads(samples, search);
  search.warps = plan.producer.busy_warps();
  latency.least_right = quiet.least_right;
  latency.path.wrong = std::move(quiet.wrong);
  latency.path.note = std::move(quiet.note);
  latency.busy_least_right = stale_reads(samples, search).least_right;
}

void note_cells(Row& study, std::span<const MachineSample> samples) {
  study.machine.cells = issue_cells(samples);
  // Only half of the warps execute either form.
  for (IssueCell& cell : study.machine.cells) {
    if (!study.machine.apart) break;
    for (double* value : {&cell.cycles, &cell.low, &cell.high}) *value *= 2;
  }
  study.estimates.clear();
  if (auto interval = issue_interval(study.machine.cells)) study.estimates.push_back(*std::move(interval));
}

Row row_of(const DependencePlan& plan, const DependencyLatency& latency) {
  Row row{.id = plan.id, .kind = RowKind::Dependence};
  row.forms = {key_of(*plan.producer.form), key_of(*plan.consumer.form)};
  note_latency(row, latency);
  return row;
}

/// Measures the parts of a table, each in a hole of its kind.
class Relations {
 public:
  Relations(const MachineTableOptions& how, const FormTable& forms, Record& table)
      : how_(how), forms_(forms), movers_(movers_among(how.architecture)), table_(table) {}

  [[nodiscard]] Expected<void> measure() {
    const auto dependences = dependence_plans(forms_, movers_);
    const StudiesInHole pairs{pair_plans(forms_, movers_), pair_lengths, HoleKind::Usual},
        banks{bank_plans(forms_, movers_), one_lengths, HoleKind::Usual},
        multiplies{multiply_plans(forms_, movers_, table_.rows), {}, HoleKind::LongWarpGroup};
    const auto fetch = fetch_plans(forms_, movers_, table_.rows), warps = warps_plans(forms_, movers_, table_.rows);
    total_ = dependences.size() + pairs.plans.size() + banks.plans.size() + multiplies.plans.size() + warps.size() +
             fetch.size();
    const Hole& hole = WARPCLOCK_TRY(how_.holes->get(HoleKind::Usual));
    WindowRun run(how_);
    std::vector<DependencyLatency> latencies;
    std::vector<Row> pair_rows, bank_rows;
    add_dependences(dependences, hole, run, latencies);
    add_studies(pairs, hole, run, pair_rows);
    add_studies(banks, hole, run, bank_rows);
    WARPCLOCK_TRY(finish(run));
    WARPCLOCK_TRY(count_odd_pairs(pairs, pair_rows));
    for (std::size_t i = 0; i < latencies.size(); ++i) keep({row_of(dependences[i], latencies[i])});
    keep(std::move(pair_rows));
    keep(std::move(bank_rows));
    if (!multiplies.plans.empty()) {
      auto rows = WARPCLOCK_TRY(measured(multiplies));
      WARPCLOCK_TRY(count_studies(how_, movers_, multiplies, rows,
                                  [](const Row& one) { return estimate_in(one, "interval") != nullptr; }));
      keep(std::move(rows));
    }
    for (const bool with : {true, false}) WARPCLOCK_TRY(measure_between_warps(warps, with));
    WARPCLOCK_TRY(measure_fetch(fetch, false));
    return measure_fetch(fetch, true);
  }

 private:
  /// Adds rows to the table. What is fetched has no number but its cells.
  void keep(std::vector<Row> rows) {
    for (Row& row : rows) {
      if (row.kind != RowKind::Fetch) reject_without_number(row);
      table_.rows.push_back(std::move(row));
    }
  }

  void add_dependences(const std::vector<DependencePlan>& plans, const Hole& hole, WindowRun& run,
                       std::vector<DependencyLatency>& latencies) {
    latencies.resize(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const DependencePlan& plan = plans[i];
      DependencyLatency& latency = latencies[i];
      latency.path.source = plan.through.bridge.source;
      latency.path.operand = plan.through.operand;
      run.add({.id = plan.id,
               .compose = [&](WindowQuestion&) { return dependence_windows(plan, hole, movers_); },
               .note = [&](std::span<const MachineSample> samples) -> std::optional<ComposedWindows> {
                 if (samples.empty() || samples.front().window->kind == MachineWindow::Kind::Chain) {
                   note_cycles(latency, plan, samples);
                   return std::nullopt;
                 }
                 note_stalls(latency, plan, samples);
                 if (!latency.least_right) return std::nullopt;
                 auto timed = timed_dependence_windows(plan, *latency.least_right, hole, movers_);
                 return timed ? std::optional(*std::move(timed)) : std::nullopt;
               },
               .lost =
                   [&latency](const Error& error, Lost) {
                     latency.cycles.reset();
                     latency.least_right.reset();
                     latency.busy_least_right.reset();
                     latency.path.note = error.text;
                   },
               .data = plan.producer.data});
    }
  }

  void add_studies(const StudiesInHole& asked, const Hole& hole, WindowRun& run, std::vector<Row>& studies) {
    studies.resize(asked.plans.size());
    for (std::size_t i = 0; i < studies.size(); ++i) {
      const StudyPlan& plan = asked.plans[i];
      Row& one = studies[i] = plan.study;
      run.add({.id = plan.study.id,
               .compose = [&](WindowQuestion&) { return windows_of(plan, asked.lengths, hole, movers_); },
               .note = [&one](std::span<const MachineSample> samples) -> std::optional<ComposedWindows> {
                 note_cells(one, samples);
                 return std::nullopt;
               },
               .lost =
                   [&one](const Error& error, Lost how) {
                     one.machine.cells.clear();
                     one.estimates.clear();
                     one.outcome = Outcome::Rejected;
                     one.reason = {how == Lost::NoAnswer ? "run" : "compose", error.code, error.message()};
                   },
               .hole = asked.hole,
               .data = {plan.subjects.front().data.front()},
               .first_pass = plan.study.machine.first_pass});
    }
  }

  Expected<void> finish(WindowRun& run) {
    return run.run([this] {
      if (how_.progress) how_.progress(++done_, total_);
    });
  }

  Expected<std::vector<Row>> measured(const StudiesInHole& asked) {
    const Hole& hole = WARPCLOCK_TRY(how_.holes->get(asked.hole));
    WindowRun run(how_);
    std::vector<Row> studies;
    add_studies(asked, hole, run, studies);
    WARPCLOCK_TRY(finish(run));
    return studies;
  }

  /// Pairs that overlap oddly, and each of their forms with itself.
  Expected<void> count_odd_pairs(const StudiesInHole& pairs, std::vector<Row>& rows) {
    std::set<std::string> forms;
    for (const Row& pair : rows) {
      if (overlaps_oddly(rows, pair)) forms.insert(pair.forms.begin(), pair.forms.end());
    }
    return count_studies(how_, movers_, pairs, rows, [&](const Row& pair) {
      const bool alone = pair.forms.front() == pair.forms.back() && forms.contains(pair.forms.front());
      return alone || overlaps_oddly(rows, pair);
    });
  }

  Expected<void> measure_fetch(const std::vector<StudyPlan>& plans, bool first_pass) {
    const auto wanted = [&](const StudyPlan& plan) { return plan.study.machine.first_pass == first_pass; };
    const std::span<const int> lengths = first_pass ? std::span<const int>(first_lengths) : warm_lengths;
    auto studies =
        WARPCLOCK_TRY(measured({those_of(plans, wanted), lengths, first_pass ? HoleKind::Longest : HoleKind::Long}));
    for (Row& one : studies) one.estimates.clear();
    keep(std::move(studies));
    return {};
  }

  Expected<void> measure_between_warps(const std::vector<StudyPlan>& plans, bool multiplies) {
    const StudiesInHole chosen{those_of(plans, [&](const StudyPlan& plan) { return has_multiply(plan) == multiplies; }),
                               {},
                               multiplies ? HoleKind::LongWarpGroup : HoleKind::Middle};
    if (chosen.plans.empty()) return {};
    auto studies = WARPCLOCK_TRY(measured(chosen));
    WARPCLOCK_TRY(count_studies(how_, movers_, chosen, studies,
                                [this](const Row& one) { return overlaps_oddly(table_.rows, one); }));
    keep(std::move(studies));
    return {};
  }

  static std::vector<StudyPlan> those_of(const std::vector<StudyPlan>& plans,
                                         const std::function<bool(const StudyPlan&)>& wanted) {
    std::vector<StudyPlan> chosen;
    std::ranges::copy_if(plans, std::back_inserter(chosen), wanted);
    return chosen;
  }

  const MachineTableOptions& how_;
  const FormTable& forms_;
  const Movers movers_;
  Record& table_;
  std::size_t done_ = 0, total_ = 0;
};

}  // namespace

Expected<void> measure_relations(const MachineTableOptions& how, const FormTable& forms, Record& table) {
  return Relations(how, forms, table).measure();
}

}  // namespace warpclock
