#include "measure/compile_queue.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/caught.hpp"
#include "plan/window.hpp"

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
  for (unsigned i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
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

}  // namespace warpclock
