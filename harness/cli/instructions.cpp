#include "cli/instructions.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/elapsed.hpp"
#include "gpu/counters.hpp"
#include "gpu/instruction_job.hpp"
#include "plan/window.hpp"

namespace warpclock {
namespace {

// Together they fill a few modules, so that the batches are full; and the first is soon on the GPU.
constexpr std::size_t most_together = 96;
// A part spends half of its time with few compilations under way.
constexpr unsigned parts_at_a_time = 3;

/// Counters that one pass can read, and those for what is left: changing the set takes the profiler a tenth of a
/// second.
using CounterSets = std::array<std::vector<std::string>, 2>;

CounterSets pipe_counters(const std::string& chip) {
  CounterSets sets;
  const auto add = [&](std::vector<std::string>& set, std::initializer_list<const char*> pipes) {
    set.emplace_back("smsp__inst_executed.sum");
    for (const char* pipe : pipes) set.push_back(std::string("smsp__inst_executed_pipe_") + pipe + ".sum");
    if (const auto unknown = unknown_metrics(chip, set)) {
      for (const std::string& name : *unknown) std::erase(set, name);
    }
  };
  add(sets[0], {"alu", "fma", "lsu"});
  add(sets[1], {"alu", "fma", "lsu", "xu", "fp64", "tensor", "adu", "uniform", "cbu", "tex"});
  return sets;
}

/// Whether the pipes of the first set account for all that was executed.
bool accounted(const InstructionRecord& row) {
  double pipes = 0, executed = 0;
  for (const auto& [name, value] : row.counters) (name == "smsp__inst_executed.sum" ? executed : pipes) += value;
  return executed > 0 && std::abs(executed - pipes) < 1e-6;
}

/// Studies parts of the subjects on threads of its own and hands them over as they are done.
class Compiler {
 public:
  Compiler(const std::vector<Subject>& subjects, const Sources& sources, const Inquiry& inquiry)
      : subjects_(subjects), sources_(sources), inquiry_(inquiry) {
    const std::size_t parts = (subjects.size() + most_together - 1) / most_together;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const auto workers = static_cast<unsigned>(std::min<std::size_t>(parts, cores > 4 ? parts_at_a_time : 1));
    options_ = inquiry.study;
    options_.build.threads = std::max(1U, (2 * cores) / (workers + 1));
    for (unsigned i = 0; i < workers; ++i) threads_.emplace_back([this, parts] { work(parts); });
  }
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;
  ~Compiler() {
    next_ = std::numeric_limits<std::size_t>::max() / 2;
    for (auto& thread : threads_) thread.join();
  }

  struct Part {
    std::size_t first = 0;
    std::vector<Study> studies;
  };

  Part next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !done_.empty(); });
    Part part = std::move(done_.front());
    done_.pop_front();
    return part;
  }

 private:
  void work(std::size_t parts) {
    for (std::size_t at = next_++; at < parts; at = next_++) {
      Part part{at * most_together, {}};
      const std::size_t end = std::min(part.first + most_together, subjects_.size());
      std::vector<const PtxInstruction*> had;
      for (std::size_t i = part.first; i < end; ++i) {
        if (has(inquiry_.arch, subjects_[i].needs)) had.push_back(&subjects_[i].instruction);
      }
      std::vector<Study> studies = study(had, inquiry_.arch, sources_, options_);
      std::size_t taken = 0;
      for (std::size_t i = part.first; i < end; ++i) {
        if (has(inquiry_.arch, subjects_[i].needs)) {
          part.studies.push_back(std::move(studies[taken++]));
        } else {
          Study lacking;
          lacking.problem = Error{"unsupported-arch", subjects_[i].needs.why, {}};
          part.studies.push_back(std::move(lacking));
        }
      }
      const std::lock_guard lock(mutex_);
      done_.push_back(std::move(part));
      changed_.notify_all();
    }
  }

  const std::vector<Subject>& subjects_;
  const Sources& sources_;
  const Inquiry& inquiry_;
  StudyOptions options_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Part> done_;
  std::vector<std::thread> threads_;
};

/// What was verified is kept; the machine code itself is a gigabyte for a whole catalogue.
void drop_code(Study& study) {
  for (Trial& trial : study.trials) trial.shown = {};
}

/// The trial whose counters tell most: one that nothing was woven into, if there is one.
const Trial* counted_trial(const Study& study) {
  const Trial* chosen = nullptr;
  for (const Trial& trial : study.trials) {
    if (!trial.inspection.verified() || trial.kernels.size() < 2) continue;
    if (!chosen || (is_woven(chosen->experiment.trick) && !is_woven(trial.experiment.trick)) ||
        total(trial.inspection.copy) < total(chosen->inspection.copy)) {
      chosen = &trial;
    }
  }
  return chosen;
}

/// Instructions that a warp executes of the largest kernel and not of the one before it.
std::optional<double> planned(const Trial& trial) {
  const auto& executed = trial.executed;
  if (executed.size() < 2 || !executed.back() || !executed[executed.size() - 2]) return std::nullopt;
  return static_cast<double>(*executed.back() - *executed[executed.size() - 2]);
}

class Inquirer {
 public:
  Inquirer(const std::vector<Subject>& subjects, const Sources& sources, const Inquiry& inquiry)
      : subjects_(subjects), sources_(sources), inquiry_(inquiry), found_(subjects.size()) {}

  Expected<std::vector<Found>> run(InquiryTimes& times) {
    const auto started = Time::now();
    Compiler compiler(subjects_, sources_, inquiry_);
    for (std::size_t done = 0; done < subjects_.size();) {
      Compiler::Part part = compiler.next();
      times.compiling_s = seconds_since(started);
      const auto timing = Time::now();
      for (std::size_t i = 0; i < part.studies.size(); ++i) {
        if (auto timed = time(part.first + i, std::move(part.studies[i])); !timed)
          return std::unexpected(timed.error());
        ++done;
        if (inquiry_.progress) inquiry_.progress(done, subjects_.size());
      }
      times.timing_s += seconds_since(timing);
    }
    const auto counting = Time::now();
    if (auto counted = count(); !counted) return std::unexpected(counted.error());
    times.counting_s = seconds_since(counting);
    return std::move(found_);
  }

 private:
  Expected<void> time(std::size_t i, Study study) {
    const Subject& subject = subjects_[i];
    const InstructionName name{subject.id, subject.family, subject.ptx, to_string(inquiry_.arch)};
    const std::vector<Timing> series = timings(study);
    std::optional<Expected<Observation>> observation;
    if (inquiry_.worker && !study.problem && !series.empty()) {
      observation = inquiry_.worker->run(timing_job(subject.id, study, series));
      if (!*observation && observation->error().code == "device-lost") return std::unexpected(observation->error());
    }
    found_[i].record =
        assemble_instruction(name, subject.instruction, study, series, observation ? &*observation : nullptr);
    if (!inquiry_.keep_code) drop_code(study);
    found_[i].study = std::move(study);
    return {};
  }

  Expected<void> count() {
    if (!inquiry_.worker || !inquiry_.counters) return {};
    const CounterSets sets = pipe_counters(inquiry_.worker->device().chip);
    for (const bool first : {true, false}) {
      for (Found& found : found_) {
        if (found.record.outcome != Outcome::Measured || (!first && accounted(found.record))) continue;
        const Trial* trial = counted_trial(found.study);
        if (!trial) continue;
        CopyCounters counters;
        if (inquiry_.worker->counters() != "available") {
          counters.missing = inquiry_.worker->counters();
        } else if (auto read = read_counters(found, *trial, sets[first ? 0 : 1], counters); !read) {
          return read;
        }
        add_counters(counters, found.record);
      }
    }
    return {};
  }

  Expected<void> read_counters(const Found& found, const Trial& trial, const std::vector<std::string>& names,
                               CopyCounters& counters) {
    const std::vector<Job> jobs = counting_jobs(found.record.id, trial, names);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto observation = inquiry_.worker->run(jobs[i]);
      if (!observation) {
        if (observation.error().code == "device-lost") return std::unexpected(observation.error());
        counters.missing = observation.error().message();
        return {};
      }
      counters.missing = observation->counters_missing;
      (i == 0 ? counters.smaller : counters.larger) = observation->counters;
    }
    const auto passes = static_cast<double>(jobs.back().launch.warmups + 1);
    const auto further = static_cast<double>(jobs.back().kernels.front().n - jobs.front().kernels.front().n);
    counters.copies = further * trial.experiment.ilp * passes;
    counters.planned = planned(trial);
    counters.links = links_of(trial, found.study.expansion);
    return {};
  }

  const std::vector<Subject>& subjects_;
  const Sources& sources_;
  const Inquiry& inquiry_;
  std::vector<Found> found_;
};

}  // namespace

Expected<std::vector<Found>> inquire(const std::vector<Subject>& subjects, const Sources& sources,
                                     const Inquiry& inquiry, InquiryTimes* times) {
  InquiryTimes own;
  return Inquirer(subjects, sources, inquiry).run(times ? *times : own);
}

}  // namespace warpclock
