#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/elapsed.hpp"
#include "compose/copies/compile_instruction.hpp"
#include "measure/measure_instructions.hpp"

namespace warpclock {

/// Compiles and verifies subjects on threads of its own, in parts, which are taken as they are done.
class CompileQueue {
 public:
  CompileQueue(const std::vector<Subject>& subjects, const InstructionOptions& how);
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;
  ~CompileQueue();

  struct Part {
    std::vector<std::size_t> subjects;
    std::vector<CompiledInstruction> compiled;
    Time::time_point done;
  };

  /// Whether next() returns without waiting.
  [[nodiscard]] bool ready();
  [[nodiscard]] Part next();

 private:
  /// The next subjects in order; none if all are taken.
  std::vector<std::size_t> take();
  /// Each of them, or why none could be compiled.
  [[nodiscard]] std::vector<CompiledInstruction> compiled_or_why(const std::vector<const PtxInstruction*>& had) const;
  void work();

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

}  // namespace warpclock
