#include "measure/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/lookup.hpp"
#include "code/semantics.hpp"
#include "compose/hole.hpp"
#include "compose/hole_source.hpp"
#include "compose/machine_subject.hpp"
#include "fields/form_table.hpp"
#include "measure/counting.hpp"
#include "measure/machine/machine_fit.hpp"
#include "measure/machine/machine_plan.hpp"
#include "measure/machine/window_run.hpp"

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
  const Hole* hole = nullptr;
  std::vector<RouteProgress> progress;       ///< one for each of the subject's routes
  int interval_launches = 0;                 ///< of each window of the issue interval, if they are asked for again
  bool interval_wanted = false;              ///< with so many launches
  std::vector<DependencyLatency> latencies;  ///< one for each of the subject's routes
  std::optional<Estimate> interval;
  std::vector<IssueCell> cells;
  Row row;
};

/// Launches at different places in memory vary with their distance. Medians of launches of two kinds jump.
Centre centre_of(const Underway& one) {
  return one.subject->global || one.interval_wanted ? Centre::TrimmedMean : Centre::Median;
}

HoleKind hole_kind(const MachineSubject& subject, const Movers& movers, std::size_t forms) {
  return subject.wide && movers.arrive != nullptr ? HoleKind::WarpGroup : usual_hole(forms);
}

bool has_windows(std::span<const MachineSample> samples, MachineWindow::Kind kind, int source) {
  return std::ranges::any_of(samples, [&](const MachineSample& sample) {
    return sample.window->kind == kind && sample.window->source == source;
  });
}

void note_stale_reads(DependencyLatency& latency, const StaleSearch& search, StaleLook look,
                      std::span<const MachineSample> samples, int busy_warps) {
  StaleReads reads = stale_reads(samples, search);
  const bool tells_more = look != StaleLook::WithData || reads.wrong.size() > latency.path.wrong.size();
  if (tells_more) {
    latency.least_right = reads.least_right;
    latency.path.wrong = std::move(reads.wrong);
    latency.path.note = std::move(reads.note);
  }
  if (look == StaleLook::WithData) return;
  StaleSearch busy = search;
  busy.warps = busy_warps;
  latency.busy_least_right = stale_reads(samples, busy).least_right;
}

/// Records what the windows of a route show about its latency.
void look_at_route(DependencyLatency& latency, const MachineSubject& subject, const ChainRoute& route,
                   RouteProgress& progress, std::span<const MachineSample> samples) {
  using Kind = MachineWindow::Kind;
  if (has_windows(samples, Kind::Stale, route.source)) {
    note_stale_reads(latency, {.source = route.source, .most = subject.most_stall, .scoreboard = !subject.fixed()},
                     progress.look, samples, subject.busy_warps());
  }
  if (has_windows(samples, Kind::Bridge, route.source)) {
    latency.path.through = parse_instruction(text_of(route.bridge.form->skeleton))->name();
    const StaleReads bridge = stale_reads(samples, {.kind = Kind::Bridge, .source = route.source});
    // If the bridge's least stall count is not found, a safe one is used, because it is subtracted again.
    latency.path.through_cycles = bridge.least_right.value_or(safe_stall);
  }
  if (!has_windows(samples, Kind::Chain, route.source)) return;
  progress.timed = true;
  auto cycles = chain_cycles(samples, route.source, subject.global ? Centre::TrimmedMean : Centre::Median);
  if (!cycles) {
    latency.path.note = cycles.error().text;
    return;
  }
  for (double* value : {&cycles->value, &cycles->low, &cycles->high}) *value -= latency.path.through_cycles;
  latency.cycles = *std::move(cycles);
}

/// Launches of the first windows may be of several kinds, and their median another one in each process. Then more
/// launches are asked for, and replace them, until their mean is known or there are very many.
void note_interval(Underway& one, std::span<const MachineSample> samples) {
  constexpr int few = 65, many = 257;
  std::vector<IssueCell> cells = issue_cells(samples, centre_of(one));
  if (cells.empty()) return;
  if (std::exchange(one.interval_wanted, false)) {
    one.cells.clear();
    one.interval.reset();
  }
  std::ranges::move(cells, std::back_inserter(one.cells));
  if (one.interval) return;
  one.interval = issue_interval(one.cells);
  const bool first = one.interval_launches == 0;
  one.interval_wanted = !one.subject->global && one.interval_launches < many &&
                        (first ? launches_differ(samples) : !means_are_known(samples));
  if (one.interval_wanted) one.interval_launches = first ? few : many;
}

class Engine {
 public:
  explicit Engine(const MachineTableOptions& how)
      : how_(how), movers_(movers_among(how.architecture)), all_(how.forms.size()), run_(how) {}

  [[nodiscard]] Expected<std::vector<Row>> run() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Underway& one = all_[i];
      one.row.id = key_of(how_.forms[i]);
      run_.add({.id = one.row.id,
                .compose = [this, i](WindowQuestion& question) { return begin(i, question); },
                .note = [this, &one](std::span<const MachineSample> samples) { return look(one, samples); },
                .lost = [this, &one](const Error& error, Lost how) { lose(one, error, how); }});
    }
    std::size_t begun = 0;
    WARPCLOCK_TRY(run_.run([&] {
      if (how_.progress) how_.progress(++begun, all_.size());
    }));
    for (Underway& one : all_) finish(one);
    return mapped(all_, &Underway::row);
  }

 private:
  Expected<ComposedWindows> begin(std::size_t i, WindowQuestion& question) {
    Underway& one = all_[i];
    const WordForm& form = how_.forms[i];
    one.row.machine.text = parse_instruction(text_of(form.skeleton)).value_or(Instruction{}).text;
    one.row.machine.word = form.word;
    one.subject = WARPCLOCK_TRY(machine_subject(form, movers_));
    one.row.machine.scoreboard = one.subject->scoreboard;
    one.progress.resize(one.subject->routes.size());
    for (const ChainRoute& route : one.subject->routes) {
      OperandPath& path = one.latencies.emplace_back().path;
      path.source = route.source;
      path.operand = route.operand;
      path.note = route.why_not;
      if (!route.leans) continue;
      path.through = name_in(key_of(*movers_.lean));
      path.through_cycles = safe_stall;
    }
    question.hole = hole_kind(*one.subject, movers_, how_.forms.size());
    question.data = one.subject->data;
    question.global = one.subject->global;
    const Hole& hole = WARPCLOCK_TRY(how_.holes->get(question.hole));
    one.hole = &hole;
    return first_windows(*one.subject, *one.hole, movers_);
  }

  std::optional<ComposedWindows> look(Underway& one, std::span<const MachineSample> samples) {
    for (std::size_t r = 0; r < one.subject->routes.size(); ++r) {
      look_at_route(one.latencies[r], *one.subject, one.subject->routes[r], one.progress[r], samples);
    }
    note_interval(one, samples);
    return ask_next(one);
  }

  std::optional<ComposedWindows> ask_next(Underway& one) {
    ComposedWindows next;
    for (std::size_t i = 0; i < one.subject->routes.size(); ++i) {
      auto more = next_of(one, one.subject->routes[i], one.progress[i], one.latencies[i]);
      if (more) next.append(*std::move(more));
    }
    if (one.interval_wanted) {
      auto again = repeated_issue_windows(*one.subject, one.interval_launches, *one.hole, movers_);
      if (again) next.append(*std::move(again));
    }
    if (wants_surface(one)) {
      auto surface = surface_windows(*one.subject, *one.hole, movers_);
      if (surface) next.append(*std::move(surface));
    }
    return next.windows.empty() ? std::nullopt : std::optional(std::move(next));
  }

  /// The windows for what is not yet known about a route; none if nothing more can be learned.
  Expected<ComposedWindows> next_of(const Underway& one, ChainRoute& route, RouteProgress& progress,
                                    DependencyLatency& latency) const {
    const MachineSubject& subject = *one.subject;
    if (!route.why_not.empty() || progress.timed) return ComposedWindows{};
    const auto look_again = [&](StaleLook look) {
      progress.look = look;
      return stale_windows(subject, route, look, *one.hole, movers_);
    };
    if (subject.fixed() && !latency.least_right && !latency.path.wrong.empty() && progress.look == StaleLook::First) {
      return look_again(StaleLook::AllStalls);
    }
    if (latency.busy_least_right > latency.least_right && progress.look != StaleLook::WithData) {
      return look_again(StaleLook::WithData);
    }
    // An instruction that passes its operand on unchanged shows no stale read unless something on the way changes it.
    const bool tries_adders = progress.adders > 0 || (!latency.least_right && latency.path.wrong.empty());
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
                         static_cast<int>(latency.path.through_cycles), *one.hole, movers_);
  }

  /// Surfaces are measured for tensor instructions, and for the first instruction of each opcode that takes two cycles.
  bool wants_surface(const Underway& one) {
    const auto of_surface = [](const IssueCell& cell) { return cell.stall > 1; };
    if (!one.interval || std::ranges::any_of(one.cells, of_surface)) return false;
    const std::string opcode = parse_instruction(one.row.machine.text)->opcode;
    if (one.subject->of_group()) return false;  // it is issued long before the pipe takes it
    if (opcode.ends_with("MMA")) return true;
    const bool half_rate = one.interval->value > 1.9 && one.interval->value < 2.2;
    return half_rate && one.subject->fixed() && surfaces_.insert(opcode).second;
  }

  /// Keeps what is known where the worker gives no more. A row that the disassembler misreads keeps no number.
  void lose(Underway& one, const Error& error, Lost how) const {
    if (how == Lost::Misread) {
      one.latencies.clear();
      one.interval.reset();
      one.cells.clear();
      one.row.machine.scoreboard = false;
      one.subject.reset();
    }
    if (how != Lost::NoAnswer || !one.interval) {
      one.row.outcome = Outcome::Rejected;
      one.row.reason = {how == Lost::NoAnswer ? "run" : "compose", error.code, error.message()};
    }
    if (how != Lost::NoAnswer) return;
    for (DependencyLatency& latency : one.latencies) {
      if (one.interval && !latency.cycles && latency.path.note.empty()) latency.path.note = error.text;
    }
    if (how_.failed) how_.failed(one.row);
  }

  /// Puts what was found into the row.
  static void finish(Underway& one) {
    for (const DependencyLatency& latency : one.latencies) note_latency(one.row, latency);
    if (one.subject && one.subject->fixed() && one.subject->form->encoded)
      one.row.estimates.push_back(encoded_cycles(*one.subject->form->encoded));
    if (one.interval) one.row.estimates.push_back(*one.interval);
    one.row.machine.cells = std::move(one.cells);
    reject_without_number(one.row);
  }

  const MachineTableOptions& how_;
  const Movers movers_;
  std::vector<Underway> all_;
  WindowRun run_;
  std::set<std::string> surfaces_;  // opcodes for which a surface was requested
};

}  // namespace

Expected<std::vector<Row>> measure_machine(const MachineTableOptions& how) { return Engine(how).run(); }

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

Expected<void> count_forms(Worker& worker, const MachineTableOptions& how, std::vector<Row>& rows) {
  if (!worker.counters_missing().empty()) return {};
  const Movers movers = movers_among(how.architecture);
  std::map<HoleKind, CountedImages> images;
  std::vector<Row> counted(rows.size());
  std::vector<CountedCode> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (estimate_in(rows[i], "interval") == nullptr) continue;
    const MachineSubject subject = WARPCLOCK_TRY(machine_subject(how.forms[i], movers));
    const HoleKind kind = hole_kind(subject, movers, how.forms.size());
    const Hole& hole = WARPCLOCK_TRY(how.holes->get(kind));
    const std::string prefix = fmt::format("{}/pipes.{}.", how.folder, static_cast<int>(kind));
    CountedImages& of_kind = images.try_emplace(kind, hole, prefix).first->second;
    const auto windows = counted_windows(subject, hole, movers);
    if (!windows) continue;
    CountedCode code{.row = &counted[i], .fills_room = true};
    code.kernels = WARPCLOCK_TRY(of_kind.add(*windows, hole_argument(subject.data.front())));
    const auto& [fewer, more] = code.kernels;
    code.copies.copies = static_cast<double>((more.n - fewer.n) * more.warps * passes);
    code.likely = {std::string(pipe_of(name_in(rows[i].id)))};
    counted[i].id = rows[i].id;
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
