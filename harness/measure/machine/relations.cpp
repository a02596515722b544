#include "measure/machine/relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/job/job.hpp"
#include "measure/machine/machine_fit.hpp"
#include "measure/machine/relations_plan.hpp"
#include "measure/machine/window_images.hpp"
#include "record/machine_record.hpp"

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

namespace {

constexpr std::array one_lengths{16, 40, 64}, pair_lengths{20, 36, 52};
constexpr std::array warm_lengths{64, 128, 192, 256, 512, 1024, 1500};
constexpr std::array first_lengths{64, 128, 256, 512, 1024, 2048, 3072, 4096, 6144, 8000};

/// What is asked in one job, and where its answer goes.
struct Relation {
  std::function<Expected<ComposedWindows>()> compose;
  std::vector<HoleValues> data;
  bool first_pass = false;
  /// Notes what the windows show, and gives further ones, if they would show more.
  std::function<std::optional<ComposedWindows>(std::span<const MachineSample>)> note;
  std::function<void(const Error&)> fail;
  ComposedWindows composed;
  WindowJob ran;
};

/// Runs relations in one hole, one job each.
class RelationRun {
 public:
  RelationRun(const MachineTableOptions& how, const Hole& hole)
      : how_(how), images_(*how.holes, hole, how.folder + "/") {}

  [[nodiscard]] const Hole& hole() const { return images_.hole(); }
  void add(Relation relation) { relations_.push_back(std::move(relation)); }
  [[nodiscard]] Expected<void> run(std::size_t& done, std::size_t total);

 private:
  [[nodiscard]] Expected<Job> begin(std::size_t i);
  [[nodiscard]] Expected<Job> job_for(std::size_t i);
  [[nodiscard]] std::optional<Job> look(std::size_t i, const Expected<Observation>& seen);

  const MachineTableOptions& how_;
  WindowImages images_;
  std::vector<Relation> relations_;
};

Expected<Job> RelationRun::begin(std::size_t i) {
  relations_[i].composed = WARPCLOCK_TRY(relations_[i].compose());
  return job_for(i);
}

Expected<Job> RelationRun::job_for(std::size_t i) {
  Relation& one = relations_[i];
  one.ran = WARPCLOCK_TRY(images_.job_for(i, one.composed, one.data, false));
  one.ran.job.id = std::to_string(i);
  if (one.first_pass) one.ran.job.launch.warmups = 0;
  return one.ran.job;
}

std::optional<Job> RelationRun::look(std::size_t i, const Expected<Observation>& seen) {
  Relation& one = relations_[i];
  remove_images(one.ran);
  if (!seen) {
    one.fail(seen.error());
    return std::nullopt;
  }
  auto further = one.note(samples_of(one.composed.windows, *seen));
  if (!further) return std::nullopt;
  one.composed = *std::move(further);
  auto job = job_for(i);
  if (job) return *std::move(job);
  one.fail(job.error());
  return std::nullopt;
}

Expected<void> RelationRun::run(std::size_t& done, std::size_t total) {
  TimingLine line(how_.desk, [this](std::size_t row, const Job&, const Expected<Observation>& seen, bool) {
    return look(row, seen);
  });
  WARPCLOCK_TRY(make_ahead(
      relations_.size(), [&](std::size_t i) { return begin(i); },
      [&](std::size_t i, Expected<Job> job) -> Expected<void> {
        if (how_.progress) how_.progress(++done, total);
        if (job) return line.add(i, *std::move(job));
        relations_[i].fail(job.error());
        return {};
      }));
  WARPCLOCK_TRY(line.finish());
  for (const auto& [row, wrong] : images_.misread_rows()) {
    relations_[row].fail({"read-back", wrong, {}});
  }
  return {};
}

/// Notes the slope of timed windows, less the way back from the consumer.
void note_cycles(DependencyLatency& latency, const DependencePlan& plan, std::span<const MachineSample> samples) {
  auto cycles = chain_cycles(samples, plan.through.source);
  if (!cycles) {
    latency.note = cycles.error().text;
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
  latency.wrong = std::move(quiet.wrong);
  latency.note = std::move(quiet.note);
  latency.busy_least_right = stale_reads(samples, search).least_right;
}

void add_dependences(const std::vector<DependencePlan>& plans, const Movers& movers, RelationRun& run,
                     std::vector<ProducerConsumer>& all) {
  all.resize(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const DependencePlan& plan = plans[i];
    ProducerConsumer& one = all[i];
    one.id = plan.id;
    one.producer = key_of(*plan.producer.form);
    one.consumer = key_of(*plan.consumer.form);
    one.latency.source = plan.through.bridge.source;
    one.latency.operand = plan.through.operand;
    run.add({.compose = [&] { return dependence_windows(plan, run.hole(), movers); },
             .data = plan.producer.data,
             .first_pass = false,
             .note = [&](std::span<const MachineSample> samples) -> std::optional<ComposedWindows> {
               DependencyLatency& latency = one.latency;
               if (samples.empty() || samples.front().window->kind == MachineWindow::Kind::Chain) {
                 note_cycles(latency, plan, samples);
                 return std::nullopt;
               }
               note_stalls(latency, plan, samples);
               if (!latency.least_right) return std::nullopt;
               auto timed = timed_dependence_windows(plan, *latency.least_right, run.hole(), movers);
               return timed ? std::optional(*std::move(timed)) : std::nullopt;
             },
             .fail =
                 [&one](const Error& error) {
                   one.latency.cycles.reset();
                   one.latency.least_right.reset();
                   one.latency.busy_least_right.reset();
                   one.latency.note = error.text;
                 }});
  }
}

Expected<ComposedWindows> windows_of(const StudyPlan& plan, std::span<const int> lengths, const Hole& hole,
                                     const Movers& movers) {
  if (plan.study.apart) return warps_windows(plan, hole, movers);
  return plan.study.of_each.empty() ? study_windows(plan, lengths, hole, movers) : multiply_windows(plan, hole, movers);
}

void add_studies(const std::vector<StudyPlan>& plans, std::span<const int> lengths, const Movers& movers,
                 RelationRun& run, std::vector<IssueStudy>& all) {
  all.resize(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const StudyPlan& plan = plans[i];
    IssueStudy& one = all[i] = plan.study;
    run.add({.compose = [&, lengths] { return windows_of(plan, lengths, run.hole(), movers); },
             .data = {plan.subjects.front().data.front()},
             .first_pass = plan.study.first_pass,
             .note = [&one](std::span<const MachineSample> samples) -> std::optional<ComposedWindows> {
               one.cells = issue_cells(samples);
               // Only half of the warps execute either form.
               for (IssueCell& cell : one.cells) {
                 if (!one.apart) break;
                 for (double* value : {&cell.cycles, &cell.low, &cell.high}) *value *= 2;
               }
               one.interval = issue_interval(one.cells);
               return std::nullopt;
             },
             .fail =
                 [&one](const Error& error) {
                   one.cells.clear();
                   one.interval.reset();
                   one.reason = error;
                 }});
  }
}

/// Runs studies in one hole.
Expected<std::vector<IssueStudy>> measured_studies(const MachineTableOptions& how, const Hole& hole,
                                                   const Movers& movers, const std::vector<StudyPlan>& plans,
                                                   std::span<const int> lengths, std::size_t& done, std::size_t total) {
  RelationRun run(how, hole);
  std::vector<IssueStudy> studies;
  add_studies(plans, lengths, movers, run, studies);
  WARPCLOCK_TRY(run.run(done, total));
  return studies;
}

std::vector<StudyPlan> those_of(const std::vector<StudyPlan>& plans,
                                const std::function<bool(const StudyPlan&)>& wanted) {
  std::vector<StudyPlan> chosen;
  std::ranges::copy_if(plans, std::back_inserter(chosen), wanted);
  return chosen;
}

Expected<void> measure_fetch(const MachineTableOptions& how, const Movers& movers, const std::vector<StudyPlan>& plans,
                             bool first_pass, std::size_t& done, std::size_t total, std::vector<IssueStudy>& all) {
  const Hole& hole = WARPCLOCK_TRY(how.holes->get(first_pass ? HoleKind::Longest : HoleKind::Long));
  const auto chosen = those_of(plans, [&](const StudyPlan& plan) { return plan.study.first_pass == first_pass; });
  const std::span<const int> lengths = first_pass ? std::span<const int>(first_lengths) : warm_lengths;
  auto studies = WARPCLOCK_TRY(measured_studies(how, hole, movers, chosen, lengths, done, total));
  for (IssueStudy& one : studies) one.interval.reset();
  std::ranges::move(studies, std::back_inserter(all));
  return {};
}

/// Those of the studies that are wanted, with their windows.
std::vector<TimedStudy> timed_studies(const std::vector<StudyPlan>& plans, std::span<const int> lengths,
                                      const Hole& hole, const Movers& movers, std::vector<IssueStudy>& studies,
                                      const std::function<bool(const IssueStudy&)>& wanted) {
  std::vector<TimedStudy> all;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!wanted(studies[i])) continue;
    if (auto windows = windows_of(plans[i], lengths, hole, movers))
      all.push_back({&studies[i], *std::move(windows), plans[i].subjects.front().data.front()});
  }
  return all;
}

/// Pairs that overlap oddly, and each of their forms with itself.
std::vector<TimedStudy> odd_pairs(const std::vector<StudyPlan>& plans, const Hole& hole, const Movers& movers,
                                  MachineTable& table) {
  std::set<std::string> forms;
  for (const IssueStudy& pair : table.pairs) {
    if (overlaps_oddly(table, pair)) forms.insert(pair.forms.begin(), pair.forms.end());
  }
  return timed_studies(plans, pair_lengths, hole, movers, table.pairs, [&](const IssueStudy& pair) {
    const bool alone = pair.forms.front() == pair.forms.back() && forms.contains(pair.forms.front());
    return alone || overlaps_oddly(table, pair);
  });
}

/// Runs the studies that need this kind of hole.
Expected<void> measure_between_warps(const MachineTableOptions& how, const Movers& movers,
                                     const std::vector<StudyPlan>& plans, bool multiplies, std::size_t& done,
                                     std::size_t total, MachineTable& table) {
  const auto chosen = those_of(plans, [&](const StudyPlan& plan) { return has_multiply(plan) == multiplies; });
  if (chosen.empty()) return {};
  const Hole& hole = WARPCLOCK_TRY(how.holes->get(multiplies ? HoleKind::LongWarpGroup : HoleKind::Middle));
  auto studies = WARPCLOCK_TRY(measured_studies(how, hole, movers, chosen, {}, done, total));
  WARPCLOCK_TRY(count_studies(how, hole, timed_studies(chosen, {}, hole, movers, studies, [&](const IssueStudy& one) {
                                return overlaps_oddly(table, one);
                              })));
  std::ranges::move(studies, std::back_inserter(table.between_warps));
  return {};
}

}  // namespace

Expected<void> measure_relations(const MachineTableOptions& how, const FormTable& forms, MachineTable& table) {
  const Movers movers = movers_among(how.architecture);
  const auto dependences = dependence_plans(forms, movers);
  const auto pairs = pair_plans(forms, movers), banks = bank_plans(forms, movers),
             fetch = fetch_plans(forms, movers, table.rows);
  const auto multiplies = multiply_plans(forms, movers, table.rows);
  const auto warps = warps_plans(forms, movers, table.rows);
  const std::size_t total =
      dependences.size() + pairs.size() + banks.size() + multiplies.size() + warps.size() + fetch.size();
  std::size_t done = 0;
  const Hole& hole = WARPCLOCK_TRY(how.holes->get(HoleKind::Usual));
  RelationRun run(how, hole);
  add_dependences(dependences, movers, run, table.dependences);
  add_studies(pairs, pair_lengths, movers, run, table.pairs);
  add_studies(banks, one_lengths, movers, run, table.banks);
  WARPCLOCK_TRY(run.run(done, total));
  WARPCLOCK_TRY(count_studies(how, hole, odd_pairs(pairs, hole, movers, table)));
  if (!multiplies.empty()) {
    const Hole& wide = WARPCLOCK_TRY(how.holes->get(HoleKind::LongWarpGroup));
    table.with_multiplies = WARPCLOCK_TRY(measured_studies(how, wide, movers, multiplies, {}, done, total));
    WARPCLOCK_TRY(count_studies(how, wide,
                                timed_studies(multiplies, {}, wide, movers, table.with_multiplies,
                                              [](const IssueStudy& one) { return one.interval.has_value(); })));
  }
  for (const bool with : {true, false})
    WARPCLOCK_TRY(measure_between_warps(how, movers, warps, with, done, total, table));
  WARPCLOCK_TRY(measure_fetch(how, movers, fetch, false, done, total, table.fetch));
  return measure_fetch(how, movers, fetch, true, done, total, table.fetch);
}

}  // namespace warpclock
