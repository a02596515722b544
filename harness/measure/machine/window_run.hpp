#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compose/hole_source.hpp"
#include "gpu/job/samples.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/machine_fit.hpp"
#include "measure/machine/machine_plan.hpp"

namespace warpclock {

/// How the answer to a question was lost.
enum class Lost : std::uint8_t {
  NotMade,   ///< its windows could not be composed or written
  NoAnswer,  ///< the worker gave none
  Misread,   ///< the disassembler reads a word that ran as something else than intended: what was noted is void
};

/// What is asked by composed windows, in one job after another.
struct WindowQuestion {
  std::string id;  ///< of its jobs
  /// Gives the first windows, and sets what is needed to run them. Called in another thread than the others.
  std::function<Expected<ComposedWindows>(WindowQuestion&)> compose;
  /// Notes what the windows show, and gives further ones if they would show more.
  std::function<std::optional<ComposedWindows>(std::span<const MachineSample>)> note;
  std::function<void(const Error&, Lost)> lost;
  HoleKind hole = HoleKind::Usual;
  std::vector<HoleValues> data = {};       ///< each window has one of them
  bool global = false;                     ///< windows access global memory: timed ones visit several places in it
  bool first_pass = false;                 ///< no pass runs before the recorded one
  std::vector<std::string> counters = {};  ///< read instead of timing
};

/// Composes the windows of many questions, runs them on the worker, notes the answers, and asks again where an answer
/// says so. Meanwhile the disassembler reads every word that runs.
class WindowRun {
 public:
  /// Images are written to MachineTableOptions::folder. `how` must outlive this.
  explicit WindowRun(const MachineTableOptions& how);
  ~WindowRun();

  void add(WindowQuestion question) { asked_.push_back({std::move(question), {}, {}}); }

  /// Answers all questions; `begun` is called for each, in their order, when it is composed. Error "device-lost".
  [[nodiscard]] Expected<void> run(const std::function<void()>& begun);

 private:
  class Images;
  struct WindowJob {
    Job job;
    std::vector<std::string> files;  ///< that it runs
  };
  struct Asked {
    WindowQuestion question;
    ComposedWindows composed;
    WindowJob ran;
  };

  [[nodiscard]] Expected<Images*> images(HoleKind kind);
  [[nodiscard]] Expected<Job> begin(std::size_t i);
  [[nodiscard]] Expected<Job> job_for(std::size_t i);
  [[nodiscard]] std::optional<Job> look(std::size_t i, const Expected<Observation>& seen);

  const MachineTableOptions& how_;
  std::mutex mutex_;
  std::map<HoleKind, std::unique_ptr<Images>> images_;  ///< guarded by the mutex
  std::vector<Asked> asked_;
};

}  // namespace warpclock
