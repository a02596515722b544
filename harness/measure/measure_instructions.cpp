#include "measure/measure_instructions.hpp"

#include <future>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/elapsed.hpp"
#include "base/lookup.hpp"
#include "compose/machine_subject.hpp"
#include "compose/movers.hpp"
#include "fields/form_table.hpp"
#include "gpu/job/instruction_job.hpp"
#include "gpu/job/timing_line.hpp"
#include "measure/compile_queue.hpp"
#include "measure/instruction_counter.hpp"
#include "measure/second_look.hpp"

namespace warpclock {
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
      for (MachineRow& row : WARPCLOCK_TRY(how_.forms(*worker_, forms))) forms_.emplace(row.key, std::move(row));
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
  std::map<std::string, MachineRow> forms_;  ///< measured so far
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
