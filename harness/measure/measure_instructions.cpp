#include "measure/measure_instructions.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/elapsed.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/job/instruction_job.hpp"
#include "gpu/job/timing_line.hpp"
#include "measure/counted_pair.hpp"
#include "measure/counted_trial.hpp"
#include "measure/counter_sets.hpp"
#include "plan/window.hpp"
#include "record/instruction_pipes.hpp"

namespace warpclock {
namespace {

// The largest and the first part size, in instructions. Each round of a part starts nvdisasm, so parts should be large.
// The first parts are smaller, so that the GPU soon has work and parts that start together do not end together.
constexpr std::size_t most_together = 128, first_together = 16;
// Parts in progress at once on a machine with more than four cores: most of the time a part runs few compilations. A
// smaller machine, which has little memory, works on one part at a time.
constexpr unsigned parts_at_a_time = 12;
// So many rows are counted while the GPU would wait for the compiler. Fewer are not worth the start of the profiler.
constexpr std::size_t worth_counting = 512;
// Instructions whose counters are read in one session of the profiler. The set-up of a session takes longer with more
// of them, except for a second session of the same size.
constexpr std::size_t most_counted = 64;

/// The pipe sets that the chip has. All are checked at once, because each query takes CUPTI tens of milliseconds.
std::vector<Pipes> pipe_sets_of(const std::string& chip) {
  std::vector<Pipes> sets = pipe_sets();
  std::vector<std::string> metrics;
  for (const Pipes& set : sets) {
    for (const std::string& pipe : set) metrics.push_back(pipe_metric(pipe));
  }
  const auto unknown = unknown_metrics(chip, pair_metrics(metrics));
  if (!unknown) return sets;
  const std::set<std::string> lacking(unknown->begin(), unknown->end());
  const auto is_lacking = [&](const std::string& pipe) {
    return std::ranges::any_of(pair_metrics({pipe_metric(pipe)}),
                               [&](const std::string& metric) { return lacking.contains(metric); });
  };
  for (Pipes& set : sets) std::erase_if(set, is_lacking);
  return sets;
}

/// Whether the pipes read so far account for all executed instructions, except for less than a further pipe would need.
bool accounted(const InstructionRecord& row) {
  constexpr double least_of_a_pipe = 0.1;  // half of the threshold of add_counters()
  double pipes = 0, executed = 0;
  for (const auto& [name, value] : row.counters) (name == executed_metric ? executed : pipes) += value;
  return executed > 0 && std::abs(executed - pipes) < least_of_a_pipe;
}

/// The number of warps with the highest rate, if the rate is not known to half a percent: its launches differ, and
/// another process would get a different rate.
std::optional<int> scattering_warps(const InstructionRecord& row) {
  constexpr double known = 0.005;
  const auto rate = std::ranges::find(row.estimates, "throughput", &Estimate::name);
  if (rate == row.estimates.end() ||
      std::max(rate->high - rate->value, rate->value - rate->low) <= known * rate->value) {
    return std::nullopt;
  }
  const auto at = std::ranges::find(row.curve, rate->value, &ThroughputPoint::rate);
  return at == row.curve.end() ? std::nullopt : std::optional(at->warps);
}

/// Studies parts of the subjects on separate threads and hands them over as they are done.
class Compiler {
 public:
  Compiler(const std::vector<Subject>& subjects, const InstructionOptions& how) : subjects_(subjects), how_(how) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const unsigned workers = cores > 4 ? parts_at_a_time : 1;
    const std::size_t stride = subjects.size() / most_together + 1;
    for (std::size_t at = 0; at < stride; ++at) {
      for (std::size_t i = at; i < subjects.size(); i += stride) order_.push_back(i);
    }
    options_ = how.compile;
    options_.build.threads = std::max(1U, workers > 1 ? cores / 2 : cores);
    for (unsigned i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;
  ~Compiler() {
    {
      const std::lock_guard lock(mutex_);
      order_.clear();
    }
    for (auto& thread : threads_) thread.join();
  }

  struct Part {
    std::vector<std::size_t> subjects;
    std::vector<CompiledInstruction> compiled;
    Time::time_point done;
  };

  /// Whether next() returns without waiting.
  bool ready() {
    const std::lock_guard lock(mutex_);
    return !done_.empty();
  }

  Part next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !done_.empty(); });
    Part part = std::move(done_.front());
    done_.pop_front();
    return part;
  }

 private:
  /// The next subjects in order; none if all are taken.
  std::vector<std::size_t> take() {
    const std::lock_guard lock(mutex_);
    together_ = std::min(together_ + first_together, most_together);
    const std::size_t count = std::min(together_, order_.size());
    std::vector<std::size_t> taken(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count));
    order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count));
    return taken;
  }

  void work() {
    for (auto subjects = take(); !subjects.empty(); subjects = take()) {
      Part part{std::move(subjects), {}, {}};
      std::vector<const PtxInstruction*> had;
      for (const std::size_t i : part.subjects) {
        if (has(how_.arch, subjects_[i].needs)) had.push_back(&subjects_[i].instruction);
      }
      std::vector<CompiledInstruction> compiled = compile_instructions(had, how_.arch, options_);
      std::size_t taken = 0;
      for (const std::size_t i : part.subjects) {
        if (has(how_.arch, subjects_[i].needs)) {
          part.compiled.push_back(std::move(compiled[taken++]));
        } else {
          CompiledInstruction lacking;
          lacking.problem = fail(ErrorCode::UnsupportedArch, subjects_[i].needs.why).error();
          part.compiled.push_back(std::move(lacking));
        }
      }
      part.done = Time::now();
      const std::lock_guard lock(mutex_);
      done_.push_back(std::move(part));
      changed_.notify_all();
    }
  }

  const std::vector<Subject>& subjects_;
  const InstructionOptions& how_;
  CompileInstructionOptions options_;
  std::mutex mutex_;
  /// Subjects not yet taken. Neighbours belong to one family, and some families take the compiler ten times as long as
  /// others. So the order is strided, and each part gets subjects of all families.
  std::deque<std::size_t> order_;
  std::size_t together_ = 0;  ///< size of the part taken last
  std::condition_variable changed_;
  std::deque<Part> done_;
  std::vector<std::thread> threads_;
};

/// Verification is complete, and the machine code of a whole catalogue takes a gigabyte.
void drop_code(CompiledInstruction& compiled) {
  for (Trial& trial : compiled.trials) trial.shown = {};
}

class InstructionMeasurer {
 public:
  InstructionMeasurer(const std::vector<Subject>& subjects, const InstructionOptions& how)
      : subjects_(subjects), how_(how), found_(subjects.size()) {}

  Expected<std::vector<MeasuredInstruction>> run(InstructionTimes& times) {
    const auto started = Time::now();
    Compiler compiler(subjects_, how_);
    TimingLine line(desk(), [this](std::size_t i, const Job& job, const Expected<Observation>& seen, bool again) {
      return look(i, job, seen, again);
    });
    for (std::size_t taken = 0; taken < subjects_.size();) {
      if (uncounted_.size() >= worth_counting && !compiler.ready()) WARPCLOCK_TRY(count(times));
      Compiler::Part part = compiler.next();
      times.compiling_s = std::max(times.compiling_s, std::chrono::duration<double>(part.done - started).count());
      for (std::size_t i = 0; i < part.compiled.size(); ++i)
        WARPCLOCK_TRY(begin(part.subjects[i], std::move(part.compiled[i]), line));
      taken += part.compiled.size();
      WARPCLOCK_TRY(line.finish());
    }
    times.timing_s = line.busy_s();
    times.again_s = line.again_s();
    times.again = line.again();
    times.assembling_s = assembling_s_;
    WARPCLOCK_TRY(count(times));
    return std::move(found_);
  }

 private:
  /// A row whose answer is pending.
  struct Begun {
    CompiledInstruction compiled;
    std::vector<Timing> series;
    std::optional<Observation> seen;  ///< of the first look
  };

  [[nodiscard]] TimingLine::Desk desk() const {
    if (!how_.worker) return {};
    return {[worker = how_.worker](const Job& job) { worker->post(job); },
            [worker = how_.worker] { return worker->take(); }};
  }

  Expected<void> begin(std::size_t i, CompiledInstruction compiled, TimingLine& line) {
    const Subject& subject = subjects_[i];
    std::vector<Timing> series = timings(compiled);
    const bool runs = how_.worker && !compiled.problem && !series.empty();
    const Begun& begun = begun_[i] = {std::move(compiled), std::move(series), {}};
    if (runs) return line.add(i, timing_job(subject.id, subject.instruction, begun.compiled, begun.series));
    assemble(i, nullptr);
    end(i);
    return {};
  }

  void assemble(std::size_t i, const Expected<Observation>* seen) {
    const auto assembling = Time::now();
    const Subject& subject = subjects_[i];
    const InstructionName name{subject.id, subject.family, subject.ptx, to_string(how_.arch)};
    const Begun& begun = begun_.at(i);
    found_[i].record = assemble_instruction(name, subject.instruction, begun.compiled, begun.series, seen);
    assembling_s_ += seconds_since(assembling);
  }

  /// A rate that scatters is measured again at the same number of warps with more launches.
  std::optional<Job> look(std::size_t i, const Job& job, const Expected<Observation>& seen, bool again) {
    Begun& begun = begun_.at(i);
    if (!again) {
      assemble(i, &seen);
      if (const auto warps = seen ? scattering_warps(found_[i].record) : std::nullopt) {
        begun.seen = *seen;
        return throughput_at(job, begun.compiled, begun.series, *warps);
      }
    } else if (seen) {
      const Expected<Observation> both =
          with_throughput(*std::move(begun.seen), *seen, job, begun.compiled, begun.series);
      assemble(i, &both);
    }
    // If the second look fails, the row keeps the result of the first.
    end(i);
    return std::nullopt;
  }

  void end(std::size_t i) {
    found_[i].compiled = std::move(begun_.at(i).compiled);
    begun_.erase(i);
    if (!how_.keep_code) drop_code(found_[i].compiled);
    uncounted_.push_back(i);
    ++done_;
    if (how_.progress) how_.progress(done_, subjects_.size());
  }

  /// A row whose counters are to be read, and the trial that is run for it.
  struct Counted {
    MeasuredInstruction* found;
    const Trial* trial;
    Pipes likely, read;
    bool separable = true;  ///< whether its two kernels can be separated when they are counted as one
  };

  /// Reads one counter set after another for each row timed so far, the likely sets first, until they account for all
  /// executed instructions.
  Expected<void> count(InstructionTimes& times) {
    const std::vector<std::size_t> timed = std::exchange(uncounted_, {});
    if (!how_.worker || !how_.counters) return {};
    const auto started = Time::now();
    std::vector<Counted> rows;
    for (const std::size_t i : timed) {
      MeasuredInstruction& found = found_[i];
      if (found.record.outcome != Outcome::Measured) continue;
      if (const Trial* trial = counted_trial(found.compiled))
        rows.push_back({&found, trial, likely_pipes(*trial), {}, true});
    }
    if (sets_.empty()) sets_ = pipe_sets_of(how_.worker->device().chip);
    const std::vector<Pipes>& sets = sets_;
    for (bool any = true; any;) {
      any = false;
      for (std::size_t set = 0; set < sets.size(); ++set) {
        std::vector<Counted*> all;
        for (Counted& row : rows) {
          const bool wanted = row.separable && !accounted(row.found->record);
          if (wanted && next_set(sets, row.likely, row.read) == set) all.push_back(&row);
        }
        // Neighbours are in different modules. Rows of one module are counted together, while it is loaded.
        std::ranges::stable_sort(
            all, {}, [](const Counted* row) -> const auto& { return row->trial->kernels.back().cubin_path; });
        WARPCLOCK_TRY(count_all(all, metrics_of(sets[set]), told_apart_by_sm(sets[set])));
        for (Counted* row : all) row->read.insert(sets[set].begin(), sets[set].end());
        any = any || !all.empty();
      }
    }
    WARPCLOCK_TRY(count_inseparable(rows));
    times.counting_s += seconds_since(started);
    return {};
  }

  /// Handles the few rows whose kernels execute more instructions if they run together, like a loop around a
  /// compare-and-swap. Each kernel is counted alone, for all pipes, in as many passes as needed.
  Expected<void> count_inseparable(std::vector<Counted>& rows) {
    std::vector<Counted*> all;
    for (Counted& row : rows) {
      if (!row.separable) all.push_back(&row);
    }
    Pipes pipes;
    for (const Pipes& set : sets_) pipes.insert(set.begin(), set.end());
    return count_all(all, metrics_of(pipes), false);
  }

  /// Uses groups of equal size, because for the profiler another number of launches costs as much as other counters.
  Expected<void> count_all(const std::vector<Counted*>& all, const std::vector<std::string>& names, bool as_pairs) {
    if (all.empty()) return {};
    const std::size_t groups = (all.size() + most_counted - 1) / most_counted;
    const std::size_t each = (all.size() + groups - 1) / groups;
    for (std::size_t from = 0; from < all.size(); from += each) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
      const auto last = first + static_cast<std::ptrdiff_t>(std::min(each, all.size() - from));
      WARPCLOCK_TRY(count_group({first, last}, names, as_pairs, each));
    }
    return {};
  }

  /// Counts a group in one job, as pairs of kernels or each kernel alone. If that fails, counts each row in its own
  /// job, so that the reason is recorded in the right row. The last row is repeated until there are `size`.
  Expected<void> count_group(const std::vector<Counted*>& group, const std::vector<std::string>& names, bool as_pairs,
                             std::size_t size) {
    std::vector<const Trial*> trials;
    for (const Counted* one : group) trials.push_back(one->trial);
    trials.resize(size, trials.back());
    std::string missing = how_.worker->counters_missing();
    std::vector<CounterValues> values;
    int passes = 1;
    if (missing.empty()) {
      const Job job =
          counting_job(group.front()->found->record.id, trials, as_pairs ? pair_metrics(names) : names, as_pairs);
      passes = static_cast<int>(job.launch.warmups) + 1;
      auto observation = how_.worker->run(job);
      if (!observation && observation.error().code == ErrorCode::DeviceLost)
        return std::unexpected(observation.error());
      if (observation) values = std::move(observation->counted);
      missing = observation ? observation->counters_missing : observation.error().message();
      const std::size_t expected = as_pairs ? size : 2 * size;
      if (missing.empty() && values.size() != expected) missing = "the worker did not count all kernels";
    }
    if (!missing.empty() && group.size() > 1 && how_.worker->counters_missing().empty()) {
      for (Counted* one : group) WARPCLOCK_TRY(count_group({one}, names, as_pairs, 1));
      return {};
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Trial& trial = *group[i]->trial;
      CopyCounters counters;
      counters.missing = missing;
      if (missing.empty() && as_pairs) {
        auto pair = told_apart(values[i], names, how_.worker->device().sms);
        group[i]->separable = pair.has_value();
        if (!pair) continue;
        counters.smaller = std::move(pair->smaller);
        counters.larger = std::move(pair->larger);
      } else if (missing.empty()) {
        counters.smaller = std::move(values[2 * i]);
        counters.larger = std::move(values[2 * i + 1]);
      }
      counters.copies = further_copies(trial, passes);
      counters.planned = planned(trial);
      if (!counters.planned) counters.likely = own_pipes(group[i]->found->compiled.expansion);
      counters.others = other_pipes(trial, group[i]->found->compiled.expansion, counters.copies);
      add_counters(counters, group[i]->found->record);
    }
    return {};
  }

  const std::vector<Subject>& subjects_;
  const InstructionOptions& how_;
  std::vector<MeasuredInstruction> found_;
  std::map<std::size_t, Begun> begun_;
  std::vector<std::size_t> uncounted_;
  std::vector<Pipes> sets_;
  std::size_t done_ = 0;
  double assembling_s_ = 0;
};

}  // namespace

Expected<std::vector<MeasuredInstruction>> measure_instructions(const std::vector<Subject>& subjects,
                                                                const InstructionOptions& how,
                                                                InstructionTimes* times) {
  InstructionTimes own;
  return InstructionMeasurer(subjects, how).run(times ? *times : own);
}

}  // namespace warpclock
