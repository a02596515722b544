#include "measure/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/lookup.hpp"
#include "base/parallel.hpp"
#include "code/semantics.hpp"
#include "compose/hole.hpp"
#include "compose/hole_source.hpp"
#include "compose/machine_subject.hpp"
#include "fields/form_table.hpp"
#include "measure/counting.hpp"
#include "measure/machine/machine_fit.hpp"
#include "measure/machine/machine_plan.hpp"
#include "measure/machine/window_images.hpp"

namespace warpclock {
namespace {

struct RouteProgress {
  StaleLook look = StaleLook::First;
  std::size_t adders = 0;  ///< number of adders that were tried as bridges
  /// The bridge that gets the result soonest, which is most likely one on the same pipe.
  std::optional<std::pair<Mover, DependencyLatency>> soonest;
  bool timed = false;
};

/// A form that is being measured. The result of each job decides what to ask next.
struct Underway {
  std::optional<MachineSubject> subject;
  WindowImages* images = nullptr;
  ComposedWindows composed;
  WindowJob ran;
  std::vector<RouteProgress> progress;  ///< one for each of the subject's routes
  int interval_launches = 0;            ///< of each window of the issue interval, if they are asked for again
  bool interval_wanted = false;         ///< with so many launches
  MachineRow row;
};

class Engine {
 public:
  explicit Engine(const MachineTableOptions& how) : how_(how), movers_(movers_among(how.architecture)) {}

  [[nodiscard]] Expected<std::vector<MachineRow>> run();

 private:
  [[nodiscard]] Expected<Job> begin(std::size_t i);
  [[nodiscard]] Expected<Job> job_for(Underway& one);
  void read_back();
  [[nodiscard]] std::optional<Job> look(std::size_t i, const Expected<Observation>& seen);
  [[nodiscard]] std::optional<Job> ask_next(Underway& one);
  [[nodiscard]] Expected<ComposedWindows> next_of(const Underway& one, ChainRoute& route, RouteProgress& progress,
                                                  DependencyLatency& latency) const;
  [[nodiscard]] bool wants_surface(const Underway& one);
  [[nodiscard]] Expected<WindowImages*> images_for(const MachineSubject& subject);

  const MachineTableOptions& how_;
  const Movers movers_;
  std::mutex mutex_;
  std::map<HoleKind, WindowImages> images_;  ///< guarded by the mutex
  std::vector<Underway> all_;
  std::set<std::string> surfaces_;  // opcodes for which a surface was requested
};

/// Launches at different places in memory vary with their distance. Medians of launches of two kinds jump.
Centre centre_of(const Underway& one) {
  return one.subject->global || one.interval_wanted ? Centre::TrimmedMean : Centre::Median;
}

Expected<WindowImages*> Engine::images_for(const MachineSubject& subject) {
  const std::lock_guard lock(mutex_);
  const bool for_groups = subject.wide && movers_.arrive != nullptr;
  const HoleKind kind = for_groups ? HoleKind::WarpGroup : usual_hole(how_.forms.size());
  const Hole& hole = WARPCLOCK_TRY(how_.holes->get(kind));
  return &images_.try_emplace(kind, *how_.holes, hole, how_.folder + (for_groups ? "/wide." : "/any.")).first->second;
}

Expected<Job> Engine::job_for(Underway& one) {
  one.ran = WARPCLOCK_TRY(one.images->job_for(static_cast<std::size_t>(&one - all_.data()), one.composed,
                                              one.subject->data, one.subject->global));
  one.ran.job.id = one.row.key;
  return one.ran.job;
}

Expected<Job> Engine::begin(std::size_t i) {
  Underway& one = all_[i];
  const WordForm& form = how_.forms[i];
  one.row.key = key_of(form);
  one.row.text = parse_instruction(text_of(form.skeleton)).value_or(Instruction{}).text;
  one.row.word = form.word;
  one.subject = WARPCLOCK_TRY(machine_subject(form, movers_));
  one.row.scoreboard = one.subject->scoreboard;
  if (one.subject->fixed()) one.row.encoded = one.subject->form->encoded;
  one.progress.resize(one.subject->routes.size());
  for (const ChainRoute& route : one.subject->routes) {
    DependencyLatency& latency = one.row.latencies.emplace_back();
    latency.source = route.source;
    latency.operand = route.operand;
    latency.note = route.why_not;
    if (!route.leans) continue;
    latency.through = name_in(key_of(*movers_.lean));
    latency.through_cycles = safe_stall;
  }
  one.images = WARPCLOCK_TRY(images_for(*one.subject));
  one.composed = WARPCLOCK_TRY(first_windows(*one.subject, one.images->hole(), movers_));
  return job_for(one);
}

bool has_windows(const ComposedWindows& composed, MachineWindow::Kind kind, int source) {
  return std::ranges::any_of(
      composed.windows, [&](const MachineWindow& window) { return window.kind == kind && window.source == source; });
}

void note_stale_reads(DependencyLatency& latency, const StaleSearch& search, StaleLook look,
                      std::span<const MachineSample> samples, int busy_warps) {
  StaleReads reads = stale_reads(samples, search);
  const bool tells_more = look != StaleLook::WithData || reads.wrong.size() > latency.wrong.size();
  if (tells_more) {
    latency.least_right = reads.least_right;
    latency.wrong = std::move(reads.wrong);
    latency.note = std::move(reads.note);
  }
  if (look == StaleLook::WithData) return;
  StaleSearch busy = search;
  busy.warps = busy_warps;
  latency.busy_least_right = stale_reads(samples, busy).least_right;
}

/// Records what the windows of a route show about its latency.
void note_latency(DependencyLatency& latency, const MachineSubject& subject, const ChainRoute& route,
                  RouteProgress& progress, const ComposedWindows& composed, std::span<const MachineSample> samples) {
  using Kind = MachineWindow::Kind;
  if (has_windows(composed, Kind::Stale, route.source)) {
    note_stale_reads(latency, {.source = route.source, .most = subject.most_stall, .scoreboard = !subject.fixed()},
                     progress.look, samples, subject.busy_warps());
  }
  if (has_windows(composed, Kind::Bridge, route.source)) {
    latency.through = parse_instruction(text_of(route.bridge.form->skeleton))->name();
    const StaleReads bridge = stale_reads(samples, {.kind = Kind::Bridge, .source = route.source});
    // If the bridge's least stall count is not found, a safe one is used, because it is subtracted again.
    latency.through_cycles = bridge.least_right.value_or(safe_stall);
  }
  if (!has_windows(composed, Kind::Chain, route.source)) return;
  progress.timed = true;
  auto cycles = chain_cycles(samples, route.source, subject.global ? Centre::TrimmedMean : Centre::Median);
  if (!cycles) {
    latency.note = cycles.error().text;
    return;
  }
  for (double* value : {&cycles->value, &cycles->low, &cycles->high}) *value -= latency.through_cycles;
  latency.cycles = *std::move(cycles);
}

/// Keeps results that are already known.
void note_failure(MachineRow& row, const Error& error) {
  if (!row.interval) row.reason = error;
  for (DependencyLatency& latency : row.latencies) {
    if (row.interval && !latency.cycles && latency.note.empty()) latency.note = error.text;
  }
}

/// The windows for what is not yet known about a route; none if nothing more can be learned.
Expected<ComposedWindows> Engine::next_of(const Underway& one, ChainRoute& route, RouteProgress& progress,
                                          DependencyLatency& latency) const {
  const MachineSubject& subject = *one.subject;
  if (!route.why_not.empty() || progress.timed) return ComposedWindows{};
  const auto look_again = [&](StaleLook look) {
    progress.look = look;
    return stale_windows(subject, route, look, one.images->hole(), movers_);
  };
  if (subject.fixed() && !latency.least_right && !latency.wrong.empty() && progress.look == StaleLook::First) {
    return look_again(StaleLook::AllStalls);
  }
  if (latency.busy_least_right > latency.least_right && progress.look != StaleLook::WithData) {
    return look_again(StaleLook::WithData);
  }
  // An instruction that passes its operand on unchanged shows no stale read unless something on the way changes it.
  const bool tries_adders = progress.adders > 0 || (!latency.least_right && latency.wrong.empty());
  if (subject.fixed() && tries_adders && takes_adders(subject, route)) {
    if (progress.adders > 0 && latency.least_right) {
      if (!progress.soonest || latency.least_right < progress.soonest->second.least_right) {
        progress.soonest = {route.bridge, latency};
      }
    }
    if (progress.adders < movers_.adders.size()) {
      route.bridge = movers_.adders[progress.adders++];
      return look_again(StaleLook::First);
    }
    if (!progress.soonest) return ComposedWindows{};
    std::tie(route.bridge, latency) = *progress.soonest;
  }
  if (subject.fixed() && !latency.least_right) return ComposedWindows{};
  return chain_windows(subject, route, subject.fixed() ? *latency.least_right : scoreboard_stall,
                       static_cast<int>(latency.through_cycles), one.images->hole(), movers_);
}

/// Surfaces are measured for tensor instructions, and for the first instruction of each opcode that takes two cycles.
bool Engine::wants_surface(const Underway& one) {
  const auto of_surface = [](const IssueCell& cell) { return cell.stall > 1; };
  if (!one.row.interval || std::ranges::any_of(one.row.cells, of_surface)) return false;
  const std::string opcode = parse_instruction(one.row.text)->opcode;
  if (one.subject->of_group()) return false;  // it is issued long before the pipe takes it
  if (opcode.ends_with("MMA")) return true;
  const bool half_rate = one.row.interval->value > 1.9 && one.row.interval->value < 2.2;
  return half_rate && one.subject->fixed() && surfaces_.insert(opcode).second;
}

std::optional<Job> Engine::ask_next(Underway& one) {
  ComposedWindows next;
  for (std::size_t i = 0; i < one.subject->routes.size(); ++i) {
    auto more = next_of(one, one.subject->routes[i], one.progress[i], one.row.latencies[i]);
    if (more) next.append(*std::move(more));
  }
  if (one.interval_wanted) {
    auto again = repeated_issue_windows(*one.subject, one.interval_launches, one.images->hole(), movers_);
    if (again) next.append(*std::move(again));
  }
  if (wants_surface(one)) {
    auto surface = surface_windows(*one.subject, one.images->hole(), movers_);
    if (surface) next.append(*std::move(surface));
  }
  one.composed = std::move(next);
  if (one.composed.windows.empty()) return std::nullopt;
  auto job = job_for(one);
  if (job) return *std::move(job);
  one.row.reason = job.error();
  return std::nullopt;
}

/// Launches of the first windows may be of several kinds, and their median another one in each process. Then more
/// launches are asked for, and replace them, until their mean is known or there are very many.
void note_interval(Underway& one, std::span<const MachineSample> samples) {
  constexpr int few = 65, many = 257;
  std::vector<IssueCell> cells = issue_cells(samples, centre_of(one));
  if (cells.empty()) return;
  if (std::exchange(one.interval_wanted, false)) {
    one.row.cells.clear();
    one.row.interval.reset();
  }
  std::ranges::move(cells, std::back_inserter(one.row.cells));
  if (one.row.interval) return;
  one.row.interval = issue_interval(one.row.cells);
  const bool first = one.interval_launches == 0;
  one.interval_wanted = !one.subject->global && one.interval_launches < many &&
                        (first ? launches_differ(samples) : !means_are_known(samples));
  if (one.interval_wanted) one.interval_launches = first ? few : many;
}

std::optional<Job> Engine::look(std::size_t i, const Expected<Observation>& seen) {
  Underway& one = all_[i];
  remove_images(one.ran);
  if (!seen) {
    note_failure(one.row, seen.error());
    if (how_.failed) how_.failed(one.row);
    return std::nullopt;
  }
  const std::vector<MachineSample> samples = samples_of(one.composed.windows, *seen);
  for (std::size_t r = 0; r < one.subject->routes.size(); ++r) {
    note_latency(one.row.latencies[r], *one.subject, one.subject->routes[r], one.progress[r], one.composed, samples);
  }
  note_interval(one, samples);
  return ask_next(one);
}

/// A row keeps its numbers only if the disassembler reads every word that ran for it as intended.
void Engine::read_back() {
  std::map<std::size_t, std::string> misread;
  for (auto& [kind, images] : images_) misread.merge(images.misread_rows());
  for (const auto& [row, wrong] : misread) {
    MachineRow& bare = all_[row].row;
    bare = {.key = bare.key, .text = bare.text, .word = bare.word, .reason = Error{"read-back", wrong, {}}};
  }
}

Expected<std::vector<MachineRow>> Engine::run() {
  const std::size_t total = how_.forms.size();
  all_.resize(total);
  TimingLine line(how_.desk, [this](std::size_t row, const Job&, const Expected<Observation>& seen, bool) {
    return look(row, seen);
  });
  WARPCLOCK_TRY(make_ahead(
      total, [&](std::size_t i) { return begin(i); },
      [&](std::size_t i, Expected<Job> job) -> Expected<void> {
        if (how_.progress) how_.progress(i + 1, total);
        if (job) return line.add(i, *std::move(job));
        all_[i].row.reason = job.error();
        return {};
      }));
  WARPCLOCK_TRY(line.finish());
  read_back();
  std::vector<MachineRow> rows;
  for (Underway& one : all_) rows.push_back(std::move(one.row));
  return rows;
}

}  // namespace

Expected<std::vector<MachineRow>> measure_machine(const MachineTableOptions& how) { return Engine(how).run(); }

namespace {

constexpr int passes = static_cast<int>(Launch{}.warmups) + 1;

/// The images of the windows of one kind of hole. A window goes into the next kernel of the last image.
class CountedImages {
 public:
  CountedImages(const Hole& hole, std::string prefix) : hole_(hole), prefix_(std::move(prefix)) {}

  /// The kernels of two windows, the first with fewer copies. The image is there after write().
  Expected<KernelPair> add(const ComposedWindows& composed, std::int64_t at) {
    if (fillings_.size() + composed.fillings.size() > hole_.kernels.size()) WARPCLOCK_TRY(write());
    KernelPair pair;
    for (std::size_t i = 0; i < pair.size(); ++i) {
      const MachineWindow& window = composed.windows[i];
      pair[i] = {.n = window.n,
                 .symbol = hole_.kernels[fillings_.size()].symbol,
                 .warps = window.warps,
                 .cubin_path = path(),
                 .at = at};
      fillings_.push_back(composed.fillings[window.filling]);
    }
    return pair;
  }

  Expected<void> write() {
    if (fillings_.empty()) return {};
    const auto image = WARPCLOCK_TRY(fill_hole(hole_, fillings_));
    if (!(std::ofstream(path(), std::ios::binary) << image)) return fail("io", "cannot write " + path());
    fillings_.clear();
    ++images_;
    return {};
  }

 private:
  [[nodiscard]] std::string path() const { return fmt::format("{}{}.cubin", prefix_, images_); }

  const Hole& hole_;
  std::string prefix_;
  std::vector<Filling> fillings_;
  std::size_t images_ = 0;
};

}  // namespace

Expected<void> count_forms(Worker& worker, const MachineTableOptions& how, std::vector<MachineRow>& rows) {
  if (!worker.counters_missing().empty()) return {};
  const Movers movers = movers_among(how.architecture);
  std::map<HoleKind, CountedImages> images;
  std::vector<InstructionRecord> counted(rows.size());
  std::vector<CountedCode> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].interval) continue;
    const MachineSubject subject = WARPCLOCK_TRY(machine_subject(how.forms[i], movers));
    const bool for_groups = subject.wide && movers.arrive != nullptr;
    const HoleKind kind = for_groups ? HoleKind::WarpGroup : usual_hole(how.forms.size());
    const Hole& hole = WARPCLOCK_TRY(how.holes->get(kind));
    CountedImages& of_kind =
        images.try_emplace(kind, hole, how.folder + (for_groups ? "/pipes.wide." : "/pipes.")).first->second;
    const auto windows = counted_windows(subject, hole, movers);
    if (!windows) continue;
    CountedCode code{.row = &counted[i], .fills_room = true};
    code.kernels = WARPCLOCK_TRY(of_kind.add(*windows, hole_argument(subject.data.front())));
    const auto& [fewer, more] = code.kernels;
    code.copies.copies = static_cast<double>((more.n - fewer.n) * more.warps * passes);
    code.likely = {std::string(pipe_of(name_in(rows[i].key)))};
    counted[i].id = rows[i].key;
    all.push_back(std::move(code));
  }
  for (auto& [kind, of_kind] : images) WARPCLOCK_TRY(of_kind.write());
  InstructionCounter counter(worker, available_pipe_sets(worker.device().chip));
  WARPCLOCK_TRY(counter.count(std::move(all)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].pipes = std::move(counted[i].pipes);
    rows[i].counters = std::move(counted[i].counters);
  }
  return {};
}

}  // namespace warpclock
