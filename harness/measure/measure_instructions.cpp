#include "measure/measure_instructions.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "base/lookup.hpp"
#include "compose/machine_subject.hpp"
#include "compose/movers.hpp"
#include "fields/form_table.hpp"
#include "gpu/job/instruction_job.hpp"
#include "gpu/job/job.hpp"
#include "measure/counting.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

// The largest and the first part size, in instructions. Each round of a part starts nvdisasm, so parts should be large.
// The first parts are smaller, so that the GPU soon has work and parts that start together do not end together.
constexpr std::size_t most_together = 128, first_together = 16;
// Parts in progress at once on a machine with more than four cores: most of the time a part runs few compilations. A
// smaller machine, which has little memory, works on one part at a time.
constexpr unsigned parts_at_a_time = 12;
}  // namespace

CompileQueue::CompileQueue(const std::vector<Subject>& subjects, const InstructionOptions& how)
    : subjects_(subjects), how_(how) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned workers = cores > 4 ? parts_at_a_time : 1;
  const std::size_t stride = subjects.size() / most_together + 1;
  for (std::size_t at = 0; at < stride; ++at) {
    for (std::size_t i = at; i < subjects.size(); i += stride) order_.push_back(i);
  }
  options_ = how.compile;
  options_.build.threads = std::max(1U, workers > 1 ? cores / 2 : cores);
  try {
    for (unsigned i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // One is enough.
    if (threads_.empty()) throw;
  }
}

CompileQueue::~CompileQueue() {
  {
    const std::lock_guard lock(mutex_);
    order_.clear();
  }
  for (auto& thread : threads_) thread.join();
}

bool CompileQueue::ready() {
  const std::lock_guard lock(mutex_);
  return !done_.empty();
}

CompileQueue::Part CompileQueue::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !done_.empty(); });
  Part part = std::move(done_.front());
  done_.pop_front();
  return part;
}

std::vector<std::size_t> CompileQueue::take() {
  const std::lock_guard lock(mutex_);
  together_ = std::min(together_ + first_together, most_together);
  const std::size_t count = std::min(together_, order_.size());
  std::vector<std::size_t> taken(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count));
  order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count));
  return taken;
}

std::vector<CompiledInstruction> CompileQueue::compiled_or_why(const std::vector<const PtxInstruction*>& had) const {
  auto compiled = caught("", [&]() -> Expected<std::vector<CompiledInstruction>> {
    return compile_instructions(had, how_.arch, options_);
  });
  if (compiled) return *std::move(compiled);
  CompiledInstruction lost;
  lost.problem = compiled.error();
  return std::vector<CompiledInstruction>(had.size(), lost);
}

void CompileQueue::work() {
  // What measures meanwhile must not wait for a core: it composes, and keeps the GPU busy. Threads and programs that
  // this one starts have its niceness.
  constexpr int yielding = 10;
  (void)setpriority(PRIO_PROCESS, 0, yielding);
  for (auto subjects = take(); !subjects.empty(); subjects = take()) {
    Part part{std::move(subjects), {}, {}};
    std::vector<const PtxInstruction*> had;
    for (const std::size_t i : part.subjects) {
      if (has(how_.arch, subjects_[i].needs)) had.push_back(&subjects_[i].instruction);
    }
    std::vector<CompiledInstruction> compiled = compiled_or_why(had);
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

namespace {

bool scatter(const Samples& samples) {
  constexpr double same = 0.001;
  return std::ranges::any_of(samples, [](const Series& series) {
    if (series.cycles.empty()) return false;
    const auto [least, most] = std::ranges::minmax(series.cycles);
    return most - least > same * least;
  });
}

}  // namespace

std::set<int> scattering_warps(const Row& row) {
  constexpr double known = 0.005;
  const auto rate = std::ranges::find(row.estimates, "throughput", &Estimate::name);
  const InstructionRun* run = row.instruction.throughput_run();
  if (rate == row.estimates.end() || run == nullptr) return {};
  std::set<int> warps;
  double most = rate->high;
  for (const ThroughputPoint& point : row.instruction.curve) {
    most = std::max(most, point.rate);
    const auto samples = run->samples.find(point.warps);
    if (point.rate >= rate->value && samples != run->samples.end() && scatter(samples->second))
      warps.insert(point.warps);
  }
  if (std::max(most - rate->value, rate->value - rate->low) <= known * rate->value) return {};
  return warps;
}

namespace {

// So many rows are counted while the GPU would wait for the compiler. Fewer are not worth the start of the profiler.
constexpr std::size_t worth_counting = 512;
// The same for forms.
constexpr std::size_t worth_measuring = 64;

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
    InstructionOptions how = how_;
    if (how_.forms)
      how.compile.answers = [this, movers = movers_among(table_.all())](const WordForm& form) {
        return table_.find(key_of(form)) != nullptr && machine_subject(form, movers).has_value();
      };
    CompileQueue compiler(subjects_, how);
    if (how_.worker) worker_ = WARPCLOCK_TRY(how_.worker());
    if (worker_ != nullptr && how_.counters) {
      sets_ = std::async(std::launch::async, [chip = worker_->device().chip] { return available_pipe_sets(chip); });
    }
    TimingLine line(desk(), [this](std::size_t i, const Job& job, const Expected<Observation>& seen, bool again) {
      return look(i, job, seen, again);
    });
    for (std::size_t taken = 0; taken < subjects_.size();) {
      if (words_.size() >= worth_measuring && !compiler.ready()) WARPCLOCK_TRY(answer_by_forms(line));
      if (uncounted_.size() >= worth_counting && !compiler.ready()) WARPCLOCK_TRY(count(times));
      CompileQueue::Part part = compiler.next();
      times.compiling_s = std::max(times.compiling_s, std::chrono::duration<double>(part.done - started).count());
      for (std::size_t i = 0; i < part.compiled.size(); ++i)
        WARPCLOCK_TRY(begin(part.subjects[i], std::move(part.compiled[i]), line));
      taken += part.compiled.size();
      WARPCLOCK_TRY(line.finish());
    }
    WARPCLOCK_TRY(answer_by_forms(line));
    WARPCLOCK_TRY(line.finish());
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
    if (worker_ == nullptr) return {};
    return {[this](const Job& job) { worker_->post(job); }, [this] { return worker_->take(); }};
  }

  /// Measures the forms of the words that wait for them, each form once. What ptxas makes of several copies is timed
  /// as everything else.
  Expected<void> answer_by_forms(TimingLine& line) {
    const std::vector<std::size_t> waiting = std::exchange(words_, {});
    std::vector<WordForm> forms;
    std::set<std::string> keys;
    for (const std::size_t i : waiting) {
      const std::string& key = begun_.at(i).compiled.word->form;
      if (!forms_.contains(key) && keys.insert(key).second) forms.push_back(*table_.find(key));
    }
    if (!forms.empty()) {
      for (Row& row : WARPCLOCK_TRY(how_.forms(*worker_, forms))) forms_.emplace(row.id, std::move(row));
    }
    for (const std::size_t i : waiting) {
      Begun& begun = begun_.at(i);
      found_[i].form = forms_.at(begun.compiled.word->form);
      if (!begun.series.empty()) {
        const Subject& subject = subjects_[i];
        WARPCLOCK_TRY(line.add(i, timing_job(subject.id, subject.instruction, begun.compiled, begun.series)));
        continue;
      }
      assemble(i, nullptr);
      end(i);
    }
    return {};
  }

  Expected<void> begin(std::size_t i, CompiledInstruction compiled, TimingLine& line) {
    const Subject& subject = subjects_[i];
    std::vector<Timing> series = timings(compiled);
    const bool runs = worker_ != nullptr && !compiled.problem && !series.empty();
    const Begun& begun = begun_[i] = {std::move(compiled), std::move(series), {}};
    if (worker_ != nullptr && begun.compiled.word) {
      words_.push_back(i);
      return {};
    }
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
    found_[i].record = assemble_instruction(name, subject.instruction, begun.compiled, begun.series, seen,
                                            found_[i].form ? &*found_[i].form : nullptr);
    assembling_s_ += seconds_since(assembling);
  }

  /// A rate that scatters is measured again with more launches.
  std::optional<Job> look(std::size_t i, const Job& job, const Expected<Observation>& seen, bool again) {
    Begun& begun = begun_.at(i);
    if (!again) {
      assemble(i, &seen);
      if (!seen) return end(i), std::nullopt;
      if (const std::set<int> warps = scattering_warps(found_[i].record); !warps.empty()) {
        begun.seen = *seen;
        return throughput_at(job, begun.compiled, begun.series, warps);
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

  /// Reads the counters of the rows that were timed so far.
  Expected<void> count(InstructionTimes& times) {
    const std::vector<std::size_t> timed = std::exchange(uncounted_, {});
    if (worker_ == nullptr || !how_.counters) return {};
    const auto started = Time::now();
    const auto rows = mapped(timed, [&](const std::size_t i) { return &found_[i]; });
    if (!counter_) counter_.emplace(*worker_, sets_.get());
    WARPCLOCK_TRY(counter_->count(rows));
    times.counting_s += seconds_since(started);
    return {};
  }

  const std::vector<Subject>& subjects_;
  const InstructionOptions& how_;
  Worker* worker_ = nullptr;
  std::vector<MeasuredInstruction> found_;
  std::map<std::size_t, Begun> begun_;
  std::vector<std::size_t> words_;  ///< begun rows that wait for the row of their form
  const FormTable& table_{forms_of(how_.arch)};
  std::map<std::string, Row> forms_;  ///< measured so far
  std::vector<std::size_t> uncounted_;
  std::future<std::vector<Pipes>> sets_;  ///< that counter_ will read
  std::optional<InstructionCounter> counter_;
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
